import { z } from "zod";

import { Id, Instant, LocalDate } from "../../../core/schema.ts";

/** Named limits of the engine: everything a customer can fill has one. */
export const SUBSCRIPTION_LIMITS = {
  /** Minor units of one price: with `lines` and `quantity` a total stays far below 2^53. */
  price: 1_000_000_000,
  quantity: 10_000,
  lines: 50,
  discounts: 20,
  priceSteps: 20,
  overrides: 60,
  /** Attempts that one charge may ever have, those of operators included. */
  attempts: 40,
  refunds: 20,
  /** Decisions that a charge keeps to explain itself. */
  decisions: 50,
  plans: 500,
  policies: 50,
  gateways: 20,
  previewCycles: 24,
  cyclePage: 60,
  /** Lines that wait for the next charge after changes of a contract. */
  carried: 20,
  /** Bytes of a contract that callers may fill; a document holds 64 KB more, for what billing adds. */
  contractBytes: 196_608,
  pauseMonths: 12,
  /** Last day that a caller may name: what is reckoned from it stays a date of four digits. */
  lastDay: "2999-12-31",
} as const;

/** Words that become no part of a key and are shown to people: one line. */
export const Text = z.string().trim().min(1).max(200);
/** A name in another system: a product, a customer, an address. */
export const Ref = z.string().trim().min(1).max(120);
export const Price = z
  .int()
  .min(0)
  .max(SUBSCRIPTION_LIMITS.price)
  .meta({ description: "Minor units of the currency" });
export const Bps = z.int().min(0).max(10_000).meta({ description: "Basis points: 2000 is 20%" });

export const IntervalUnit = z.enum(["day", "week", "month", "year"]);
export const Interval = z.strictObject({
  unit: IntervalUnit,
  count: z.int().min(1).max(400),
});
export type Interval = z.output<typeof Interval>;

export const Anchor = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("none") }),
  z.strictObject({
    type: z.literal("weekday"),
    day: z.int().min(1).max(7).meta({ description: "1 is Monday" }),
  }),
  z.strictObject({
    type: z.literal("monthday"),
    day: z.int().min(1).max(31).meta({ description: "A shorter month bills on its last day" }),
  }),
  z.strictObject({
    type: z.literal("yearday"),
    month: z.int().min(1).max(12),
    day: z.int().min(1).max(31),
  }),
]);
export type Anchor = z.output<typeof Anchor>;

export const FirstPeriod = z.enum(["full", "prorate", "free", "wait"]).meta({
  description: "What the days before the first anchored date cost; wait: nothing happens before it",
});

/** A step of the price: from the cycle of this index on, until a later step takes over. */
export const PriceStep = z.strictObject({
  after_cycle: z.int().min(1).max(1000).meta({ description: "The first cycle has index 0" }),
  kind: z.enum(["percent", "amount", "fixed"]),
  value: z.int().min(0).max(SUBSCRIPTION_LIMITS.price).meta({
    description: "percent: basis points off; amount: off each unit; fixed: the price of each unit",
  }),
});
export type PriceStep = z.output<typeof PriceStep>;

export const Line = z.strictObject({
  id: Id,
  product_ref: Ref,
  variant_ref: Ref.nullable().default(null),
  title: Text,
  quantity: z.int().min(1).max(SUBSCRIPTION_LIMITS.quantity),
  unit_price: Price,
  tax_rate_bps: Bps,
  bundle_id: Id.nullable().default(null),
  offer_ids: z.array(Id).max(10).default([]),
});
export type Line = z.output<typeof Line>;

/** A line as a caller writes it: it gets its id here unless it has one. */
export const NewLine = Line.extend({ id: Id.optional(), tax_rate_bps: Bps.default(0) });
export type NewLine = z.output<typeof NewLine>;
export const NewLines = z
  .array(NewLine)
  .min(1)
  .max(SUBSCRIPTION_LIMITS.lines)
  .superRefine((lines, ctx) => {
    // Prices, discounts and changes go by the id of a line: two of one id would be charged as one.
    const seen = new Set<string>();
    for (const [index, { id }] of lines.entries()) {
      if (id !== undefined && seen.has(id))
        ctx.addIssue({ code: "custom", path: [index, "id"], message: "Two lines have this id." });
      if (id !== undefined) seen.add(id);
    }
  });

/** A discount, bundle price or offer that was decided elsewhere, as the pricing function takes it. */
export const Discount = z.strictObject({
  id: Id,
  title: Text,
  kind: z.enum(["percent", "amount", "fixed", "shipping"]).meta({
    description:
      "percent: basis points off (1000 is 10%); fixed: the lines together cost this; shipping: basis points off the delivery",
  }),
  value: z.int().min(0).max(SUBSCRIPTION_LIMITS.price),
  line_ids: z.array(Id).max(SUBSCRIPTION_LIMITS.lines).nullable().default(null),
  from_cycle: z.int().min(0).max(1000).default(0),
  cycles: z.int().min(1).max(1000).nullable().default(null).meta({ description: "Null: permanently" }),
});
export type Discount = z.output<typeof Discount>;

/** Amounts without tax and their tax by rate: below zero where goods of a rate were given up for others. */
export const Taxes = z
  .array(z.strictObject({ tax_rate_bps: Bps, net: z.int(), tax: z.int() }))
  .max(200)
  .optional();

export const Period = z.strictObject({ start: LocalDate, end: LocalDate });
export type Period = z.output<typeof Period>;

export const FailureCategory = z.enum(["hard", "soft", "action", "method", "inventory", "system", "config"]);
export type FailureCategory = z.output<typeof FailureCategory>;
export const Failure = z.strictObject({
  category: FailureCategory,
  code: z.string().max(80),
  message: z.string().max(300),
});
export type Failure = z.output<typeof Failure>;

export const OverdueStage = z.strictObject({
  days: z.int().min(0).max(365).meta({ description: "Days since the oldest unpaid charge was due" }),
  stage: z.string().regex(/^[a-z0-9_-]{1,40}$/),
  block_changes: z.boolean(),
  block_fulfilment: z.boolean(),
});

const NoticeKind = z.enum(["cooling_off", "trial_ending", "renewal", "reminder"]);
export const Notice = z.strictObject({ kind: NoticeKind, due_on: LocalDate, sent_at: Instant.nullable() });
export type Notice = z.output<typeof Notice>;
export const CoolingOff = z.strictObject({
  from: LocalDate,
  to: LocalDate.meta({ description: "First day on which it is over" }),
  kind: z.enum(["initial", "renewal"]),
});
