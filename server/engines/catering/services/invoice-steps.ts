import { invalidField } from "../../../lib/errors.ts";
import { sum } from "../../../lib/money.ts";
import type { Stored } from "../../../core/tx.ts";
import { accounts, invoices, nextNumber, orders } from "../repository.ts";
import { localDateAt } from "../../../lib/local-time.ts";
import { claimOfInvoice, mayInvoice, settledInvoice } from "../rules/invoice-state.ts";
import type { InvoiceAction } from "../rules/invoice-state.ts";
import { judgePayment } from "../rules/judge-payment.ts";
import { retainedUntil } from "../../../core/retention.ts";
import { dueOn } from "../rules/invoice-terms.ts";
import { itemsOf, taxesOfItems } from "../rules/invoice-lines.ts";
import { settledOrder, taxIn } from "../rules/new-order.ts";
import { mayOrder } from "../rules/order-state.ts";
import type { Account } from "../schema/account.ts";
import type { Invoice, InvoiceLine } from "../schema/invoice.ts";
import type { Order } from "../schema/order.ts";
import { CATERING_LIMITS } from "../schema/parts.ts";
import type { Payment, Terms } from "../schema/parts.ts";
import { invoiceMail } from "./mails.ts";
import { book, saveOrder } from "./save-order.ts";
import { emit, invalidState, mail, refused } from "./work.ts";
import type { CateringWork } from "./work.ts";
import type { z } from "zod";
import { newResource } from "../../../lib/new-resource.ts";

export const todayOf = ({ now, settings }: CateringWork): string => localDateAt(now, settings.timezone);

/** What an order is invoiced for: delivered, or cancelled with something retained; and not invoiced yet. */
export const isInvoiceable = (order: Order): boolean =>
  mayOrder("invoice", order.status) && order.invoice_id === null && order.total > 0;

const lineOf = (stored: Order, work: CateringWork): z.output<typeof InvoiceLine> => {
  // Priced again: an order that an older version stored may lack what its lines bear of discounts and tax.
  const order = settledOrder(stored, work);
  const tax = taxIn(order);
  return {
    order_id: order.id,
    order_number: order.number,
    title: order.cancellation === null ? order.title : `${order.title.slice(0, 180)} (cancelled)`,
    delivered_on: order.event.date,
    heads: order.headcount.billed,
    po_number: order.po_number,
    cost_centre: order.cost_centre,
    items: itemsOf(order),
    net: order.total - tax,
    tax,
    total: order.total,
  };
};

export interface NewInvoice {
  readonly orders: readonly Stored<Order>[];
  readonly account: Stored<Account> | null;
  readonly is_draft: boolean;
  readonly metadata: Invoice["metadata"];
}

/** Invoices orders: they are marked in the same commit, so that none is ever invoiced twice. */
export async function createInvoice(work: CateringWork, wanted: NewInvoice): Promise<Stored<Invoice>> {
  const { account, orders: found } = wanted;
  const lines = found.map(({ value }) => lineOf(value, work));
  const today = todayOf(work);
  const [first] = found;
  const terms: Terms = account?.value.terms ?? { kind: "prepay", days: 0 };
  const draft: Invoice = {
    ...newResource(work.newId("civ"), work.nowAt),
    number: null,
    account_id: account?.id ?? null,
    bill_to: billTo(account?.value ?? null, first?.value),
    status: "draft",
    currency: first?.value.currency ?? work.settings.currency,
    orders: lines,
    terms,
    issued_on: null,
    due_on: dueOn(today, terms),
    net: sum(lines.map(({ net }) => net)),
    tax: sum(lines.map(({ tax }) => tax)),
    taxes: taxesOfItems(lines.flatMap(({ items }) => items)),
    total: sum(lines.map(({ total }) => total)),
    // More than an order came to is a refund of that order, not a payment of another.
    prepaid: sum(found.map(({ value }) => Math.min(value.paid, value.total))),
    payments: [],
    paid: 0,
    balance: 0,
    overdue_at: null,
    closed_reason: "",
    closed_on: null,
    retained_until: null,
    erasure_due: false,
    metadata: wanted.metadata,
  };
  for (const order of found) await markOrder(work, order, { invoice_id: draft.id, status: "invoiced" });
  const stored = await saveInvoice(work, null, draft);
  return wanted.is_draft ? stored : issueInvoice(work, stored);
}

/** Whom an invoice is for: the account's first billing contact, else the contact of the order. */
function billTo(account: Account | null, order: Order | undefined): Invoice["bill_to"] {
  const contact = account?.billing_contacts[0];
  if (account === null || contact === undefined) {
    const { name, email, company } = order?.contact ?? { name: "Customer", email: "", company: "" };
    return { name, email, company, address: order?.event.site ?? "" };
  }
  const site = account.sites[0]?.address ?? "";
  const address = account.billing_address === "" ? site : account.billing_address;
  return { ...contact, company: account.legal_name, address };
}

