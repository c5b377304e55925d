import { fromInstant } from "../../../lib/instant.ts";
import { localDateAt } from "../../../lib/local-time.ts";
import { charges } from "../repository.ts";
import type { Applied } from "../rules/apply-result.ts";
import { refundable } from "../rules/charge-state.ts";
import { amountToReturn } from "../rules/coverage.ts";
import { creditOf } from "../rules/credit.ts";
import { isSetOff } from "../rules/set-off.ts";
import type { Contract } from "../schema.ts";
import type { Charge } from "../schema/charge.ts";
import { SUBSCRIPTION_LIMITS } from "../schema/parts.ts";
import type { OpenedContract } from "./contract-work.ts";
import { readCharges } from "./covered.ts";
import { endContract, follow } from "./effects.ts";
import { addRefund } from "./refunds.ts";

type Cancellation = NonNullable<Contract["cancellation"]>;
type Refunding = Cancellation["refund"];

/**
 * Refunds what was paid for time that the contract does not cover any more, newest charge first, and the credit with it.
 * What no charge can refund stays as credit. Returns the amount refunded.
 */
async function refundUnused(
  opened: OpenedContract,
  { refund: how, effective_on: effectiveOn, requested_at: requestedAt }: Cancellation,
): Promise<number> {
  const { contract } = opened;
  if (how === "none") return 0;
  const isFull = how === "full";
  const date = isFull ? localDateAt(fromInstant(requestedAt), contract.timezone) : effectiveOn;
  const read = await readCharges(opened.tx, contract);
  const known = read
    .filter(({ created_at: at }) => !isFull || at <= requestedAt)
    .map((charge) => opened.charges.get(charge.id) ?? charge);
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
  const credit = creditOf(left, opened.contract.credit_taxes);
  opened.contract = { ...opened.contract, ...credit, carried: [], rounding: 0 };
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
  const { cancellation } = opened.contract;
  const refund = cancellation === null ? 0 : await refundUnused(opened, { ...cancellation, refund: how });
  if (!isOver) return refund;
  const { credit } = opened.contract;
  endContract(opened, cancellation?.by ?? "merchant");
  // What was owed is set off already: voiding it must not bring its credit back.
  if (how !== "none") opened.contract = { ...opened.contract, credit };
  return refund;
}

/**
 * Takes what an answer made of a charge. A payment that was under way when its time was refunded was set off as owed: once it has
 * succeeded, it is refunded as the others were.
 */
export async function followPayment(opened: OpenedContract, applied: Applied): Promise<void> {
  follow(opened, applied);
  const { contract } = opened;
  const { cancellation, ended_at: endedAt } = contract;
  if (applied.effect !== "paid" || cancellation === null) return;
  const refundedAt =
    cancellation.refund === "full" ? cancellation.requested_at : isSetOff(contract) ? endedAt : null;
  if (refundedAt !== null && applied.charge.created_at <= refundedAt)
    await refundUnused(opened, cancellation);
}
