import { expect, it } from "vitest";

import { bundleNamesAmount, offerNamesAmount } from "../../../server/engines/cart/rules/names-amount.ts";
import type { Condition, OfferEffect } from "../../../server/engines/cart/schema/offer.ts";

const all = { refs: [], categories: [], tags: [] };
const percent = { kind: "percent_off", value: 1000 } as const;
const amount = { kind: "amount_off", value: 500 } as const;
const shipping = { class: "shipping", value: percent, min_subtotal: 0, before_discounts: false } as const;
const bogo = { class: "bogo", get: { filter: all, qty: 1 }, value: { kind: "free", value: 0 } } as const;
const more = { grouping: "cheapest_overall", distribution: "reward_only" } as const;
const marks = { ...more, add_reward_suggestion: true, exclusive_units: false } as const;
const offer = (effect: OfferEffect, rules: Condition[] = []) => ({
  effect,
  conditions: { match: "all" as const, rules },
  budget: null,
  min_spend_after_discounts: 0,
});
const plain = offer({ class: "order", value: percent });

it.each([
  [false, plain],
  [false, offer(shipping)],
  [false, offer({ ...bogo, ...marks, buy: { filter: all, qty: 2, spend: null } })],
  [false, offer(shipping, [{ kind: "first_order" }])],
  [true, offer({ class: "order", value: amount })],
  [
    true,
    offer({ class: "product", filter: all, value: { kind: "fixed_price", value: 1 }, sale_policy: "stack" }),
  ],
  [true, offer({ ...bogo, ...marks, buy: { filter: all, qty: null, spend: 2000 } })],
  [true, offer({ ...shipping, min_subtotal: 2000 })],
  [true, offer(shipping, [{ kind: "subtotal", min: 2000, max: null }])],
  [true, { ...plain, budget: 10_000 }],
  [true, { ...plain, min_spend_after_discounts: 2000 }],
])("an offer names an amount: %s, %j", (names, terms) => {
  expect(offerNamesAmount(terms)).toBe(names);
});

it("a bundle names an amount by its price, a tiered one by its tiers", () => {
  const sum = { kind: "sum", value: 0 } as const;
  expect(bundleNamesAmount({ type: "fixed", pricing: sum, tiers: [] })).toBe(false);
  expect(bundleNamesAmount({ type: "fixed", pricing: { kind: "fixed_price", value: 500 }, tiers: [] })).toBe(
    true,
  );
  expect(bundleNamesAmount({ type: "tiered", pricing: sum, tiers: [{ qty: 2, ...percent }] })).toBe(false);
  expect(bundleNamesAmount({ type: "tiered", pricing: sum, tiers: [{ qty: 2, ...amount }] })).toBe(true);
});
