import { z } from "zod";

import {
  Currency,
  Id,
  Instant,
  LocalDate,
  Metadata,
  Minor,
  resourceFields,
  TimeZone,
} from "../../core/schema.ts";
import {
  Bps,
  CATERING_LIMITS,
  Deposit,
  Dietary,
  Email,
  EventInfo,
  Heads,
  Line,
  LongText,
  Party,
  Text,
  Totals,
} from "./schema/parts.ts";
import { PolicyTerms } from "./schema/policy.ts";

export const QuoteStatus = z.enum([
  "draft",
  "sent",
  "viewed",
  "awaiting_approval",
  "accepted",
  "declined",
  "expired",
  "withdrawn",
  "converted",
]);
export type QuoteStatus = z.output<typeof QuoteStatus>;

const Headcount = z.strictObject({ estimate: Heads, min: Heads, max: Heads });

export const Acceptance = z.strictObject({
  v: z.int().positive(),
  hash: z.string(),
  name: Text,
  email: Email,
  at: Instant,
  po_number: z.string().max(60).nullable(),
  cost_centre: z.string().max(40).nullable(),
  by: z.enum(["link", "api"]),
});
export type Acceptance = z.output<typeof Acceptance>;

const Approval = z.strictObject({
  reason: z.enum(["above_amount", "over_budget"]),
  approver_email: Email.nullable(),
  decided_at: Instant.nullable(),
  decision: z.enum(["approved", "rejected"]).nullable(),
});

/** What a customer agrees to: these members, as they were sent, are what the hash of a version is made of. */
const quoteContent = {
  title: Text,
  currency: Currency,
  tax_included: z.boolean(),
  lines: z.array(Line).max(CATERING_LIMITS.lines),
  totals: Totals,
  deposit_schedule: z.array(Deposit).max(CATERING_LIMITS.deposits),
  event: EventInfo,
  headcount: Headcount,
  dietary: Dietary,
  terms: LongText.meta({ description: "Text of the terms, shown with the quote" }),
  policy: PolicyTerms.meta({ description: "Deadlines and fees that hold for it" }),
  valid_until: Instant,
};

export const Quote = z.strictObject({
  ...resourceFields,
  /** Runs per store, as printed on the quote. */
  number: z.int().positive(),
  account_id: Id.nullable(),
  prospect: Party.nullable().meta({ description: "Who it is for where there is no account" }),
  status: QuoteStatus,
  current_version: z.int().nonnegative(),
  total: Minor,
  ...quoteContent,
  policy_id: Id.nullable(),
  hash: z
    .string()
    .nullable()
    .meta({ description: "Of the current version as it was sent; null for a draft" }),
  sent_at: Instant.nullable(),
  sent_to: Email.nullable(),
  first_viewed_at: Instant.nullable(),
  acceptance: Acceptance.nullable(),
  approval: Approval.nullable(),
  closed_reason: z.string().max(500).meta({ description: "Why it was declined or withdrawn" }),
  order_id: Id.nullable(),
  reminders: z.array(z.int()).meta({ description: "Days before the end at which a reminder went out" }),
  metadata: Metadata,
});
export type Quote = z.output<typeof Quote>;

/** A version as it was sent. It is never changed (C1). */
export const QuoteVersion = z.strictObject({
  ...resourceFields,
  quote_id: Id,
  number: z.int().positive(),
  v: z.int().positive(),
  hash: z.string(),
  sent_at: Instant,
  sent_to: Email,
  content: z.strictObject(quoteContent),
});
export type QuoteVersion = z.output<typeof QuoteVersion>;

export const settingsFields = {
  shop_name: z.string().trim().max(120),
  shop_address: z.string().trim().max(500),
  vat_no: z.string().trim().max(40),
  bank_details: z
    .string()
    .trim()
    .max(500)
    .meta({ description: "Printed on invoices, and on quotes with a deposit" }),
  currency: Currency,
  timezone: TimeZone,
  tax_included: z.boolean(),
  terms: LongText.meta({ description: "Terms of a new quote" }),
  policy_id: Id.nullable().meta({ description: "Policy of a new quote; null is the built-in one" }),
  holidays: z
    .array(z.strictObject({ date: LocalDate, title: Text }))
    .max(CATERING_LIMITS.holidays)
    .meta({ description: "Days that are not business days, in addition to Saturday and Sunday" }),
  late_interest: z
    .strictObject({ enabled: z.boolean(), base_rate_bps: Bps })
    .meta({ description: "Statutory interest between businesses: 8% above this base rate" }),
  invoice_retention_years: z.int().min(0).max(15).meta({
    description:
      "Full years after the one of its issue in which an invoice keeps the name of a customer who is erased: 7 covers the six of HMRC whenever the books are closed, Germany asks for 8; 0 keeps none",
  }),
  send_mail: z.boolean(),
};
export const Settings = z.strictObject({
  id: z.literal("settings"),
  ...settingsFields,
  feed_generation: z.int().min(0).meta({ description: "Rises when the address of the calendar is renewed" }),
  updated_at: Instant.nullable(),
});
export type Settings = z.output<typeof Settings>;
