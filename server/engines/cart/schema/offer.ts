import { z } from "zod";

import { Id, Instant, LocalTime, Metadata, Minor, resourceFields } from "../../../core/schema.ts";
import { CART_LIMITS, Channel, Ref, Text, UnitFilter, UnitValue } from "./parts.ts";

export const OfferClass = z.enum(["product", "bogo", "order", "shipping"]);
export type OfferClass = z.output<typeof OfferClass>;

const ProductEffect = z.strictObject({
  class: z.literal("product"),
  filter: UnitFilter,
  value: UnitValue,
  sale_policy: z.enum(["stack", "best_deal", "exclude"]).default("stack").meta({
    description:
      "On items that are reduced already: on top, whichever of the two prices is lower, or not at all",
  }),
});
export type ProductEffect = z.output<typeof ProductEffect>;

const BogoEffect = z
  .strictObject({
    class: z.literal("bogo"),
    buy: z
      .strictObject({
        filter: UnitFilter,
        qty: z.int().min(1).max(1000).nullable().default(null),
        spend: Minor.min(1).nullable().default(null),
      })
      .refine(({ qty, spend }) => (qty === null) !== (spend === null), "Send either `qty` or `spend`."),
    get: z.strictObject({ filter: UnitFilter, qty: z.int().min(1).max(1000) }),
    value: UnitValue,
    grouping: z.enum(["cheapest_overall", "descending_groups"]).default("cheapest_overall"),
    distribution: z.enum(["reward_only", "spread"]).default("reward_only").meta({
      description: "spread: the saving is shared by all units that took part, for fair refunds",
    }),
    add_reward_suggestion: z.boolean().default(true),
    exclusive_units: z.boolean().default(false).meta({ description: "Order offers leave its units out" }),
  })
  .refine(
    ({ grouping, buy, get }) =>
      grouping === "cheapest_overall" ||
      (buy.qty !== null && JSON.stringify(buy.filter) === JSON.stringify(get.filter)),
    {
      path: ["grouping"],
      error: "descending_groups needs buy.qty, and the same filter for buy and get.",
    },
  );
export type BogoEffect = z.output<typeof BogoEffect>;

const OrderEffect = z.strictObject({
  class: z.literal("order"),
  value: UnitValue.refine(({ kind }) => kind === "percent_off" || kind === "amount_off", {
    path: ["kind"],
    error: "An order offer takes percent_off or amount_off.",
  }),
});
export type OrderEffect = z.output<typeof OrderEffect>;

const ShippingEffect = z.strictObject({
  class: z.literal("shipping"),
  value: UnitValue,
  min_subtotal: Minor.default(0),
  before_discounts: z.boolean().default(false).meta({
    description: "Hold min_subtotal against the goods before other offers",
  }),
});
export type ShippingEffect = z.output<typeof ShippingEffect>;

export const OfferEffect = z.discriminatedUnion("class", [
  ProductEffect,
  BogoEffect,
  OrderEffect,
  ShippingEffect,
]);
export type OfferEffect = z.output<typeof OfferEffect>;

const count = z.int().min(1).max(1_000_000);

export const Condition = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("subtotal"), min: Minor.default(0), max: Minor.nullable().default(null) }),
  z.strictObject({ kind: z.literal("quantity"), filter: UnitFilter, min: count }),
  z.strictObject({
    kind: z.literal("customer_tier"),
    any_of: z.array(Ref).min(1).max(20).meta({ description: "Ids or names of levels of the tiers engine" }),
  }),
  z.strictObject({ kind: z.literal("first_order") }),
  z.strictObject({
    kind: z.literal("weekday"),
    days: z
      .array(z.int().min(1).max(7))
      .max(7)
      .default([])
      .meta({ description: "1 is Monday; empty means any" }),
    from: LocalTime.nullable().default(null),
    to: LocalTime.nullable().default(null).meta({ description: "Up to this time, itself not included" }),
  }),
  z.strictObject({
    kind: z.literal("outcode"),
    any_of: z.array(z.string().trim().toUpperCase().min(1).max(8)).min(1).max(200),
  }),
  z.strictObject({ kind: z.literal("channel"), any_of: z.array(Channel).min(1).max(20) }),
]);
export type Condition = z.output<typeof Condition>;

