import type { Shop } from "../../../core/shop.ts";
import { z } from "zod";

import { Currency, LocalDate, Minor, resourceFields, TimeZone, urlUpTo } from "../../../core/schema.ts";

/** Limits of the engine: everything a customer can create has one. */
export const TIER_LIMITS = {
  programmes: 20,
  levels: 12,
  criteria: 8,
  benefits: 12,
  /** Orders and other events that one member's ledger holds; older ones are folded into sums. */
  orders: 400,
  marks: 300,
  categoriesPerOrder: 12,
  overrides: 20,
  eventsPerBatch: 1_000,
  eventsPerEvaluation: 200,
  amount: 1_000_000_000_000,
} as const;

/** Limit of amounts that keeps every sum of a whole ledger exact. */
export const Amount = Minor.max(TIER_LIMITS.amount);

export const Metric = z.enum([
  "spend",
  "orders",
  "aov",
  "recency_days",
  "points",
  "reviews",
  "referrals",
  "subscription_months",
  "forms",
  "channel_spend",
  "category_spend",
  "custom",
]);
export type Metric = z.output<typeof Metric>;

/** Names of channels, categories and custom events. */
export const Key = z.string().regex(/^[a-z0-9_-]{1,40}$/, "Expected lower-case letters, digits, - and _.");

export const Window = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("rolling"), months: z.int().min(1).max(36) }),
  z.strictObject({ type: z.literal("calendar") }),
  z.strictObject({ type: z.literal("anniversary") }),
  z.strictObject({ type: z.literal("lifetime") }),
  z.strictObject({ type: z.literal("since_tier") }),
]);
export type Window = z.output<typeof Window>;

const KEYED: ReadonlySet<Metric> = new Set<Metric>(["channel_spend", "category_spend", "custom"]);

/** `lte` is for recency only: for everything else more is better, so that a purchase never causes a downgrade. */
export const Criterion = z
  .strictObject({
    metric: Metric,
    key: Key.nullable()
      .default(null)
      .meta({ description: "The channel, category or custom event; null for the other metrics" }),
    op: z.enum(["gte", "lte"]).default("gte"),
    value: Amount.meta({ description: "Minor units for money, otherwise a count or days" }),
    window: Window,
  })
  .refine(({ metric, key }) => KEYED.has(metric) === (key !== null), {
    path: ["key"],
    message: "channel_spend, category_spend and custom require a key; other metrics must not have one.",
  })
  .refine(({ metric, op }) => (metric === "recency_days") === (op === "lte"), {
    path: ["op"],
    message: "recency_days requires lte; all other metrics require gte.",
  });
export type Criterion = z.output<typeof Criterion>;

const some = z.array(Criterion).min(1).max(TIER_LIMITS.criteria);
const Node = z.union([Criterion, z.strictObject({ all: some }), z.strictObject({ any: some })]);
const nodes = z.array(Node).max(TIER_LIMITS.criteria);
/** A tree of two levels; an empty `all` is true. */
export const Criteria = z.union([z.strictObject({ all: nodes }), z.strictObject({ any: nodes.min(1) })]);
export type Criteria = z.output<typeof Criteria>;

export const Benefit = z.strictObject({
  kind: z.enum(["discount_offer", "free_delivery", "early_access", "points_multiplier", "gift", "custom"]),
  ref: z.string().trim().max(80).default("").meta({ description: "The offer or product concerned" }),
  value: z.int().min(0).max(1_000_000).default(0).meta({ description: "Percent, hours, a factor in bps" }),
  title: z.string().trim().min(1).max(120).meta({ description: "As shown in mails" }),
});
export type Benefit = z.output<typeof Benefit>;

export const LevelId = z
  .string()
  .regex(/^lvl_[A-Za-z0-9]{1,40}$/, "Expected lvl_ followed by up to 40 letters and digits.");

