import type { Shop } from "../../../core/shop.ts";
import { derivedId } from "../../../core/ids.ts";
import { retainedUntil } from "../../../core/retention.ts";
import { toInstant } from "../../../lib/instant.ts";
import { localDateAt } from "../../../lib/local-time.ts";
import type { Charge } from "../schema/charge.ts";
import type { Invoice } from "../schema/invoice.ts";
import type { Contract, Settings } from "../schema.ts";
import { creditNoteOf, invoiceOf } from "./invoice-items.ts";

/** What a document is issued for, and from which store. */
export interface IssueInput {
  readonly now: number;
  readonly shop: Shop | null;
  readonly settings: Settings;
  readonly contract: Contract;
  readonly charge: Charge;
  readonly number: string;
}

export interface Credited {
  readonly id: string;
  readonly amount: number;
  readonly title: "Refund" | "Cancelled";
}

/** A charge has one invoice, and a refund one credit note: their ids follow from what they are for. */
export const invoiceIdOf = (subject: string): string => derivedId("inv", new Uint8Array(), [subject]);

/** Whether a charge is invoiced: it is paid, or asked for by hand. */
export const isInvoiced = ({ amount_due: due, paid_at: paidAt, status }: Charge): boolean =>
  due !== 0 && (paidAt !== null || status === "pending_manual");

export const newInvoice = (input: IssueInput): Invoice => {
  const { charge, contract } = input;
  return {
    ...commonOf(input),
    ...invoiceOf(charge, contract.shipping_tax_rate_bps),
    id: invoiceIdOf(charge.id),
    kind: "invoice",
    supplied_on: localDateAt(Date.parse(charge.paid_at ?? charge.due_at), contract.timezone),
    refund_id: null,
    invoice_id: null,
    invoice_number: null,
  };
};

/** `before` was credited already. */
export const newCreditNote = (
  input: IssueInput,
  invoice: Invoice,
  { id, amount, title }: Credited,
  before: number,
): Invoice => {
  const common = commonOf(input);
  return {
    ...common,
    ...creditNoteOf(invoice, before, amount, title),
    id: invoiceIdOf(id),
    kind: "credit_note",
    supplied_on: common.issued_on,
    refund_id: title === "Refund" ? id : null,
    invoice_id: invoice.id,
    invoice_number: invoice.number,
  };
};

function commonOf({ charge, contract, now, number, settings, shop }: IssueInput) {
  const nowAt = toInstant(now);
  const today = localDateAt(now, contract.timezone);
  const { id, name, email } = contract.customer;
  return {
    created_at: nowAt,
    updated_at: nowAt,
    number,
    issued_on: today,
    contract_id: contract.id,
    charge_id: charge.id,
    seller: {
      name: shop?.legal_name ?? shop?.name ?? settings.shop_name,
      address: shop?.address ?? "",
      vat_number: shop?.vat_number ?? null,
    },
    customer: { id, name, email, address: contract.delivery?.address ?? "" },
    period: charge.period,
    currency: charge.currency,
    retained_until: retainedUntil(today, settings.invoice_retention_years),
    erasure_due: false,
  };
}
