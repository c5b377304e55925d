import { z } from "zod";

import { Id, Instant, LocalDate, LocalTime, Minor, TimeZone } from "../../../core/schema.ts";

/** Named limits of the engine: everything a customer can fill has one. */
export const CATERING_LIMITS = {
  /** Minor units of one price: with `lines` and `quantity` a total stays below 2^53. */
  price: 1_000_000_000,
  quantity: 100_000,
  heads: 20_000,
  lines: 60,
  tiers: 10,
  deposits: 6,
  bands: 12,
  versions: 50,
  dietary: 30,
  /** Of an order: more than a large group names, as what is beyond them is only counted, and one may be an allergy. */
  orderDietary: 200,
  /** Fee lines and payments of one order. */
  fees: 50,
  payments: 100,
  sites: 50,
  costCentres: 100,
  purchaseOrders: 100,
  /** Orders and invoices of one account that are not settled. */
  openItems: 500,
  holidays: 400,
  policies: 50,
  occurrences: 60,
  edits: 200,
  sources: 5,
  rotation: 20,
  previewHeadcounts: 20,
  previewOccurrences: 60,
  invitations: 50,
  /** People who answer for one day by the link of a group. */
  groupAnswers: 1_000,
  /** Mails to them, because somebody answers in their name. */
  groupMails: 10,
  /** A commit holds 200 operations, and an order that is invoiced takes four. */
  invoiceOrders: 40,
  calendarChars: 900_000,
  windowDays: 400,
} as const;

const limits = CATERING_LIMITS;

/** One line that is shown to people. */
export const Text = z.string().trim().min(1).max(200);
export const ShortNote = z.string().trim().max(500);
export const LongText = z.string().trim().max(5000);
/** A name in another system: a product, an address. */
export const Ref = z.string().trim().min(1).max(120);
export const Email = z.email().max(254);
export const Price = z.int().min(0).max(limits.price).meta({ description: "Minor units of the currency" });
export const Bps = z.int().min(0).max(10_000).meta({ description: "Basis points: 2000 is 20%" });
export const Heads = z.int().min(0).max(limits.heads);
export const Code = z.string().trim().min(1).max(40);

const LineType = z.enum([
  "package",
  "per_head",
  "ratio",
  "fixed",
  "staff",
  "equipment",
  "delivery",
  "service_charge",
  "discount",
]);
type LineType = z.output<typeof LineType>;

const Ratio = z.strictObject({
  per: z.int().min(1).max(limits.heads).meta({ description: "One for so many heads, rounded up" }),
  min: z.int().min(0).max(limits.quantity),
});

const VolumeTier = z.strictObject({ from_heads: z.int().min(1).max(limits.heads), unit_price: Price });

export const Line = z.strictObject({
  id: Id,
  type: LineType,
  title: Text,
  product_ref: Ref.nullable(),
  unit_price: Price,
  rate_bps: Bps.nullable().meta({
    description: "service_charge and discount: a share of the food instead of unit_price",
  }),
  quantity: z.int().min(0).max(limits.quantity).nullable().meta({
    description: "Null: the headcount for package and per_head, by rule where there is one, else 1",
  }),
  rule: Ratio.nullable(),
  volume_tiers: z.array(VolumeTier).max(limits.tiers),
  tier_mode: z.enum(["all_units", "graduated"]).meta({
    description: "all_units: one price for all heads; graduated: each step at its own price",
  }),
  tax_rate_bps: Bps,
  optional: z.boolean(),
  selected: z.boolean().meta({ description: "An optional line that is not selected costs nothing" }),
  allergen_refs: z.array(Ref).max(30),
});
export type Line = z.output<typeof Line>;

/** A line as a caller writes it. */
export const NewLine = Line.extend({
  id: Id.optional(),
  product_ref: Line.shape.product_ref.default(null),
  unit_price: Line.shape.unit_price.default(0),
  rate_bps: Line.shape.rate_bps.default(null),
  quantity: Line.shape.quantity.default(null),
  rule: Line.shape.rule.default(null),
  volume_tiers: Line.shape.volume_tiers.default([]),
  tier_mode: Line.shape.tier_mode.default("all_units"),
  tax_rate_bps: Bps.default(0),
  optional: z.boolean().default(false),
  selected: z.boolean().default(true),
  allergen_refs: Line.shape.allergen_refs.default([]),
});
export type NewLine = z.output<typeof NewLine>;
export const NewLines = z.array(NewLine).max(limits.lines);

export const Totals = z.strictObject({
  subtotal: Minor,
  discount: Minor,
  fees: Minor.meta({ description: "Delivery, service charges, and fees of an order" }),
  tax: Minor,
  tax_included: z.boolean(),
  taxes: z.array(z.strictObject({ tax_rate_bps: z.int(), taxable: Minor, tax: Minor })),
  total: Minor,
  per_head: Minor.nullable().meta({ description: "Total over heads, rounded; null without heads" }),
  lines: z
    .array(
      z.strictObject({
        line_id: Id,
        quantity: z.int(),
        amount: z.int().meta({ description: "Before discounts; a discount's own line is negative" }),
        discount: Minor.meta({ description: "The share of all discounts that this line bears" }),
        tax_rate_bps: z.int().nullable().meta({ description: "Null for a discount" }),
        tax: Minor.meta({ description: "After discounts" }),
      }),
    )
    .meta({
      description:
        "The amounts add up to the total, together with the tax of the lines where prices do not include it",
    }),
});
export type Totals = z.output<typeof Totals>;

export const Service = z.enum(["drop_off", "set_up", "full_service", "collection"]);
export const EventInfo = z.strictObject({
  date: LocalDate,
  start: LocalTime,
  end: LocalTime,
  timezone: TimeZone,
  service: Service,
  site: ShortNote.meta({ description: "Where it goes, with access notes" }),
});
export type EventInfo = z.output<typeof EventInfo>;

const Needs = z.array(z.strictObject({ code: Code, count: Heads }));
/** What a shop writes. */
export const Dietary = Needs.max(limits.dietary);
/** What guests have answered, each in words of their own. */
export const OrderDietary = Needs.max(limits.orderDietary);
export type Dietary = z.output<typeof Dietary>;

export const Party = z.strictObject({
  name: Text,
  email: Email,
  company: z.string().trim().max(200),
});
export type Party = z.output<typeof Party>;

const DepositDue = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("acceptance") }),
  z.strictObject({ kind: z.literal("days_before"), days: z.int().min(0).max(365) }),
]);
export const DepositRule = z.strictObject({ bps: Bps.min(1), due: DepositDue });
export type DepositRule = z.output<typeof DepositRule>;
export const Deposit = z.strictObject({
  n: z.int().min(1),
  bps: Bps,
  amount: Minor,
  due: DepositDue,
  due_on: LocalDate.nullable().meta({ description: "Null until acceptance, for one due then" }),
});
export type Deposit = z.output<typeof Deposit>;

export const Terms = z.strictObject({
  kind: z.enum(["prepay", "net", "eom"]).meta({
    description: "net: so many days after the issue; eom: after the end of the month of issue",
  }),
  days: z.int().min(0).max(120),
});
export type Terms = z.output<typeof Terms>;

export const Payment = z.strictObject({
  id: Id,
  at: Instant,
  amount: z.int().meta({ description: "Minor units; a refund is negative" }),
  method: z.enum(["bank_transfer", "card", "cash", "cheque", "direct_debit", "other"]),
  reference: z.string().trim().max(120),
});
export type Payment = z.output<typeof Payment>;
