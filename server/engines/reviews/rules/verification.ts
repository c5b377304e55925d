import type { Order } from "../schema/invitation.ts";
import type { Verification } from "../schema.ts";
import type { Target } from "../schema/parts.ts";

export const UNVERIFIED: Verification = { level: "none", method: null, order_id: null, at: null };

const sameTarget = (a: Target, b: Target): boolean => a.type === b.type && a.id === b.id;

/** An order counts once it was delivered, unless it was refunded. */
const counts = (order: Order): boolean => order.fulfilled_at !== null && !order.refunded;

export const hasTarget = ({ items }: Pick<Order, "items">, target: Target): boolean =>
  items.some((line) => sameTarget(line.target, target));

/** Submitted through the signed link of an invitation by a customer who bought this item. */
export const verifyInvitation = (orderId: string, at: string): Verification => ({
  level: "verified_purchase",
  method: "invitation",
  order_id: orderId,
  at,
});

/** The store's own server identifies a logged-in customer and the order in which that customer bought it. */
export function verifyLogin(
  subject: { readonly target: Target; readonly customer_id: string | null },
  order: Order | null,
  at: string,
): Verification {
  if (order === null || subject.customer_id === null || order.customer.id !== subject.customer_id)
    return UNVERIFIED;
  if (!counts(order)) return UNVERIFIED;
  const level = hasTarget(order, subject.target) ? "verified_purchase" : "verified_buyer";
  return { level, method: "login", order_id: order.order_id, at };
}

/** The e-mail address was confirmed by a link: a buyer if one of the address's orders counts. */
export function verifyEmail(orders: readonly Order[], at: string): Verification {
  const order = orders.find(counts);
  return order === undefined
    ? { level: "email_confirmed", method: "email", order_id: null, at }
    : { level: "verified_buyer", method: "email", order_id: order.order_id, at };
}
