import type { OfferRule, Question } from "../../../server/engines/cart/rules/evaluate.ts";
import type { BundleTerms } from "../../../server/engines/cart/rules/match-bundles.ts";
import { OfferEffect } from "../../../server/engines/cart/schema/offer.ts";
import type { z } from "zod";
import { LineInput } from "../../../server/engines/cart/schema/parts.ts";

export const lineOf = (id: string, unitPrice: number, more: Partial<LineInput> = {}): LineInput =>
  LineInput.parse({ id, ref: id, quantity: 1, unit_price: unitPrice, ...more });

export const everything = { refs: [], categories: [], tags: [] };
export const refs = (...names: string[]) => ({ ...everything, refs: names });
export const category = (...names: string[]) => ({ ...everything, categories: names });

export const offerOf = (
  id: string,
  effect: z.input<typeof OfferEffect>,
  more: Partial<OfferRule> = {},
): OfferRule => ({
  id,
  title: id,
  class: effect.class,
  effect: OfferEffect.parse(effect),
  trigger: "automatic",
  codes: [],
  conditions: { match: "all", rules: [] },
  priority: 0,
  exclusive: false,
  combines_with: ["bundle", "product", "bogo", "order", "shipping"],
  max_applications_per_cart: null,
  min_spend_after_discounts: 0,
  revision: 1,
  ...more,
});

export const bogoOf = (
  id: string,
  effect: Omit<Extract<z.input<typeof OfferEffect>, { class: "bogo" }>, "class" | "value"> & {
    value?: { kind: "free" | "percent_off" | "amount_off" | "fixed_price"; value?: number };
  },
  more: Partial<OfferRule> = {},
): OfferRule => offerOf(id, { ...effect, class: "bogo", value: effect.value ?? { kind: "free" } }, more);

export const bundleOf = (id: string, more: Partial<BundleTerms> = {}): BundleTerms => ({
  id,
  title: id,
  type: "fixed",
  components: [],
  groups: [],
  pricing: { kind: "fixed_price", value: 0 },
  tiers: [],
  auto_apply: true,
  subscribable: false,
  ...more,
});

export const questionOf = (lines: readonly LineInput[], more: Partial<Question> = {}): Question => ({
  lines,
  shipping: null,
  currency: "GBP",
  tax_included: true,
  situation: {
    customer: null,
    outcode: null,
    channel: null,
    local: { weekday: 1, time: "12:00" },
  },
  bundles: [],
  offers: [],
  unlocked: new Set(),
  ...more,
});

export const add = (amounts: readonly number[]): number => amounts.reduce((all, one) => all + one, 0);

/** A cart that its customer may be reminded of. */
export const cartBody = (more: object = {}) => ({
  sequence: 1,
  customer: { id: "ada", email: "ada@shop.example", name: "Ada" },
  consent: { basis: "soft_opt_in", source: "checkout" },
  lines: [{ ref: "bread", title: "Bread", quantity: 2, unit_price: 400 }],
  total: 800,
  currency: "GBP",
  checkout_url: "https://shop.example/checkout/1",
  ...more,
});