export const Level = z.strictObject({
  id: LevelId,
  name: z.string().trim().min(1).max(60),
  rank: z
    .int()
    .min(0)
    .max(TIER_LIMITS.levels - 1)
    .meta({ description: "0 is the base level of all customers" }),
  entry: Criteria,
  retain: Criteria.nullable().default(null).meta({ description: "Null: the same as entry" }),
  benefits: z.array(Benefit).max(TIER_LIMITS.benefits).default([]),
  badge: z.string().trim().max(300).default(""),
  colour: z
    .string()
    .regex(/^#[0-9a-f]{6}$/, "Expected a colour such as #c0a060.")
    .nullable()
    .default(null),
});
export type Level = z.output<typeof Level>;

export const Term = z.strictObject({
  type: z.enum(["immediate", "rolling", "calendar", "absolute", "lifetime"]).meta({
    description:
      "immediate: the level the customer qualifies for at any time; rolling: months from the upgrade; calendar: until " +
      "the end of the next year; absolute: until the next cycle of that many months from start_date; lifetime: without " +
      "end",
  }),
  months: z.int().min(1).max(60).default(12),
  round_to: z
    .enum(["none", "month", "quarter", "half", "year"])
    .default("none")
    .meta({ description: "A rolling term is extended to the end of the period in which it would end" }),
});
export type Term = z.output<typeof Term>;

const Days = z.int().min(0).max(730);

/** The writable fields of a programme. */
export const programmeFields = {
  name: z.string().trim().min(1).max(80),
  timezone: TimeZone,
  currency: Currency,
  spend_basis: z.enum(["net_goods", "net_incl_shipping_tax", "gross"]).meta({
    description: "gross: before discounts, with shipping and tax",
  }),
  order_counts_when: z.enum(["paid", "fulfilled", "after_return_window"]),
  return_window_days: Days,
  refund_dating: z
    .enum(["original_order", "refund_date"])
    .meta({ description: "Day from which a refund is deducted" }),
  start_date: LocalDate.meta({ description: "Lifetime windows and absolute cycles start here" }),
  term: Term,
  downgrade: z.enum(["one_down", "to_qualified", "to_base"]),
  evidence: z.enum(["window", "fresh"]).meta({
    description:
      "window: everything in a criterion's window counts; fresh: what reached or renewed a level does not count for " +
      "that level again, so that each term must be earned",
  }),
  grace_days: Days,
  protection_days: Days.meta({
    description: "Days after an upgrade during which the end of a term does not cause a drop",
  }),
  on_refund: z.enum(["immediate", "at_review"]),
  refund_reversal_days: Days.meta({
    description: "Maximum age in days of an upgrade that a refund can undo",
  }),
  notice_days: z
    .array(z.int().min(1).max(180))
    .max(4)
    .meta({ description: "Days before the end of a term when the customer is notified of losing the level" }),
  guard: z
    .strictObject({ down_bps: z.int().min(0).max(10_000), down_count: z.int().min(0).max(1_000_000) })
    .meta({ description: "A recalculation that moves more members down than either limit requires confirm" }),
  min_members: z.int().min(1).max(100_000).meta({ description: "Minimum number of members for RFM" }),
  mail: z
    .strictObject({
      send: z.boolean(),
      shop_name: z.string().trim().max(80),
      shop_url: z.union([z.literal(""), urlUpTo(300, { protocol: /^https?$/ })]),
    })
    .meta({ description: "Mail is sent to members whose e-mail address is known from an event" }),
  levels: z.array(Level).min(1).max(TIER_LIMITS.levels),
};
/** The rules of a programme: everything that determines tiers. */
export const Rules = z.strictObject(programmeFields);
export type Rules = z.output<typeof Rules>;

/** Defaults of a new programme. */
export const programmeDefaults = {
  timezone: "Europe/London",
  currency: "GBP",
  spend_basis: "net_goods",
  order_counts_when: "paid",
  return_window_days: 14,
  refund_dating: "original_order",
  start_date: "2000-01-01",
  term: { type: "rolling", months: 12, round_to: "none" },
  downgrade: "one_down",
  evidence: "window",
  grace_days: 0,
  protection_days: 0,
  on_refund: "immediate",
  refund_reversal_days: 30,
  notice_days: [30, 7],
  guard: { down_bps: 500, down_count: 50 },
  min_members: 25,
  mail: { send: true, shop_name: "", shop_url: "" },
} as const;

/** Fields that programmes of schema version 1 lack. */
export const programmeAdditions = { evidence: programmeDefaults.evidence };

const fields = programmeFields;
const defaults = programmeDefaults;
export const ProgrammeDraft = z.strictObject({
  ...fields,
  timezone: fields.timezone
    .optional()
    .meta({ description: "IANA time zone. Default: that of the store's profile" }),
  currency: fields.currency.optional().meta({ description: "Default: that of the store's profile" }),
  spend_basis: fields.spend_basis.default(defaults.spend_basis),
  order_counts_when: fields.order_counts_when.default(defaults.order_counts_when),
  return_window_days: fields.return_window_days.default(defaults.return_window_days),
  refund_dating: fields.refund_dating.default(defaults.refund_dating),
  start_date: fields.start_date.default(defaults.start_date),
  term: fields.term.default({ ...defaults.term }),
  downgrade: fields.downgrade.default(defaults.downgrade),
  evidence: fields.evidence.default(defaults.evidence),
  grace_days: fields.grace_days.default(defaults.grace_days),
  protection_days: fields.protection_days.default(defaults.protection_days),
  on_refund: fields.on_refund.default(defaults.on_refund),
  refund_reversal_days: fields.refund_reversal_days.default(defaults.refund_reversal_days),
  notice_days: fields.notice_days.default([...defaults.notice_days]),
  guard: fields.guard.default({ ...defaults.guard }),
  min_members: fields.min_members.default(defaults.min_members),
  mail: fields.mail.default({ ...defaults.mail }),
});

/** The rules of a draft, in the zone and the currency of a shop where it has none. */
export const draftRules = (
  draft: z.output<typeof ProgrammeDraft>,
  shop: Pick<Shop, "time_zone" | "currency"> | null,
): Rules => ({
  ...draft,
  timezone: draft.timezone ?? shop?.time_zone ?? defaults.timezone,
  currency: draft.currency ?? shop?.currency ?? defaults.currency,
});

export const Programme = z.strictObject({
  ...resourceFields,
  ...programmeFields,
  status: z
    .enum(["draft", "active", "archived"])
    .meta({ description: "Only one programme is published per store" }),
  published_version: z.int().nonnegative().meta({
    description:
      "Number of the published version; 0: never published. Changes take effect with the next publication",
  }),
  published_at: z.string().nullable(),
});
export type Programme = z.output<typeof Programme>;

/** A published programme: tiers are determined by this, not by the draft. */
export const Published = z.strictObject({
  id: z.string(),
  programme_id: z.string(),
  programme_version: z.int().positive(),
  rules: Rules,
  /** Of a draft under recalculation: the published programme that it is compared with. */
  replaces: z.string().nullable().optional(),
});
export type Published = z.output<typeof Published>;
