import { z } from "zod";

import { Currency, Id, Instant, LocalDate, LocalTime, Metadata } from "../../../core/schema.ts";
import { CancelReason, Contract, Customer, Delivery, PauseMode } from "../schema.ts";
import { ChargeStatus } from "./charge.ts";
import {
  Anchor,
  Bps,
  Discount,
  FirstPeriod,
  Interval,
  NewLines,
  Notice,
  Price,
  PriceStep,
  SUBSCRIPTION_LIMITS,
} from "./parts.ts";

/** What a caller writes of a new contract; what is left out comes from the plan, then from the settings. */
export const ContractDraft = z.strictObject({
  customer: Customer,
  consumer: z.boolean().default(true),
  plan_id: Id.optional(),
  collection: Contract.shape.collection.default("automatic"),
  currency: Currency.optional(),
  tax_included: z.boolean().optional(),
  timezone: Contract.shape.timezone.optional(),
  billing_time: LocalTime.default("10:00"),
  lines: NewLines,
  interval: Interval.optional(),
  anchor: Anchor.optional(),
  first_period: FirstPeriod.optional(),
  cutoff_days: z.int().min(0).max(31).optional(),
  trial_days: z.int().min(0).max(730).optional(),
  min_cycles: z.int().min(0).max(1000).optional(),
  max_cycles: z.int().min(1).max(1000).nullable().optional(),
  price_adjustments: z.array(PriceStep).max(SUBSCRIPTION_LIMITS.priceSteps).optional(),
  delivery: Delivery.nullable().default(null),
  shipping_price: Price.default(0),
  shipping_tax_rate_bps: Bps.nullable().default(null),
  discounts: z.array(Discount).max(SUBSCRIPTION_LIMITS.discounts).default([]),
  payment_method_id: Id.nullable().default(null),
  dunning_policy_id: Id.nullable().default(null),
  start_date: LocalDate.optional(),
  compliance_profile: z.enum(["none", "uk_dmcc"]).default("none"),
  renewal_notice_days: z.int().min(1).max(60).nullable().optional(),
  metadata: Metadata.default({}),
});

export const ChangeRequest = z.strictObject({
  lines: NewLines.optional(),
  interval: Interval.optional(),
  effective: z.enum(["now", "cycle_end"]).default("now"),
  proration: z.enum(["day", "second", "none"]).default("day"),
  settle: z.enum(["now", "next_cycle"]).default("now").meta({
    description:
      "When a difference in the shop's favour is collected (now also where no cycle follows); one in the customer's is credited at once",
  }),
});

export const PauseRequest = z.strictObject({
  resume_on: LocalDate.nullable().default(null),
  mode: PauseMode.default("keep_calendar").meta({
    description: "keep_calendar: the dates stay; shift: they are counted from the day of resuming",
  }),
});

export const CancelRequest = z.strictObject({
  at: z.enum(["now", "cycle_end", "date"]).default("cycle_end"),
  date: LocalDate.optional(),
  reason_code: CancelReason.default("other"),
  comment: z.string().trim().max(500).default(""),
  refund: z
    .enum(["none", "prorated", "full"])
    .default("none")
    .meta({ description: "Of the cycles that are not over" }),
});

/** A cycle as it was billed, or as it will be if nothing changes. */
export const CycleView = z.object({
  index: z.int(),
  start: LocalDate,
  end: LocalDate,
  billing_date: LocalDate,
  billing_at: Instant,
  delivery_dates: z.array(LocalDate),
  status: z.enum(["upcoming", "skip_planned", ...ChargeStatus.options]),
  charge_id: Id.nullable(),
  total: z.int().nonnegative(),
  amount_due: z.int().nonnegative(),
});
export type CycleView = z.output<typeof CycleView>;

export const PreviewRequest = z.strictObject({
  contract: ContractDraft.optional().meta({ description: "A contract that does not exist yet" }),
  contract_id: Id.optional().meta({ description: "Or one that does" }),
  change: ChangeRequest.optional().meta({ description: "What it would be after this change" }),
  as_of: Instant.optional().meta({ description: "Instant of the preview. Default: now" }),
  cycles: z.int().min(1).max(SUBSCRIPTION_LIMITS.previewCycles).default(6),
});

const Step = z.object({ step: z.string(), id: z.string().nullable(), detail: z.string(), amount: z.int() });
export const ProrationView = z.object({
  credit: z.int(),
  debit: z.int(),
  net: z.int(),
  unused: z.int(),
  whole: z.int(),
  unit: z.enum(["days", "seconds"]),
});
export type Proration = z.output<typeof ProrationView>;
export const PreviewAnswer = z.object({
  currency: Currency,
  timezone: z.string(),
  billing: Contract.shape.billing,
  delivery_from: LocalDate,
  cycles: z.array(
    CycleView.extend({
      subtotal: z.int(),
      discount: z.int(),
      shipping: z.int(),
      tax: z.int(),
      tax_included: z.boolean(),
      credit_applied: z.int(),
      trace: z.array(Step).meta({ description: "How the total came about" }),
    }),
  ),
  proration: ProrationView.nullable(),
  dunning: z.array(z.object({ at: Instant, why: z.string() })).meta({
    description: "Retries of the first of these cycles, if it failed for want of funds each time",
  }),
  notices: z.array(Notice),
});
export type PreviewAnswer = z.output<typeof PreviewAnswer>;
