import { describe, expect, it } from "vitest";

import type { Moment } from "../../../server/engines/cart/rules/check-send.ts";
import { isHeldOut, whyNotSend } from "../../../server/engines/cart/rules/check-send.ts";
import { DEFAULT_TERMS } from "../../../server/engines/cart/rules/plan-recovery.ts";
import type { Mailbox } from "../../../server/engines/cart/schema/cart.ts";
import { Cart, RecoveryFlow } from "../../../server/engines/cart/schema/cart.ts";

const step = {
  n: 1,
  due_at: "2026-06-01T13:00:00.000Z",
  state: "planned" as const,
  reason: null,
  at: null,
  template: "abandoned-cart-first",
  coupon_offer_id: null,
  coupon: null,
};
const cart = Cart.parse({
  id: "crt_01JD8Z5T9QK3M4N5P6R7S8T9V4",
  created_at: "2026-06-01T09:00:00.000Z",
  updated_at: "2026-06-01T09:00:00.000Z",
  external_id: "cart-42",
  sequence: 3,
  customer: { id: "ada", email: "ada@shop.example", name: "Ada Byron" },
  consent: { basis: "soft_opt_in", at: "2026-05-01T10:00:00.000Z", source: "checkout" },
  lines: [{ ref: "sourdough", title: "Sourdough loaf", quantity: 2, unit_price: 420, in_stock: true }],
  total: 840,
  currency: "GBP",
  checkout_url: "https://shop.example/checkout/42",
  metadata: {},
  abandoned_at: null,
  flow_id: null,
  clicks: [],
  order: null,
  attribution: null,
  next_action_at: "2026-06-01T09:55:00.000Z",
  status: "abandoned",
  last_activity_at: "2026-06-01T09:00:00.000Z",
  steps: [step],
});
const mailbox: Mailbox = {
  id: "mbx_1",
  cart_id: cart.id,
  last_activity_at: cart.last_activity_at,
  last_order: null,
  mailed_cart_id: null,
  mailed_at: null,
};
const moment: Moment = {
  cart,
  step,
  flow: RecoveryFlow.parse({
    id: "rfl_01JD8Z5T9QK3M4N5P6R7S8T9V5",
    created_at: "2026-06-01T09:00:00.000Z",
    updated_at: "2026-06-01T09:00:00.000Z",
    title: "Come back",
    active: true,
    metadata: {},
    ...DEFAULT_TERMS,
  }),
  mailbox,
  isSuppressed: false,
  isCouponValid: true,
  now: Date.parse("2026-06-01T13:00:00Z"),
};
const order = (placed_at: string) => ({ ref: "o", total: 1, placed_at });
const flow = moment.flow ?? RecoveryFlow.parse({});

// In the order in which they are asked: each case has everything that comes after it wrong as well.
const CASES: [string, Partial<Moment>][] = [
  ["converted", { cart: { ...cart, status: "converted" } }],
  ["ordered", { mailbox: { ...mailbox, last_order: order("2026-06-01T09:00:00.000Z") } }],
  ["suppressed", { isSuppressed: true }],
  ["no_consent", { cart: { ...cart, consent: { basis: "none", at: null, source: "" } } }],
  ["newer_cart", { mailbox: { ...mailbox, cart_id: "crt_other" } }],
  ["flow_paused", { flow: { ...flow, active: false } }],
  ["flow_paused", { flow: null }],
  [
    "cooldown",
    { mailbox: { ...mailbox, mailed_cart_id: "crt_other", mailed_at: "2026-05-25T13:00:00.001Z" } },
  ],
  ["empty", { cart: { ...cart, lines: [] } }],
  ["empty", { cart: { ...cart, total: 0 } }],
  ["out_of_stock", { cart: { ...cart, lines: cart.lines.map((line) => ({ ...line, in_stock: false })) } }],
  ["late", { now: Date.parse("2026-06-02T13:00:00.001Z") }],
  ["coupon_invalid", { isCouponValid: false }],
  ["holdout", { flow: { ...flow, holdout_bps: 10_000 } }],
];

describe("a mail about a cart", () => {
  it("goes out when nothing stands against it", () => expect(whyNotSend(moment)).toBeNull());

  it.each(CASES)("does not: %s", (reason, change) => {
    expect(whyNotSend({ ...moment, ...change })).toBe(reason);
  });

  it("does in spite of an order before the cart, a mail about itself, one a week ago, and a day's delay", () => {
    const fine: Partial<Moment>[] = [
      { mailbox: { ...mailbox, last_order: order("2026-06-01T08:59:59.999Z") } },
      { mailbox: { ...mailbox, mailed_cart_id: cart.id, mailed_at: "2026-06-01T12:00:00.000Z" } },
      { mailbox: { ...mailbox, mailed_cart_id: "crt_other", mailed_at: "2026-05-25T13:00:00.000Z" } },
      { now: Date.parse("2026-06-02T13:00:00.000Z") },
    ];
    expect(fine.map((change) => whyNotSend({ ...moment, ...change }))).toEqual([null, null, null, null]);
  });

  it("is held out for about the share of carts that was asked for", () => {
    const held = Array.from({ length: 2000 }, (_, at) => isHeldOut(`crt_${at}`, 2000)).filter(Boolean).length;
    expect(held).toBeGreaterThan(320);
    expect(held).toBeLessThan(480);
  });
});