export const Conditions = z.strictObject({
  match: z.enum(["all", "any"]).default("all"),
  rules: z.array(Condition).max(CART_LIMITS.conditions).default([]),
});
export type Conditions = z.output<typeof Conditions>;

/** `scheduled` begins by itself at `starts_at`, and every live offer ends at `ends_at`. */
export const OfferStatus = z.enum(["draft", "scheduled", "active", "paused", "ended", "archived"]);

/** Codes are compared by letters and digits alone, in any case. */
export const Code = z
  .string()
  .trim()
  .toUpperCase()
  .regex(/^[A-Z0-9-]{3,40}$/, "Expected 3 to 40 letters, digits or hyphens.");

export const offerFields = {
  title: Text,
  trigger: z.enum(["automatic", "code"]),
  codes: z.array(Code).max(CART_LIMITS.ownCodes).meta({ description: "More of them: POST …/codes" }),
  conditions: Conditions,
  effect: OfferEffect,
  priority: z.int().min(0).max(1000).meta({ description: "Higher goes first inside its class" }),
  exclusive: z.boolean().meta({ description: "No other offer applies together with it, of any class" }),
  combines_with: z
    .array(z.enum(["bundle", "product", "bogo", "order", "shipping"]))
    .max(5)
    .meta({
      description: "Classes of offers that it can be combined with; both offers must list each other's class",
    }),
  max_applications_per_cart: count
    .nullable()
    .meta({ description: "Times a bogo repeats, units a product offer reduces" }),
  max_uses: count.nullable(),
  max_uses_per_customer: count.nullable(),
  budget: Minor.nullable().meta({ description: "Most that all redemptions together may have saved" }),
  min_spend_after_discounts: Minor.meta({ description: "What the goods must come to after all offers" }),
  starts_at: Instant.nullable(),
  ends_at: Instant.nullable(),
  metadata: Metadata,
};

export const Offer = z.strictObject({
  ...resourceFields,
  ...offerFields,
  class: OfferClass,
  status: OfferStatus,
  revision: z.int().min(1).meta({ description: "Counts changes of its terms" }),
});
export type Offer = z.output<typeof Offer>;

/** A code that was made in bulk, or for one mail: it works once. */
export const OfferCode = z.strictObject({
  ...resourceFields,
  offer_id: Id,
  code: Code,
  batch_id: Id.nullable(),
  used_by: z.string().nullable().meta({ description: "order_ref of its redemption" }),
});
export type OfferCode = z.output<typeof OfferCode>;

/** An order to make codes; they appear in the list of the offer's codes within seconds. */
export const CodeBatch = z.strictObject({
  ...resourceFields,
  offer_id: Id,
  prefix: z.string(),
  count: z.int(),
  made: z.int(),
  state: z.enum(["running", "done"]),
});
export type CodeBatch = z.output<typeof CodeBatch>;

/** That an order made use of an offer. */
export const Redemption = z.strictObject({
  ...resourceFields,
  offer_id: Id,
  order_ref: z.string(),
  customer_id: z.string().nullable(),
  code: Code.nullable(),
  amount: Minor.meta({ description: "What the offer saved; counts towards its budget" }),
  pricing_hash: z.string(),
  /** Which counter it was counted in. */
  shard: z.int(),
});
export type Redemption = z.output<typeof Redemption>;

/** How often an offer was used: by all, in parts that add up, or by one customer. */
export const UseCounter = z.strictObject({ id: Id, offer_id: Id, uses: z.int().min(0), spent: Minor });
export type UseCounter = z.output<typeof UseCounter>;
