import { DAY_MS, fromInstant } from "../../../lib/instant.ts";
import type { Cart } from "../schema/cart.ts";

/** How long after a click or a mail an order counts as its effect. */
const WINDOW_MS = 5 * DAY_MS;

/**
 * What brought an order: `recovered` when our link was clicked up to five days before, `assisted` when only a mail was
 * sent. Openings count for nothing: mail programs open mails by themselves.
 */
export function attribute(
  { clicks, steps }: Pick<Cart, "clicks" | "steps">,
  placedAt: string,
): "recovered" | "assisted" | null {
  const placed = fromInstant(placedAt);
  const isWithin = (at: string): boolean => {
    const age = placed - fromInstant(at);
    return age >= 0 && age <= WINDOW_MS;
  };
  if (clicks.some(isWithin)) return "recovered";
  return steps.some(({ state, at }) => state === "sent" && at !== null && isWithin(at)) ? "assisted" : null;
}
