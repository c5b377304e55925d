import { z } from "zod";

import { Currency, Id, Instant, LocalDate, Minor, resourceFields } from "../../../core/schema.ts";
import { Failure, FailureCategory, Period, SUBSCRIPTION_LIMITS, Taxes, Text } from "./parts.ts";

const AttemptState = z.enum(["claimed", "succeeded", "failed", "requires_action", "pending", "unknown"]);
type AttemptState = z.output<typeof AttemptState>;

export const Attempt = z.strictObject({
  id: z.string().max(80).meta({ description: "<charge>-<n>; also the gateway's idempotency key" }),
  n: z.int().min(1),
  gateway_id: Id,
  payment_method_id: Id.nullable(),
  amount: Minor,
  state: AttemptState,
  gateway_ref: z.string().max(200).nullable(),
  failure: Failure.nullable(),
  action_url: z.string().max(2000).nullable(),
  claimed_at: Instant,
  lease_until: Instant.meta({ description: "Until then its worker is left alone" }),
  resolved_at: Instant.nullable(),
  lookups: z.int().min(0),
  next_lookup_at: Instant.nullable(),
  params_hash: z.string(),
});
export type Attempt = z.output<typeof Attempt>;

export const Refund = z.strictObject({
  id: z.string().max(80),
  amount: Minor,
  reason: z.string().max(200),
  state: z.enum(["pending", "succeeded", "failed"]),
  gateway_ref: z.string().max(200).nullable(),
  failure: z.string().max(300).nullable(),
  tries: z.int().min(0),
  next_try_at: Instant.nullable(),
  created_at: Instant,
  resolved_at: Instant.nullable(),
});
export type Refund = z.output<typeof Refund>;

export const ChargeStatus = z.enum([
  "scheduled",
  "processing",
  "pending_manual",
  "requires_action",
  "unknown",
  "retrying",
  "succeeded",
  "partially_refunded",
  "refunded",
  "exhausted",
  "skipped",
  "voided",
]);
export type ChargeStatus = z.output<typeof ChargeStatus>;

const Decision = z.strictObject({ at: Instant, why: z.string().max(400) });

const ChargeLine = z.strictObject({
  id: z.string().max(80),
  product_ref: z.string().nullable(),
  variant_ref: z.string().nullable(),
  title: Text,
  quantity: z.int(),
  unit_price: z.int(),
  tax_rate_bps: z.int(),
  subtotal: z.int(),
  discount: z.int(),
  tax: z.int(),
});

export const Charge = z.strictObject({
  ...resourceFields,
  contract_id: Id,
  cycle_index: z.int().min(0),
  kind: z.enum(["setup", "recurring", "adjustment", "one_off"]),
  change_id: Id.nullable(),
  period: Period,
  currency: Currency,
  lines: z.array(ChargeLine).max(SUBSCRIPTION_LIMITS.lines + SUBSCRIPTION_LIMITS.carried),
  subtotal: z.int().meta({ description: "Below zero only on an adjustment between rates of tax" }),
  discount: Minor,
  shipping: Minor,
  tax: z.int(),
  tax_included: z.boolean(),
  carried: Minor.meta({ description: "From changes of the contract, tax included" }),
  carried_tax: z.int().default(0).meta({ description: "Of that, tax" }),
  carried_taxes: Taxes.meta({ description: "`carried` by rates of tax" }),
  total: Minor,
  credit_applied: Minor,
  credit_taxes: Taxes.meta({ description: "Of that, what changes gave back, by rates of tax" }),
  amount_due: Minor.meta({ description: "total - credit_applied: what is collected" }),
  status: ChargeStatus,
  due_at: Instant,
  dunning: z.strictObject({
    stage: z.int().min(0).meta({ description: "Failed attempts so far" }),
    first_failed_at: Instant.nullable(),
    next_retry_at: Instant.nullable(),
    give_up_at: Instant.nullable().meta({
      description: "The charge is exhausted then unless the payment method changes",
    }),
    category: FailureCategory.nullable(),
    /** Ladder steps used, by the clock they follow. */
    system_retries: z.int().min(0),
  }),
  decisions: z
    .array(Decision)
    .max(SUBSCRIPTION_LIMITS.decisions)
    .meta({ description: "The reasons for what was done, oldest first" }),
  attempts: z.array(Attempt).max(SUBSCRIPTION_LIMITS.attempts),
  refunds: z.array(Refund).max(SUBSCRIPTION_LIMITS.refunds),
  review: z
    .strictObject({
      reason: z.enum(["unresolved", "double_payment"]),
      attempt_id: z.string(),
      since: Instant,
    })
    .nullable()
    .meta({ description: "Set when a person has to look at it" }),
  dispute: z
    .strictObject({
      gateway_ref: z.string().max(200),
      amount: Minor,
      reason: z.string().max(80),
      status: z.enum(["needs_response", "under_review", "won", "lost", "closed"]),
      respond_by: Instant.nullable().meta({ description: "Until then the gateway takes evidence" }),
      updated_at: Instant,
    })
    .nullable()
    .default(null)
    .meta({ description: "The customer disputes the payment at the bank" }),
  order_ref: z.string().nullable(),
  coverage: z
    .strictObject({
      change_id: Id,
      lines_price: Minor.meta({ description: "Of the whole period, tax included, delivery aside" }),
      adjusted: z.int().meta({ description: "Charged (negative: credited) for the period by changes" }),
      refunds_set_off: Minor.meta({ description: "Refunds that made the credit of a change smaller" }),
      unused: z.int().meta({ description: "Of `whole`: what was left of the period at the latest change" }),
      whole: z.int(),
      ends_on: LocalDate.meta({
        description: "End of the paid time; earlier than the period's after a change of interval",
      }),
    })
    .nullable()
    .default(null)
    .meta({ description: "What the period costs since the contract changed within it; null: as charged" }),
  paid_at: Instant.nullable(),
  payment_reference: z.string().max(200).nullable(),
  voided_reason: z.string().max(200).nullable(),
});
export type Charge = z.output<typeof Charge>;
