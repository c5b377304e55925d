import { readShop } from "../../../core/shop.ts";
import type { Stored, Tx } from "../../../core/tx.ts";
import { sum } from "../../../lib/money.ts";
import { invoices, nextInvoiceNumber } from "../repository.ts";
import { isWaived, surplusOf } from "../rules/charge-state.ts";
import type { Credited, IssueInput } from "../rules/new-invoice.ts";
import { invoiceIdOf, isExchanged, isInvoiced, newCreditNote, newInvoice } from "../rules/new-invoice.ts";
import type { Charge } from "../schema/charge.ts";
import type { EngineEvent } from "../schema/event.ts";
import type { Invoice } from "../schema/invoice.ts";
import type { Contract, Settings } from "../schema.ts";

/** What of an opened contract invoices need. */
interface ContractWork {
  readonly now: number;
  readonly tx: Tx;
  readonly settings: Settings;
  readonly contract: Contract;
  readonly charges: ReadonlyMap<string, Charge>;
  readonly before: ReadonlyMap<string, Stored<Charge>>;
  emit(type: "invoice.issued" | "credit_note.issued", charge: Charge, data: EngineEvent["data"]): void;
}

/**
 * Issues what the changes of charges call for, in their commit: an invoice once a charge is paid or asked for by hand, a
 * credit note for each refund, and for what is let go after it was invoiced.
 */
export async function stageInvoices(opened: ContractWork): Promise<void> {
  for (const charge of opened.charges.values()) {
    const { amount_due: due, carried_tax: carriedTax, credit_taxes: taxes = [], tax } = charge;
    const isFree = due === 0 && taxes.length === 0 && tax === 0 && carriedTax === 0;
    if (opened.before.get(charge.id)?.value === charge || isFree) continue;
    const id = await subjectOf(opened, charge);
    const known = await opened.tx.get(invoices, invoiceIdOf(id));
    const isIssued = isInvoiced(charge) || isExchanged(charge, opened.contract.shipping_tax_rate_bps);
    const invoice = known?.value ?? (isIssued ? await issue(opened, charge, id) : null);
    if (invoice !== null) await stageCreditNotes(opened, charge, invoice);
  }
}

const voidOf = ({ id }: Charge): string => `${id}-void`;

/** What the invoice of a charge is for: one that was credited when it was let go is invoiced again once it is paid after all. */
export async function subjectOf({ tx }: Pick<ContractWork, "tx">, charge: Charge): Promise<string> {
  const isCredited =
    charge.paid_at !== null && (await tx.get(invoices, invoiceIdOf(voidOf(charge)))) !== null;
  return isCredited ? `${charge.id}-paid` : charge.id;
}

async function issue(opened: ContractWork, charge: Charge, subject: string): Promise<Invoice> {
  const invoice = newInvoice(await inputOf(opened, charge, "invoice"), subject);
  opened.tx.create(invoices, invoice);
  const { id, number, total, currency } = invoice;
  opened.emit("invoice.issued", charge, { invoice_id: id, number, total, currency });
  return invoice;
}

async function stageCreditNotes(opened: ContractWork, charge: Charge, invoice: Invoice): Promise<void> {
  const isDropped = isWaived(charge) && charge.paid_at === null;
  // A second payment was never invoiced.
  const { refundIds } = surplusOf(charge);
  const back = charge.refunds.filter(({ id, state }) => state === "succeeded" && !refundIds.has(id));
  const causes: Credited[] = back.map(({ id, amount }) => ({ id, amount, title: "Refund" }));
  const rest = invoice.total - sum(back.map(({ amount }) => amount));
  if (isDropped && rest > 0) causes.push({ id: voidOf(charge), amount: rest, title: "Cancelled" });
  const noteIds = new Set([...charge.refunds, ...causes].map(({ id }) => invoiceIdOf(id)));
  const notes = await Promise.all([...noteIds].map((id) => opened.tx.get(invoices, id)));
  // A refund that its bank returned leaves its credit note: the next refund pays what that credited.
  let before = -sum(notes.map((note) => note?.value.total ?? 0));
  const most = sum(causes.map(({ amount }) => amount));
  for (const cause of causes) {
    const amount = Math.min(cause.amount, most - before);
    if (amount <= 0 || notes.some((note) => note?.id === invoiceIdOf(cause.id))) continue;
    const input = await inputOf(opened, charge, "credit_note");
    const { id, number, total, currency } = opened.tx.create(
      invoices,
      newCreditNote(input, invoice, { ...cause, amount }, before),
    ).value;
    const data = { credit_note_id: id, invoice_id: invoice.id, number, total, currency };
    opened.emit("credit_note.issued", charge, data);
    before += amount;
  }
}

async function inputOf(opened: ContractWork, charge: Charge, kind: Invoice["kind"]): Promise<IssueInput> {
  const { contract, settings, tx } = opened;
  const [shop, number] = [await readShop(tx), await nextInvoiceNumber(tx, kind)];
  return { now: opened.now, shop, settings, contract, charge, number };
}
