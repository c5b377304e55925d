import type { EventType } from "../../../core/engine.ts";

const cart = { subject_id: "crt_01JD8Z5T9QK3M4N5P6R7S8T9V0" };

/** Events of the engine; the feed at `/v1/cart/events` keeps the same. */
export const cartEvents: readonly EventType[] = [
  {
    type: "cart.abandoned",
    summary: "Nothing happened to a cart for a while.",
    example: { ...cart, total: 2_400 },
  },
  {
    type: "cart.recovered",
    summary: "A cart became an order after a mail was followed.",
    example: { ...cart, order_ref: "1041", total: 2_400, currency: "GBP" },
  },
  {
    type: "cart.assisted",
    summary: "A cart became an order after a mail that was not followed.",
    example: { ...cart, order_ref: "1041", total: 2_400, currency: "GBP" },
  },
  {
    type: "cart.converted",
    summary: "A cart became an order.",
    example: { ...cart, order_ref: "1041", total: 2_400, currency: "GBP" },
  },
  {
    type: "cart.lost",
    summary: "An abandoned cart will not become an order any more.",
    example: { ...cart, total: 2_400 },
  },
  {
    type: "cart.recovery.sent",
    summary: "A mail about an abandoned cart was sent.",
    example: { ...cart, n: 1 },
  },
  {
    type: "cart.recovery.skipped",
    summary: "A mail about an abandoned cart was not sent.",
    example: { ...cart, n: 1, reason: "suppressed" },
  },
  { type: "cart.recovery.clicked", summary: "A mail about an abandoned cart was followed.", example: cart },
  {
    type: "cart.offer.exhausted",
    summary: "An offer has reached its maximum number of uses.",
    example: { subject_id: "ofr_01JD8Z5T9QK3M4N5P6R7S8T9V0", max_uses: 100 },
  },
  {
    type: "cart.bundle.unavailable",
    summary: "A bundle is out of stock.",
    example: { subject_id: "bdl_01JD8Z5T9QK3M4N5P6R7S8T9V0" },
  },
  {
    type: "cart.suppression.added",
    summary: "An address gets no more mail about carts.",
    example: { subject_id: "sup_01JD8Z5T9QK3M4N5P6R7S8T9V0", source: "link" },
  },
];
