import { sum } from "../../../lib/money.ts";
import { defineTransitions } from "../../../core/states.ts";
import type { Invoice, InvoiceStatus } from "../schema/invoice.ts";
import type { Claim } from "./credit.ts";

const OPEN: readonly InvoiceStatus[] = ["issued", "partially_paid", "overdue", "disputed"];

export const invoiceStates = defineTransitions("Invoice", {
  collection: "catering.invoices",
  steps: {
    issue: [["draft"], ["issued", "partially_paid", "paid"]],
    pay: [OPEN, ["partially_paid", "paid"]],
    refund: [["partially_paid", "overdue"], "issued"],
    // A debit that the bank returned.
    reopen: [["paid"], ["issued", "partially_paid", "overdue"]],
    fall_due: [["issued", "partially_paid"], "overdue"],
    void: [["draft", ...OPEN, "paid"], "void"],
    dispute: [["issued", "partially_paid", "overdue"], "disputed"],
    resolve: [["disputed"], ["issued", "partially_paid", "overdue"]],
    write_off: [OPEN, "written_off"],
  },
});
export type InvoiceAction = Parameters<typeof invoiceStates.from>[0];

/** Whether an invoice in this state takes this step. */
export const mayInvoice = invoiceStates.allows;

/** Money is still asked for. */
export const isOwed = ({ status }: Pick<Invoice, "status">): boolean => OPEN.includes(status);

/**
 * An invoice with what follows from its payments and the day. A disputed one stays so until it is resolved or paid;
 * one that is closed is left as it is.
 */
export function settledInvoice(invoice: Invoice, today: string): Invoice {
  const paid = sum([invoice.prepaid, ...invoice.payments.map(({ amount }) => amount)]);
  const balance = invoice.total - paid;
  return { ...invoice, paid, balance, status: statusOf({ ...invoice, paid, balance }, today) };
}

function statusOf(invoice: Invoice, today: string): InvoiceStatus {
  if (!isOwed(invoice)) return invoice.status;
  if (invoice.balance <= 0) return "paid";
  if (invoice.status === "disputed") return "disputed";
  if (invoice.due_on < today) return "overdue";
  return invoice.paid > 0 ? "partially_paid" : "issued";
}

/** What an invoice takes of its account's credit. */
export const claimOfInvoice = (invoice: Invoice): Claim | null =>
  invoice.account_id === null
    ? null
    : {
        ref: invoice.id,
        kind: "invoice",
        // A draft is owed all the same: its orders are no longer in the books.
        exposure: isOwed(invoice) || invoice.status === "draft" ? Math.max(0, invoice.balance) : 0,
        // Its orders used the purchase order and the budget.
        spend: 0,
        po_number: null,
        cost_centre: null,
        on: invoice.due_on,
      };
