import { charges } from "../repository.ts";
import { refundable } from "../rules/charge-state.ts";
import { amountToReturn } from "../rules/coverage.ts";
import type { Charge } from "../schema/charge.ts";
import { SUBSCRIPTION_LIMITS } from "../schema/parts.ts";
import type { OpenedContract } from "./contract-work.ts";
import { readCharges } from "./covered.ts";
import { endContract } from "./effects.ts";
import { addRefund } from "./refunds.ts";

type Refunding = "none" | "prorated" | "full";

/**
 * Refunds what was paid for time that the contract does not cover any more, newest charge first, and the credit with it.
 * What no charge can refund stays as credit. Returns the amount refunded.
 */
async function refundUnused(opened: OpenedContract, how: Exclude<Refunding, "none">): Promise<number> {
  const { contract } = opened;
  const date = how === "full" ? opened.today : (contract.cancellation?.effective_on ?? opened.today);
  const read = await readCharges(opened.tx, contract);
  const known = read.map((charge) => opened.charges.get(charge.id) ?? charge);
  const clock = {
    mode: "day" as const,
    at: opened.now,
    date,
    timezone: contract.timezone,
    billingTime: contract.billing_time,
  };
  const amount = Math.max(0, amountToReturn({ contract, charges: known, clock }, how));
  let left = amount;
  for (const charge of known) {
    const part = Math.min(left, refundableOnce(charge));
    if (part <= 0) continue;
    addRefund(opened, await adopted(opened, charge), part, "cancelled");
    left -= part;
  }
  opened.contract = { ...opened.contract, credit: left, carried: [], rounding: 0 };
  return amount - left;
}

const refundableOnce = (charge: Charge): number =>
  charge.refunds.length < SUBSCRIPTION_LIMITS.refunds ? refundable(charge) : 0;

/** The charge, opened so that its change is checked at the commit. */
async function adopted(opened: OpenedContract, charge: Charge): Promise<Charge> {
  const known = opened.charges.get(charge.id);
  if (known !== undefined) return known;
  const stored = await opened.tx.require(charges, charge.id);
  opened.adopt(stored);
  return stored.value;
}

/** Refunds what was asked for with the cancellation and, where `isOver`, ends the contract. Returns the amount refunded. */
export async function settleCancellation(
  opened: OpenedContract,
  { how, isOver }: { readonly how: Refunding; readonly isOver: boolean },
): Promise<number> {
  const refund = how === "none" ? 0 : await refundUnused(opened, how);
  if (!isOver) return refund;
  const { credit } = opened.contract;
  endContract(opened, opened.contract.cancellation?.by ?? "merchant");
  // What was owed is set off already: voiding it must not bring its credit back.
  if (how !== "none") opened.contract = { ...opened.contract, credit };
  return refund;
}
