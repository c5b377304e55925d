import { z } from "zod";

import { Currency, Id, Instant, LocalDate, Metadata, Minor, resourceFields } from "../../../core/schema.ts";
import { CATERING_LIMITS, Party, Payment, Terms, Text } from "./parts.ts";

const limits = CATERING_LIMITS;

export const InvoiceStatus = z.enum([
  "draft",
  "issued",
  "partially_paid",
  "paid",
  "overdue",
  "disputed",
  "written_off",
  "void",
]);
export type InvoiceStatus = z.output<typeof InvoiceStatus>;

export const InvoiceItem = z.strictObject({
  title: Text,
  quantity: z.int().nonnegative(),
  unit_price: Minor.meta({ description: "Without VAT, before discounts, rounded" }),
  discount: Minor.meta({ description: "Without VAT" }),
  tax_rate_bps: z.int(),
  net: Minor.meta({ description: "Without VAT, after discounts" }),
  tax: Minor,
  total: Minor,
});
export type InvoiceItem = z.output<typeof InvoiceItem>;

export const InvoiceLine = z.strictObject({
  order_id: Id,
  order_number: z.int(),
  title: Text,
  delivered_on: LocalDate,
  heads: z.int().nonnegative(),
  po_number: z.string().nullable(),
  cost_centre: z.string().nullable(),
  items: z.array(InvoiceItem).default([]).meta({ description: "They add up to net, tax and total" }),
  net: Minor,
  tax: Minor,
  total: Minor,
});

export const Invoice = z.strictObject({
  ...resourceFields,
  number: z.int().positive().nullable().meta({ description: "Assigned when it is issued" }),
  account_id: Id.nullable(),
  bill_to: Party.extend({ address: z.string().max(500).default("") }),
  status: InvoiceStatus,
  currency: Currency,
  orders: z.array(InvoiceLine).min(1).max(limits.invoiceOrders),
  terms: Terms,
  issued_on: LocalDate.nullable(),
  due_on: LocalDate,
  net: Minor,
  tax: Minor,
  taxes: z.array(z.strictObject({ tax_rate_bps: z.int(), net: Minor, tax: Minor })).default([]),
  total: Minor,
  prepaid: Minor.meta({ description: "Deposits and payments of the orders before the invoice" }),
  payments: z.array(Payment).max(limits.payments),
  paid: Minor,
  balance: z.int(),
  overdue_at: Instant.nullable().meta({ description: "When it became overdue" }),
  closed_reason: z.string().max(500).meta({ description: "Why it is disputed, written off or void" }),
  closed_on: LocalDate.nullable().meta({ description: "Day of a write-off, or on which it was made void" }),
  retained_until: LocalDate.nullable().meta({
    description: "Last day on which the name must be retained by law; null without such a duty",
  }),
  erasure_due: z.boolean().meta({
    description: "Its customer was erased everywhere else; here it follows after retained_until",
  }),
  metadata: Metadata,
});
export type Invoice = z.output<typeof Invoice>;
