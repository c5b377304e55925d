import { z } from "zod";

import {
  Currency,
  Id,
  Instant,
  LocalDate,
  LocalTime,
  Metadata,
  Minor,
  resourceFields,
  TimeZone,
  urlUpTo,
} from "../../core/schema.ts";
import {
  Anchor,
  Bps,
  CoolingOff,
  Discount,
  FirstPeriod,
  Interval,
  IntervalUnit,
  Line,
  Notice,
  Period,
  Price,
  PriceStep,
  Ref,
  SUBSCRIPTION_LIMITS,
  Taxes,
  Text,
} from "./schema/parts.ts";

const limits = SUBSCRIPTION_LIMITS;

export const planFields = {
  title: Text,
  interval_unit: IntervalUnit,
  interval_count: Interval.shape.count,
  anchor: Anchor,
  cutoff_days: z.int().min(0).max(31).meta({
    description: "A start this close to the first anchored date is delivered from the date after it",
  }),
  first_period: FirstPeriod,
  trial_days: z.int().min(0).max(730),
  min_cycles: z.int().min(0).max(1000),
  max_cycles: z.int().min(1).max(1000).nullable(),
  price_adjustments: z.array(PriceStep).max(limits.priceSteps),
  delivery_every: z
    .int()
    .min(1)
    .max(60)
    .meta({ description: "Deliveries per charge; more than 1 is prepaid" }),
  eligible_products: z.array(Ref).max(200).meta({ description: "Empty: all" }),
  renewal_notice_days: z
    .int()
    .min(1)
    .max(60)
    .nullable()
    .meta({ description: "Mail so many days before a renewal" }),
  active: z.boolean(),
  metadata: Metadata,
};
export const Plan = z.strictObject({ ...resourceFields, ...planFields });
export type Plan = z.output<typeof Plan>;

export const ContractStatus = z.enum([
  "pending",
  "trialing",
  "active",
  "past_due",
  "unpaid",
  "paused",
  "cancelled",
  "expired",
]);
export type ContractStatus = z.output<typeof ContractStatus>;

export const Customer = z.strictObject({
  id: Ref,
  email: z.email().max(254),
  name: z.string().trim().max(120),
});

export const Billing = z.strictObject({
  interval_unit: IntervalUnit,
  interval_count: Interval.shape.count,
  anchor_date: LocalDate.meta({ description: "Start of the cycle anchor_index; later ones count from here" }),
  anchor_day: z.int().min(1).max(31).nullable().meta({
    description: "Day of the month that is meant, also when anchor_date fell into a shorter month",
  }),
  anchor_index: z.int().min(0),
  /** Start of cycle 0 when it is a part of a cycle before the first anchored date. */
  stub_start: LocalDate.nullable(),
  first_period: FirstPeriod,
  cutoff_days: z.int().min(0).max(31),
});
export type Billing = z.output<typeof Billing>;

export const Delivery = z.strictObject({
  method: z.string().trim().max(80),
  address: z.string().trim().max(500),
  slot_ref: Ref.nullable().default(null),
  interval: z.int().min(1).max(60).default(1).meta({ description: "Deliveries per charge" }),
});

export const Override = z.strictObject({
  skip: z.boolean(),
  date: LocalDate.nullable(),
  lines: z.array(Line).max(limits.lines).nullable(),
});
export type Override = z.output<typeof Override>;

export const PauseMode = z.enum(["keep_calendar", "shift"]);
export const CancelReason = z.enum([
  "too_expensive",
  "not_needed",
  "moving",
  "quality",
  "switched",
  "cooling_off",
  "payment",
  "other",
]);

