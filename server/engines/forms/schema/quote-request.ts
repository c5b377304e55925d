import { z } from "zod";

import { Currency, Id, Instant, LocalDate, LocalTime, Minor, resourceFields } from "../../../core/schema.ts";
import { FORMS_LIMITS } from "../data/limits.ts";
import { Email } from "../schema.ts";

export const QuoteRequestStatus = z.enum([
  "new",
  "triaged",
  "quoted",
  "accepted",
  "converted",
  "declined",
  "withdrawn",
  "expired",
  "spam",
]);
export type QuoteRequestStatus = z.output<typeof QuoteRequestStatus>;

const Line = z.string().trim().max(300);

const Customer = z.strictObject({
  name: Line,
  email: Email.nullable(),
  phone: z.string().trim().max(40).nullable(),
  company: Line.nullable(),
});

const Event = z.strictObject({
  date: LocalDate.nullable(),
  time: LocalTime.nullable(),
  guests: z.int().min(1).max(20_000).nullable(),
  postcode: z.string().trim().max(20).nullable(),
  address: z.string().trim().max(500).nullable(),
});

const Item = z.strictObject({
  ref: z.string().trim().max(120).nullable(),
  name: z.string().trim().min(1).max(200),
  qty: z.int().min(1).max(100_000),
});

/** Writable fields of a quote request. */
const quoteRequestFields = {
  customer: Customer,
  event: Event,
  items: z.array(Item).max(FORMS_LIMITS.quoteItems),
  dietary: z.array(z.string().trim().min(1).max(40)).max(30),
  allergens: z.array(z.string().trim().min(1).max(40)).max(30),
  budget: z.strictObject({ minor: Minor, currency: Currency }).nullable(),
  message: z.string().trim().max(FORMS_LIMITS.textChars),
  deadline_at: Instant.nullable().meta({ description: "Date by which the customer needs a response" }),
  assignee: z.string().trim().max(120).nullable(),
};

const TimelineEntry = z.strictObject({
  at: Instant,
  what: z.enum(["received", ...QuoteRequestStatus.exclude(["new"]).options, "restored", "edited"]),
  by: z.enum(["customer", "shop", "catering", "time"]),
  note: z.string().max(500),
});
export type TimelineEntry = z.output<typeof TimelineEntry>;

export const QuoteRequest = z.strictObject({
  ...resourceFields,
  number: z.int().positive(),
  form_id: Id.nullable(),
  submission_id: Id.nullable(),
  status: QuoteRequestStatus,
  ...quoteRequestFields,
  quote_id: Id.nullable().meta({ description: "Id of the quote in /v1/catering/quotes" }),
  lost_reason: z.string().max(500).nullable(),
  sla_due_at: Instant.nullable(),
  timeline: z.array(TimelineEntry).max(FORMS_LIMITS.timeline),
});
export type QuoteRequest = z.output<typeof QuoteRequest>;

export const NewQuoteRequest = z.strictObject({
  customer: Customer.extend({
    email: Email.nullable().default(null),
    phone: Customer.shape.phone.default(null),
    company: Line.nullable().default(null),
  }),
  event: Event.extend({
    date: LocalDate.nullable().default(null),
    time: LocalTime.nullable().default(null),
    guests: Event.shape.guests.default(null),
    postcode: Event.shape.postcode.default(null),
    address: Event.shape.address.default(null),
  }).prefault({}),
  items: quoteRequestFields.items.default([]),
  dietary: quoteRequestFields.dietary.default([]),
  allergens: quoteRequestFields.allergens.default([]),
  budget: quoteRequestFields.budget.default(null),
  message: quoteRequestFields.message.default(""),
  deadline_at: Instant.nullable().default(null),
  assignee: quoteRequestFields.assignee.default(null),
});
export type NewQuoteRequest = z.output<typeof NewQuoteRequest>;

export const QuoteRequestPatch = z.strictObject(quoteRequestFields).partial();
export type QuoteRequestPatch = z.output<typeof QuoteRequestPatch>;

/** Content of the catering quote; omitted fields are taken from the request. */
export const QuoteTerms = z.strictObject({
  title: z.string().trim().min(1).max(200).optional(),
  lines: z
    .array(
      z.strictObject({
        type: z.enum(["per_head", "fixed"]),
        title: z.string().trim().min(1).max(200),
        unit_price: Minor.max(FORMS_LIMITS.quotePrice).meta({ description: "Minor units of the currency" }),
        quantity: z.int().min(1).max(100_000).optional(),
        tax_rate_bps: z.int().min(0).max(10_000).default(0),
      }),
    )
    .max(FORMS_LIMITS.quoteItems)
    .optional()
    .meta({ description: "Default: the requested items without prices" }),
  date: LocalDate.optional(),
  start: LocalTime.optional(),
  end: LocalTime.optional(),
  guests: z.int().min(1).max(20_000).optional(),
});
export type QuoteTerms = z.output<typeof QuoteTerms>;
