import { z } from "zod";

import { Currency, Id, LocalDate, resourceFields } from "../../../core/schema.ts";
import type { Personal } from "../../../core/collection.ts";
import { ERASED, ERASED_EMAIL, mailSubject, mentionSubject } from "../../../core/personal.ts";
import { retainInvoice } from "../../../core/retention.ts";
import { Bps, Period, Ref } from "./parts.ts";

const Taxed = { tax_rate_bps: Bps, net: z.int(), tax: z.int() };
export const InvoiceItem = z.strictObject({
  title: z.string().max(200),
  quantity: z.int(),
  unit_price: z.int().meta({ description: "Without VAT, rounded: `net` is exact" }),
  discount: z.int().meta({ description: "Without VAT" }),
  ...Taxed,
  total: z.int().meta({ description: "net + tax" }),
});
export type InvoiceItem = z.output<typeof InvoiceItem>;

/**
 * What a full VAT invoice contains: VAT Regulations 1995 reg. 14, gov.uk/vat-record-keeping/vat-invoices, and art. 226 of
 * Directive 2006/112/EC. A credit note refers to its invoice (art. 219); its amounts are negative.
 */
export const Invoice = z.strictObject({
  ...resourceFields,
  kind: z.enum(["invoice", "credit_note"]),
  number: z
    .string()
    .max(20)
    .meta({ description: "S-1, S-2, … for invoices, SC-1, … for credit notes, without gaps" }),
  issued_on: LocalDate,
  supplied_on: LocalDate.meta({ description: "Date of supply (tax point)" }),
  contract_id: Id,
  charge_id: Id,
  refund_id: z.string().max(80).nullable(),
  invoice_id: Id.nullable().meta({ description: "credit_note: the invoice that it corrects" }),
  invoice_number: z.string().max(20).nullable(),
  seller: z.strictObject({
    name: z.string().max(200).meta({ description: "Empty if the store has no name" }),
    address: z.string().max(500),
    vat_number: z.string().max(40).nullable(),
  }),
  customer: z.strictObject({
    id: Ref,
    name: z.string().max(120),
    email: z.string().max(254),
    address: z.string().max(500),
  }),
  period: Period,
  currency: Currency,
  items: z.array(InvoiceItem).max(200),
  taxes: z.array(z.strictObject(Taxed)).max(200),
  net: z.int(),
  tax: z.int(),
  total: z.int(),
  retained_until: LocalDate.nullable().meta({
    description: "Last day on which the customer's name must be retained by law; null without such a duty",
  }),
  erasure_due: z.boolean().meta({
    description: "The customer was erased everywhere else and is erased here after `retained_until`",
  }),
});
export type Invoice = z.output<typeof Invoice>;

/** The amounts stay, for the books; the customer is erased when the legal retention is over. */
export const personalInvoice: Personal<Invoice> = {
  subjects: ({ contract_id: id, customer: { email } }) =>
    email === ERASED_EMAIL ? [] : [mailSubject(email), mentionSubject(id)],
  erased: (invoice) => ({
    ...invoice,
    customer: { id: ERASED, name: "", email: ERASED_EMAIL, address: "" },
    erasure_due: false,
  }),
  retained: (invoice, _, today) => retainInvoice(invoice, today),
};
