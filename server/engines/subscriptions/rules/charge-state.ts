import { sum } from "../../../lib/money.ts";
import type { Charge } from "../schema/charge.ts";

/** Charges that keep a contract from being in good standing once they have failed. */
export const isOwed = ({ status, voided_reason: reason }: Charge): boolean =>
  OWED.has(status) || (status === "exhausted" && reason === null);
const OWED: ReadonlySet<Charge["status"]> = new Set([
  "processing",
  "pending_manual",
  "requires_action",
  "unknown",
  "retrying",
]);

/** Given up by the shop: it is no longer owed. */
export const isWaived = ({ status, voided_reason: reason }: Charge): boolean =>
  status === "voided" || (status === "exhausted" && reason !== null);

/** Money of a charge that went back or is going back. */
export const refundedOf = ({ refunds }: Pick<Charge, "refunds">): number =>
  sum(refunds.flatMap(({ state, amount }) => (state === "failed" ? [] : [amount])));

/** Money that a refund may still take of a charge: what was collected, less what went back or is going back. */
export function refundable(charge: Charge): number {
  const { amount_due: due, paid_at: paidAt, attempts, payment_reference: reference } = charge;
  const isCollected = paidAt !== null && (attempts.some(isTaken) || reference !== null);
  return isCollected && !isHeld(charge) ? due - refundedOf(charge) : 0;
}

/** The bank holds the money back, or has given it to the customer. */
const isHeld = ({ dispute }: Pick<Charge, "dispute">): boolean =>
  dispute !== null && dispute.status !== "won" && dispute.status !== "closed";

/** The attempt by which a gateway took the money. */
export const isTaken = ({ state }: Charge["attempts"][number]): boolean => state === "succeeded";
