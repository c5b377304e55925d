import { defineTransitions } from "../../../core/states.ts";
import { sum } from "../../../lib/money.ts";
import type { Charge, ChargeStatus } from "../schema/charge.ts";

/** Nothing was collected yet, and it can still be. */
const OPEN: readonly ChargeStatus[] = [
  "processing",
  "pending_manual",
  "requires_action",
  "unknown",
  "retrying",
];

export const chargeStates = defineTransitions("Charge", {
  collection: "subscriptions.charges",
  steps: {
    collect: [["scheduled"], ["processing", "pending_manual", "succeeded"]],
    attempt: [["retrying"], ["processing", "pending_manual"]],
    confirmation_needed: [["processing", "unknown"], "requires_action"],
    no_answer: [["processing", "requires_action"], "unknown"],
    fail: [OPEN, ["retrying", "exhausted"]],
    retry: [[...OPEN, "exhausted"], "retrying"],
    give_up: [["retrying"], "exhausted"],
    succeed: [[...OPEN, "exhausted"], "succeeded"],
    void: [["scheduled", ...OPEN, "exhausted"], "voided"],
    refund: [
      ["succeeded", "partially_refunded"],
      ["partially_refunded", "refunded"],
    ],
    refund_fails: [
      ["partially_refunded", "refunded"],
      ["succeeded", "partially_refunded"],
    ],
  },
});

/** Charges that keep a contract from being in good standing once they have failed. */
export const isOwed = ({ status, voided_reason: reason }: Charge): boolean =>
  OPEN.includes(status) || (status === "exhausted" && reason === null);
/** Given up by the shop: it is no longer owed. */
export const isWaived = ({ status, voided_reason: reason }: Charge): boolean =>
  status === "voided" || (status === "exhausted" && reason !== null);

/**
 * A payment for which nothing was owed, because another had come or the charge was voided: the refunds that give it back, which are
 * those since it came, and what is left of it.
 */
export function surplusOf({ attempts, refunds, review }: Charge) {
  const isSurplus = review?.reason === "double_payment";
  const attempt = isSurplus ? attempts.find(({ id }) => id === review.attempt_id) : undefined;
  const refundIds = new Set<string>();
  let left = attempt?.amount ?? 0;
  for (const { id, amount, created_at: at, state } of refunds) {
    if (!isSurplus || at < review.since || state === "failed" || amount > left) continue;
    refundIds.add(id);
    left -= amount;
  }
  return { attempt, refundIds, left };
}

/** The attempt whose money a refund of the charge gives back; undefined for what was paid by hand. */
export function sourceOf(charge: Charge, refundId: string): Charge["attempts"][number] | undefined {
  const { attempt, refundIds } = surplusOf(charge);
  return refundIds.has(refundId)
    ? attempt
    : charge.attempts.find((one) => isTaken(one) && one.id !== attempt?.id);
}

/** Money for a charge that went back or is going back, by refunds or by its bank. */
export function refundedOf(charge: Charge): number {
  if (isHeld(charge) && charge.paid_at !== null) return charge.amount_due;
  const { refundIds } = surplusOf(charge);
  const own = charge.refunds.filter(({ id, state }) => state !== "failed" && !refundIds.has(id));
  return sum(own.map(({ amount }) => amount));
}

/** Money that one refund may still take of a charge: what was collected, less what went back or is going back. */
export function refundable(charge: Charge): number {
  const { amount_due: due, paid_at: paidAt, attempts, payment_reference: reference } = charge;
  if (isHeld(charge)) return 0;
  const isCollected = paidAt !== null && (attempts.some(isTaken) || reference !== null);
  return Math.max(surplusOf(charge).left, isCollected ? due - refundedOf(charge) : 0);
}

/** The bank holds the money back, or has given it to the customer. */
const isHeld = ({ dispute }: Pick<Charge, "dispute">): boolean =>
  dispute !== null && dispute.status !== "won" && dispute.status !== "closed";

/** The attempt by which a gateway took the money. */
const isTaken = ({ state }: Charge["attempts"][number]): boolean => state === "succeeded";
