import { z } from "zod";

import { Currency, Id, Instant, Metadata, Minor, resourceFields } from "../../../core/schema.ts";
import {
  Bps,
  CATERING_LIMITS,
  Deposit,
  OrderDietary,
  EventInfo,
  Heads,
  Line,
  Party,
  Payment,
  ShortNote,
  Terms,
  Text,
  Totals,
} from "./parts.ts";
import { PolicyTerms } from "./policy.ts";

const limits = CATERING_LIMITS;

export const OrderStatus = z.enum([
  "tentative",
  "confirmed",
  "locked",
  "in_production",
  "dispatched",
  "delivered",
  "invoiced",
  "paid",
  "cancelled",
]);
export type OrderStatus = z.output<typeof OrderStatus>;

const OrderFee = z.strictObject({
  id: Id,
  kind: z.enum(["reduction", "surcharge"]),
  title: Text,
  amount: Minor,
  at: Instant,
});

const Cancellation = z.strictObject({
  at: Instant,
  reason: ShortNote,
  fee_bps: Bps.meta({ description: "The band that held" }),
  fee: Minor,
  retained: Minor.meta({ description: "The fee or the part of the deposits that is kept, if that is more" }),
  refund_due: Minor,
});

export const Order = z.strictObject({
  ...resourceFields,
  number: z.int().positive(),
  account_id: Id.nullable(),
  contact: Party,
  quote_id: Id.nullable(),
  quote_version: z.int().positive().nullable(),
  recurring_order_id: Id.nullable(),
  occurrence: z.string().max(16).nullable().meta({ description: "Original local start of the occurrence" }),
  status: OrderStatus,
  title: Text,
  currency: Currency,
  tax_included: z.boolean(),
  lines: z.array(Line).max(limits.lines),
  fees: z.array(OrderFee).max(limits.fees),
  totals: Totals,
  total: Minor.meta({ description: "Fees included; of a cancelled order, what is retained" }),
  deposit_schedule: z.array(Deposit).max(limits.deposits),
  payments: z.array(Payment).max(limits.payments),
  paid: Minor,
  balance: z.int().meta({ description: "Total minus paid; negative is to be refunded" }),
  policy: PolicyTerms,
  payment_terms: Terms,
  event: EventInfo,
  starts_at: Instant,
  guarantee_at: Instant.meta({ description: "From here on the guaranteed count can only rise" }),
  headcount: z.strictObject({
    original: Heads,
    guaranteed: Heads,
    served: Heads.nullable(),
    billed: Heads,
    locked_at: Instant.nullable(),
  }),
  dietary: OrderDietary,
  po_number: z.string().max(60).nullable(),
  cost_centre: z.string().max(40).nullable(),
  invoice_id: Id.nullable(),
  cancellation: Cancellation.nullable(),
  delivered_at: Instant.nullable(),
  deposit_reminded_on: z.string().nullable(),
  notes: z.string().max(2000),
  next_action_at: Instant.nullable(),
  metadata: Metadata,
});
export type Order = z.output<typeof Order>;
