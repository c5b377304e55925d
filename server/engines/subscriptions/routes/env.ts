import { conflict, conflictWhen, fail, invalidField } from "../../../lib/errors.ts";
import { workOf } from "../../../core/route.ts";
import type { Ctx } from "../../../core/route.ts";
import type { Stored } from "../../../core/tx.ts";
import type { OpenedContract } from "../services/contract-work.ts";
import { openWork } from "../services/contract-work.ts";
import { charges, contracts } from "../repository.ts";
import { contractStates } from "../rules/contract-state.ts";
import type { Contract } from "../schema.ts";
import { SUBSCRIPTION_LIMITS } from "../schema/parts.ts";

/** Opens a contract; 404 when there is none. */
export const openContract = async (ctx: Ctx, id: string): Promise<OpenedContract> =>
  openWork(workOf(ctx), ctx.tx, await ctx.tx.require(contracts, id));

/** Opens the contract that a charge belongs to, with the charge; 404 when there is none. */
export async function openCharge(ctx: Ctx, id: string): Promise<OpenedContract> {
  const charge = await ctx.tx.require(charges, id);
  const contract: Stored<Contract> = await ctx.tx.require(contracts, charge.value.contract_id);
  return openWork(workOf(ctx), ctx.tx, contract, [id]);
}

/** Refuses what the state of the contract does not allow. */
export function requireStatus(
  contract: Contract,
  action: Parameters<typeof contractStates.from>[0],
  what: string,
): void {
  if (contractStates.allows(action, contract.status)) return;
  throw conflict("invalid_transition", `A ${contract.status.replace("_", " ")} contract cannot be ${what}.`);
}

/**
 * Refuses a contract that leaves too little room: what billing adds to it later must always fit into its document, or it
 * would never be billed again.
 */
export function requireRoom(contract: Contract): void {
  const most = SUBSCRIPTION_LIMITS.contractBytes;
  const text = JSON.stringify(contract);
  if (text.length * 3 <= most || Buffer.byteLength(text) <= most) return;
  throw fail(
    "content_too_large",
    `A contract has at most ${most} bytes. Change fewer cycles ahead, or shorten its lines.`,
  );
}

/** Refuses an instant from which no dates of four digits can be reckoned. */
export function refuseFar(member: string, instant: string): void {
  if (instant >= "1970" && instant.slice(0, 10) <= SUBSCRIPTION_LIMITS.lastDay) return;
  throw invalidField([member], `Must be an instant from 1970 to ${SUBSCRIPTION_LIMITS.lastDay}.`);
}

export const unpaidCycle = conflictWhen(
  "cycle_unpaid",
  "Proration would credit days of the current cycle that are not paid",
);
export const badState = conflictWhen("invalid_transition", "The state of the contract does not allow it");
