import { derivedId } from "../../../core/ids.ts";
import { readShop, shopNameOr } from "../../../core/shop.ts";
import type { Stored, Tx } from "../../../core/tx.ts";
import { fromInstant, toInstant } from "../../../lib/instant.ts";
import { localDateAt } from "../../../lib/local-time.ts";
import { sum } from "../../../lib/money.ts";
import { invoices, nextInvoiceNumber } from "../repository.ts";
import { isWaived } from "../rules/charge-state.ts";
import { creditNoteOf, invoiceOf } from "../rules/invoice-items.ts";
import type { Charge } from "../schema/charge.ts";
import type { Invoice } from "../schema/invoice.ts";
import type { Contract, Settings } from "../schema.ts";

/** What of an opened book invoices need. */
interface Book {
  readonly env: { readonly now: number };
  readonly tx: Tx;
  readonly today: string;
  readonly settings: Settings;
  readonly contract: Contract;
  readonly charges: ReadonlyMap<string, Charge>;
  readonly before: ReadonlyMap<string, Stored<Charge>>;
}

/** A charge has one invoice, and a refund one credit note: their ids follow from what they are for. */
export const invoiceIdOf = (about: string): string => derivedId("inv", new Uint8Array(), [about]);

/**
 * Issues what the changes of charges call for, in their commit: an invoice once a charge is paid or asked for by hand, a
 * credit note for each refund, and for what is let go after it was invoiced.
 */
export async function stageInvoices(book: Book): Promise<void> {
  for (const charge of book.charges.values()) {
    if (book.before.get(charge.id)?.value === charge || charge.amount_due === 0) continue;
    const known = await book.tx.get(invoices, invoiceIdOf(charge.id));
    const invoice = known?.value ?? (isInvoiced(charge) ? await issue(book, charge) : null);
    if (invoice !== null) await stageCreditNotes(book, charge, invoice);
  }
}

const isInvoiced = ({ paid_at: paidAt, status }: Charge): boolean =>
  paidAt !== null || status === "pending_manual";

async function issue(book: Book, charge: Charge): Promise<Invoice> {
  const { contract } = book;
  const suppliedAt = charge.paid_at ?? charge.due_at;
  return stage(book, charge, {
    ...invoiceOf(charge, contract.shipping_tax_rate_bps),
    id: invoiceIdOf(charge.id),
    kind: "invoice",
    number: await nextInvoiceNumber(book.tx, "invoice"),
    supplied_on: localDateAt(fromInstant(suppliedAt), contract.timezone),
    refund_id: null,
    invoice_id: null,
    invoice_number: null,
  });
}

async function stageCreditNotes(book: Book, charge: Charge, invoice: Invoice): Promise<void> {
  const back = charge.refunds.filter(({ state }) => state === "succeeded");
  const causes: { readonly id: string; readonly amount: number; readonly title: string }[] = back.map(
    ({ id, amount }) => ({ id, amount, title: "Refund" }),
  );
  const isDropped = isWaived(charge) && charge.paid_at === null;
  const rest = invoice.total - sum(back.map(({ amount }) => amount));
  if (isDropped && rest > 0) causes.push({ id: `${charge.id}-void`, amount: rest, title: "Cancelled" });
  let before = 0;
  for (const { id, amount, title } of causes) {
    const noteId = invoiceIdOf(id);
    const known: Stored<Invoice> | null = await book.tx.get(invoices, noteId);
    if (known === null) {
      await stage(book, charge, {
        ...creditNoteOf(invoice, before, amount, title),
        id: noteId,
        kind: "credit_note",
        number: await nextInvoiceNumber(book.tx, "credit_note"),
        supplied_on: book.today,
        refund_id: title === "Refund" ? id : null,
        invoice_id: invoice.id,
        invoice_number: invoice.number,
      });
    }
    before += amount;
  }
}

type Given = Omit<
  Invoice,
  | "created_at"
  | "updated_at"
  | "issued_on"
  | "contract_id"
  | "charge_id"
  | "seller"
  | "customer"
  | "period"
  | "currency"
>;

async function stage(book: Book, charge: Charge, given: Given): Promise<Invoice> {
  const { contract, env, tx, settings } = book;
  const shop = await readShop(tx);
  const nowAt = toInstant(env.now);
  const { id, name, email } = contract.customer;
  const invoice: Invoice = {
    ...given,
    created_at: nowAt,
    updated_at: nowAt,
    issued_on: book.today,
    contract_id: contract.id,
    charge_id: charge.id,
    seller: {
      name: shop?.legal_name ?? shop?.name ?? shopNameOr(settings.shop_name),
      address: shop?.address ?? "",
      vat_number: shop?.vat_number ?? null,
    },
    customer: { id, name, email, address: contract.delivery?.address ?? "" },
    period: charge.period,
    currency: charge.currency,
  };
  tx.create(invoices, invoice);
  return invoice;
}
