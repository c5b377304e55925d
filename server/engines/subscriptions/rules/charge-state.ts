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

/** Money of a charge that went back or is going back; of a waived one nothing was owed, so that none of it is. */
export const refundedOf = (charge: Charge): number => (isWaived(charge) ? 0 : goneOf(charge));

const goneOf = ({ refunds }: Charge): number =>
  sum(refunds.flatMap(({ state, amount }) => (state === "failed" ? [] : [amount])));

/** Money that a refund may still take of a charge: what was collected, less what went back or is going back. */
export function refundable(charge: Charge): number {
  const { amount_due: due, paid_at: paidAt, attempts, payment_reference: reference } = charge;
  // A customer can still confirm a payment after its charge was voided.
  const isCollected = attempts.some(isTaken) || (paidAt !== null && reference !== null);
  return isCollected && !isHeld(charge) ? due - goneOf(charge) : 0;
}

/** The bank holds the money back, or has given it to the customer. */
const isHeld = ({ dispute }: Pick<Charge, "dispute">): boolean =>
  dispute !== null && dispute.status !== "won" && dispute.status !== "closed";

/** The attempt by which a gateway took the money. */
export const isTaken = ({ state }: Charge["attempts"][number]): boolean => state === "succeeded";