const markOrder = (work: CateringWork, order: Stored<Order>, change: Pick<Order, "invoice_id" | "status">) =>
  saveOrder(work, order, { ...order.value, ...change }, { check: false });

/** draft → issued: it gets its number, its dates count from today, and the customer gets the mail. */
export async function issueInvoice(work: CateringWork, stored: Stored<Invoice>): Promise<Stored<Invoice>> {
  requireInvoice(stored.value, "issue", "issued");
  const today = todayOf(work);
  const number = await nextNumber(work.tx, "invoices");
  const issued: Invoice = {
    ...stored.value,
    number,
    status: "issued",
    issued_on: today,
    due_on: dueOn(today, stored.value.terms),
    retained_until: retainedUntil(today, work.settings.invoice_retention_years),
  };
  const saved = await saveInvoice(work, stored, issued);
  emit(work, "invoice.issued", saved.id, { number, total: issued.total, due_on: issued.due_on });
  const about = ["invoice", saved.id];
  await mail(work, { about, to: issued.bill_to.email, ...invoiceMail(work, saved.value, false) });
  return saved.value.status === "paid" ? closePaid(work, saved) : saved;
}

export function requireInvoice(invoice: Invoice, action: InvoiceAction, what: string): void {
  if (mayInvoice(action, invoice.status)) return;
  throw invalidState(`An invoice that is ${invoice.status.replace("_", " ")} cannot be ${what}.`);
}

/** Writes an invoice with what follows from it, and its place in the account's books. */
export async function saveInvoice(
  work: CateringWork,
  before: Stored<Invoice> | null,
  draft: Invoice,
): Promise<Stored<Invoice>> {
  const invoice = { ...settledInvoice(draft, todayOf(work)), updated_at: work.nowAt };
  if (invoice.account_id !== null) {
    const account = await work.tx.require(accounts, invoice.account_id);
    book(work, account, before === null ? null : claimOfInvoice(before.value), claimOfInvoice(invoice));
  }
  return work.tx.save(invoices, before, invoice);
}

/** Takes a payment; with the last one the invoice and its orders are paid, and with one that is taken back they are not. */
export async function payInvoice(
  work: CateringWork,
  stored: Stored<Invoice>,
  payment: Payment,
): Promise<Stored<Invoice>> {
  const { payments: recorded, balance, paid, prepaid } = stored.value;
  const verdict = judgePayment({ payments: recorded, balance, received: paid - prepaid }, payment);
  if (verdict.kind === "repeat") return stored;
  const isReopened = stored.value.status === "paid" && payment.amount < 0;
  requireInvoice(stored.value, isReopened ? "reopen" : "pay", "paid");
  if (recorded.length >= CATERING_LIMITS.payments)
    throw refused({ code: "limit_reached", detail: "The invoice has too many payments." });
  if (verdict.kind === "fault") throw invalidField(["amount"], verdict.detail);
  const payments = [...stored.value.payments, payment];
  const status = isReopened ? "issued" : stored.value.status;
  const saved = await saveInvoice(work, stored, { ...stored.value, payments, status });
  if (isReopened) await markOrders(work, saved, "invoiced");
  return saved.value.status === "paid" ? closePaid(work, saved) : saved;
}

async function closePaid(work: CateringWork, invoice: Stored<Invoice>): Promise<Stored<Invoice>> {
  emit(work, "invoice.paid", invoice.id, { number: invoice.value.number, total: invoice.value.total });
  await markOrders(work, invoice, "paid");
  return invoice;
}

async function markOrders(
  work: CateringWork,
  { id, value }: Stored<Invoice>,
  status: "invoiced" | "paid",
): Promise<void> {
  for (const { order_id: orderId } of value.orders) {
    const order = await work.tx.get(orders, orderId);
    if (order !== null) await markOrder(work, order, { invoice_id: id, status });
  }
}

/** The invoice never was: its orders can be invoiced again. What was paid to it must be refunded first. */
export async function voidInvoice(
  work: CateringWork,
  stored: Stored<Invoice>,
  reason: string,
): Promise<Stored<Invoice>> {
  if (stored.value.status === "void") return stored;
  requireInvoice(stored.value, "void", "made void");
  if (sum(stored.value.payments.map(({ amount }) => amount)) !== 0) {
    throw invalidState("The invoice has payments. Refund them before it is made void.");
  }
  const closed = { status: "void" as const, closed_reason: reason, closed_on: todayOf(work) };
  const saved = await saveInvoice(work, stored, { ...stored.value, ...closed });
  for (const { order_id: id } of stored.value.orders) {
    const order = await work.tx.get(orders, id);
    if (order === null) continue;
    const status = order.value.cancellation === null ? ("delivered" as const) : ("cancelled" as const);
    await markOrder(work, order, { invoice_id: null, status });
  }
  return saved;
}
