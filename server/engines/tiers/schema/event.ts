import { z } from "zod";

import { Currency, Id, Instant, resourceFields } from "../../../core/schema.ts";
import { Amount, Key, TIER_LIMITS } from "./programme.ts";

const Name = z.string().trim().min(1).max(120);

const EventType = z.enum([
  "order",
  "refund",
  "cancel",
  "points",
  "review",
  "referral",
  "subscription_month",
  "form",
  "custom",
]);
type EventType = z.output<typeof EventType>;

/** The customer concerned. The e-mail address is stored separately and never returned: mails are sent to it. */
const Customer = z.strictObject({
  id: Name.meta({ description: "The store's own id of the customer" }),
  email: z.email().max(254).optional(),
  name: z.string().trim().max(120).optional(),
});

const common = {
  source: Key.default("api").meta({ description: "System that the event comes from" }),
  external_id: Name.meta({ description: "The event's id in that system: the same event counts once" }),
  source_version: z
    .int()
    .min(0)
    .max(Number.MAX_SAFE_INTEGER)
    .default(0)
    .meta({ description: "A higher revision replaces the stored order; a lower one is ignored" }),
  occurred_at: Instant,
};

const money = {
  currency: Currency,
  rate: z
    .strictObject({ currency: Currency, micros: z.int().min(1).max(1_000_000_000_000) })
    .nullable()
    .default(null)
    .meta({ description: "Value of one unit in another currency, in millionths of its unit" }),
};
const orderRef = { order_ref: Name };

const orderFields = {
  ...common,
  ...orderRef,
  ...money,
  type: z.literal("order"),
  state: z.enum(["placed", "paid", "fulfilled"]).default("paid"),
  fulfilled_at: Instant.nullable().default(null),
  amount: Amount.meta({ description: "Goods after discounts, without tax" }),
  shipping: Amount.default(0),
  tax: Amount.default(0),
  discount: Amount.default(0),
  channel: Key.nullable().default(null).meta({ description: "For example, web, shop or catering" }),
  categories: z
    .record(Key, Amount)
    .default({})
    .refine(
      (value) => Object.keys(value).length <= TIER_LIMITS.categoriesPerOrder,
      `An order can have at most ${TIER_LIMITS.categoriesPerOrder} categories.`,
    ),
};
const markAmount = z.int().min(-TIER_LIMITS.amount).max(TIER_LIMITS.amount);

export const EventFacts = z.discriminatedUnion("type", [
  z.strictObject(orderFields),
  z.strictObject({ ...common, ...orderRef, ...money, type: z.literal("refund"), amount: Amount }),
  z.strictObject({
    ...common,
    ...orderRef,
    type: z.literal("cancel"),
    source_version: common.source_version
      .removeDefault()
      .nullable()
      .default(null)
      .meta({
        description:
          "The revision of the order that is cancelled; a later one reopens it. Null: every revision of the order is " +
          "cancelled, also later ones",
      }),
  }),
  z.strictObject({ ...common, type: z.literal("points"), amount: markAmount }),
  z.strictObject({ ...common, type: z.literal("review") }),
  z.strictObject({ ...common, type: z.literal("referral") }),
  z.strictObject({ ...common, type: z.literal("subscription_month") }),
  z.strictObject({ ...common, type: z.literal("form") }),
  z.strictObject({ ...common, type: z.literal("custom"), key: Key, amount: markAmount.default(1) }),
]);
export type EventFacts = z.output<typeof EventFacts>;

export const EventBody = z.strictObject({ customer: Customer, event: EventFacts });
export type EventBody = z.output<typeof EventBody>;

export const EventOutcome = z.strictObject({
  id: Id,
  status: z.enum(["accepted", "duplicate", "ignored"]),
  reason: z
    .enum(["currency", "archived", "full", "contradicts"])
    .nullable()
    .meta({ description: "Why the event was ignored" }),
  customer_id: Id.nullable().meta({ description: "Id of the aggregate (tcu_)" }),
});
export type EventOutcome = z.output<typeof EventOutcome>;

/** An event as ingested. */
export const TierEvent = z.strictObject({
  ...resourceFields,
  customer_id: Id,
  type: EventType,
  source: z.string(),
  external_id: z.string(),
  source_version: z.int(),
  occurred_at: Instant,
  order_ref: z.string().nullable(),
  amount: z.int().nullable(),
  currency: Currency.nullable(),
  status: z.enum(["accepted", "ignored"]),
  reason: EventOutcome.shape.reason,
  /** Hash of the content, so that a different event with the same id is detected. */
  digest: z.string(),
});
export type TierEvent = z.output<typeof TierEvent>;
