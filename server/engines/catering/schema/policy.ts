import { z } from "zod";

import { LocalTime, resourceFields } from "../../../core/schema.ts";
import { Bps, CATERING_LIMITS, DepositRule, Heads, Price, Text } from "./parts.ts";

const limits = CATERING_LIMITS;

export const Cutoff = z.strictObject({
  business_days_before: z.int().min(0).max(60),
  at: LocalTime.meta({ description: "Local time; on time is strictly before it" }),
});
export type Cutoff = z.output<typeof Cutoff>;

export const FeeBand = z.strictObject({
  cutoff: Cutoff,
  fee_bps: Bps.meta({ description: "Share of the base while the cutoff is ahead" }),
  min_heads: Heads.default(0),
  max_heads: Heads.nullable().default(null),
});
export type FeeBand = z.output<typeof FeeBand>;

const Multiplier = z
  .int()
  .min(10_000)
  .max(100_000)
  .meta({ description: "What an extra head costs: 15000 is one and a half times its price" });

export const IncreaseBand = z.strictObject({ cutoff: Cutoff, multiplier_bps: Multiplier });
export type IncreaseBand = z.output<typeof IncreaseBand>;

export const policyTerms = {
  lead_time_hours: z.int().min(0).max(2160).meta({ description: "From sending a quote to the event" }),
  min_spend: Price.meta({
    description:
      "Least that the food of a quote may cost when it is sent or accepted. Fewer heads of an order are a matter of reduce_bands",
  }),
  capacity: Heads.nullable().meta({ description: "Most heads of one event; null is no limit" }),
  cancel_bands: z.array(FeeBand).max(limits.bands),
  late_cancel_bps: Bps.meta({ description: "Fee when every cutoff has passed" }),
  reduce_bands: z.array(FeeBand).max(limits.bands),
  late_reduce_bps: Bps,
  guarantee: Cutoff.meta({ description: "From here on the guaranteed count can only rise" }),
  increase_bands: z.array(IncreaseBand).max(limits.bands),
  late_increase_bps: Multiplier,
  deposits: z
    .array(DepositRule)
    .max(limits.deposits)
    .refine((rules) => rules.reduce((all, { bps }) => all + bps, 0) <= 10_000, "Add up to 100% at most."),
  retain_deposit_bps: Bps.meta({ description: "Share of paid deposits that is kept on cancellation" }),
  fee_tax_rate_bps: Bps,
  valid_days: z
    .int()
    .min(1)
    .max(365)
    .meta({ description: "Days for which a quote is valid. Default of `valid_until`" }),
};
export const PolicyTerms = z.strictObject(policyTerms);
export type PolicyTerms = z.output<typeof PolicyTerms>;

export const policyFields = { title: Text, ...policyTerms, active: z.boolean() };
export const Policy = z.strictObject({ ...resourceFields, ...policyFields });
export type Policy = z.output<typeof Policy>;
