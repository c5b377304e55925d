import { z } from "zod";

import { Currency, Id, LocalDate, Metadata, Minor, resourceFields } from "../../../core/schema.ts";
import { CATERING_LIMITS, Code, Dietary, Email, Price, Ref, ShortNote, Terms, Text } from "./parts.ts";

const limits = CATERING_LIMITS;

const CostCentre = z.strictObject({
  code: Code,
  name: Text,
  approver_email: Email.nullable(),
  budget: z.strictObject({ period: z.enum(["month", "quarter", "year"]), amount: Price }).nullable(),
});
type CostCentre = z.output<typeof CostCentre>;

const PurchaseOrder = z.strictObject({
  number: z.string().trim().min(1).max(60),
  limit: Price,
  used: Minor,
  expires_on: LocalDate.nullable().meta({ description: "Last day on which it can be used" }),
});

export const Po = z.strictObject({
  required: z.boolean(),
  pattern: z.string().trim().max(60).nullable().meta({
    description: "Shape of a number: # is a digit, @ is A to Z, every other character is itself (PO-######)",
  }),
  open_pos: z.array(PurchaseOrder).max(limits.purchaseOrders),
});

const Site = z.strictObject({
  id: Code,
  address: z.string().trim().min(1).max(500),
  access_notes: ShortNote,
  default_slot: z.string().trim().max(40),
});

export const AccountStatus = z.enum(["active", "on_hold", "closed"]);

export const accountFields = {
  legal_name: Text,
  company_no: z.string().trim().max(40),
  vat_no: z.string().trim().max(40),
  business: z.boolean().meta({ description: "Between businesses: statutory interest may be asked for" }),
  billing_contacts: z
    .array(z.strictObject({ name: Text, email: Email }))
    .min(1)
    .max(10),
  billing_address: z.string().trim().max(500).default("").meta({
    description: "Printed on invoices; empty: the address of the first site",
  }),
  sites: z.array(Site).max(limits.sites),
  cost_centres: z.array(CostCentre).max(limits.costCentres),
  credit_limit: Price,
  terms: Terms,
  po: Po,
  price_list_ref: Ref.nullable(),
  approval: z.strictObject({ above_amount: Price.nullable(), approver_email: Email.nullable() }),
  statement_day: z.int().min(1).max(28),
  status: AccountStatus,
  dietary_defaults: Dietary,
  metadata: Metadata,
};

/** What is owed or reserved: an order that is not invoiced, or an invoice that is not paid. */
export const OpenItem = z.strictObject({
  ref: Id,
  kind: z.enum(["order", "invoice"]),
  amount: Minor,
});

/** What orders of a cost centre come to in one period of its budget. */
const Spend = z.strictObject({ code: Code, period: z.string().max(10), amount: z.int() });

export const Account = z.strictObject({
  ...resourceFields,
  ...accountFields,
  currency: Currency,
  exposure: Minor.meta({ description: "Sum of the open items" }),
  open_items: z.array(OpenItem).max(limits.openItems),
  spend: z.array(Spend).max(500),
});
export type Account = z.output<typeof Account>;