export const Contract = z.strictObject({
  ...resourceFields,
  customer: Customer,
  consumer: z.boolean(),
  status: ContractStatus,
  plan_id: Id.nullable(),
  collection: z.enum(["automatic", "send_invoice"]),
  currency: Currency,
  tax_included: z.boolean(),
  timezone: TimeZone,
  billing_time: LocalTime,
  lines: z.array(Line).min(1).max(limits.lines),
  billing: Billing,
  delivery: Delivery.nullable(),
  delivery_from: LocalDate.meta({
    description: "First delivery; later than the start when that fell into the cut-off",
  }),
  shipping_price: Price,
  shipping_tax_rate_bps: Bps.nullable().meta({ description: "Null: tax of the delivery follows the goods" }),
  discounts: z.array(Discount).max(limits.discounts),
  price_adjustments: z.array(PriceStep).max(limits.priceSteps),
  payment_method_id: Id.nullable(),
  dunning_policy_id: Id.nullable(),
  start_date: LocalDate,
  trial_ends_on: LocalDate.nullable(),
  min_cycles: z.int().min(0),
  max_cycles: z.int().min(1).nullable(),
  current_cycle: z.int().min(0).nullable().meta({ description: "Cycle billed last; null before the first" }),
  current_period: Period.nullable(),
  next_cycle: z.int().min(0).meta({ description: "Cycle that is billed next" }),
  next_billing_date: LocalDate.nullable(),
  overrides: z.record(z.string().regex(/^\d{1,4}$/), Override),
  pending_change: z
    .strictObject({ at_cycle: z.int(), lines: z.array(Line).nullable(), interval: Interval.nullable() })
    .nullable(),
  credit: Minor.meta({ description: "Taken off the next charges" }),
  credit_taxes: Taxes.meta({ description: "Of that, what changes gave back, by rates of tax" }),
  rounding: z.int().default(0).meta({
    description:
      "Millionths of a minor unit that prorations rounded away so far, for the next one to include",
  }),
  carried: z
    .array(z.strictObject({ id: Id, title: Text, amount: Minor, tax: z.int().default(0), taxes: Taxes }))
    .max(limits.carried)
    .meta({ description: "Added to the next charge, tax included" }),
  pause: z
    .strictObject({
      since: Instant,
      resume_on: LocalDate.nullable(),
      mode: PauseMode,
      reason: z.enum(["requested", "no_payment_method", "dunning"]),
      /** Status to which a resume leads back. */
      was: z.enum(["active", "past_due", "trialing"]),
    })
    .nullable(),
  cancellation: z
    .strictObject({
      requested_at: Instant,
      effective_on: LocalDate,
      reason_code: CancelReason,
      comment: z.string().max(500),
      by: z.enum(["merchant", "customer", "dunning"]),
      refund: z.enum(["none", "prorated", "full"]).default("none").meta({
        description:
          "`prorated` is refunded on the day on which the cancellation takes effect, `full` at once",
      }),
    })
    .nullable(),
  overdue: z
    .strictObject({
      since: LocalDate,
      stage: z.string().nullable(),
      block_changes: z.boolean(),
      block_fulfilment: z.boolean(),
    })
    .nullable()
    .meta({ description: "While a charge is unpaid: what the storefront should hold back" }),
  compliance: z.strictObject({
    profile: z.enum(["none", "uk_dmcc"]),
    cooling_off: z.array(CoolingOff).max(20),
    notices: z.array(Notice).max(60),
  }),
  renewal_notice_days: z.int().nullable(),
  next_action_at: Instant.nullable().meta({ description: "When the worker processes it next" }),
  ended_at: Instant.nullable(),
  metadata: Metadata,
});
export type Contract = z.output<typeof Contract>;

export const settingsFields = {
  shop_name: z
    .string()
    .trim()
    .max(80)
    .meta({ description: "Shown in mails and on the page of the customer" }),
  currency: Currency,
  timezone: Contract.shape.timezone,
  tax_included: z.boolean(),
  send_mail: z.boolean(),
  payment_page_url: urlUpTo(500, { protocol: /^https$/ })
    .nullable()
    .meta({
      description: "Page of the shop on which a customer adds a card; the customer's page leads there",
    }),
  invoice_retention_years: z.int().min(0).max(15).meta({
    description:
      "Full calendar years after the year of issue for which an invoice retains the name of an erased customer. 7 covers the six years of HMRC for every financial year; Germany requires 8. 0: names are erased immediately",
  }),
};
/** What a contract has that says nothing else. */
export const Settings = z.strictObject({
  id: z.literal("settings"),
  ...settingsFields,
  updated_at: Instant.nullable(),
});
export type Settings = z.output<typeof Settings>;
