import { DAY_MS, fromInstant } from "../../../lib/instant.ts";
import { sha256Hex } from "../../../core/ids.ts";
import type { Cart, Mailbox, RecoveryFlow, RecoveryStep, SkipReason } from "../schema/cart.ts";

/** What is known at the moment at which a mail would be sent. */
export interface Moment {
  readonly cart: Cart;
  readonly step: RecoveryStep;
  /** Null when it was removed. */
  readonly flow: RecoveryFlow | null;
  readonly mailbox: Mailbox | null;
  readonly isSuppressed: boolean;
  /** The offer of the step's coupon runs; true where the step has none. */
  readonly isCouponValid: boolean;
  readonly now: number;
}

/**
 * Why a mail must not be sent now; null when it may. Asked of the state itself, not of what began the flow, so that no
 * order of events can make a mail go out to a customer who bought meanwhile.
 */
export function whyNotSend(moment: Moment): SkipReason | null {
  const { cart, step, flow, mailbox, now } = moment;
  if (cart.status === "converted") return "converted";
  if (hasOrdered(cart, mailbox)) return "ordered";
  if (moment.isSuppressed) return "suppressed";
  if (cart.consent.basis === "none") return "no_consent";
  if (mailbox !== null && mailbox.cart_id !== null && mailbox.cart_id !== cart.id) return "newer_cart";
  if (flow === null || !flow.active) return "flow_paused";
  if (isCooling(cart, flow, mailbox, now)) return "cooldown";
  if (cart.lines.length === 0 || cart.total === 0) return "empty";
  if (cart.lines.every(({ in_stock: stocked }) => !stocked)) return "out_of_stock";
  if (now - fromInstant(step.due_at) > DAY_MS) return "late";
  if (!moment.isCouponValid) return "coupon_invalid";
  return isHeldOut(cart.id, flow.holdout_bps) ? "holdout" : null;
}

/** An order by the same address since the cart was touched, through whichever cart it came. */
export const hasOrdered = (cart: Cart, mailbox: Mailbox | null): boolean =>
  mailbox !== null &&
  mailbox.last_order !== null &&
  fromInstant(mailbox.last_order.placed_at) >= fromInstant(cart.last_activity_at);

function isCooling(cart: Cart, flow: RecoveryFlow, mailbox: Mailbox | null, now: number): boolean {
  if (mailbox === null || mailbox.mailed_at === null || mailbox.mailed_cart_id === cart.id) return false;
  return now - fromInstant(mailbox.mailed_at) < flow.cooldown_days * DAY_MS;
}

/** The same cart is always in, or always out. */
export const isHeldOut = (cartId: string, bps: number): boolean =>
  Number.parseInt(sha256Hex(`holdout ${cartId}`).slice(0, 8), 16) % 10_000 < bps;
