import { sum } from "../../../lib/money.ts";
import type { Invoice } from "../schema/invoice.ts";
import { localDateAt } from "../../../lib/local-time.ts";

export interface StatementEntry {
  readonly date: string;
  readonly kind: "invoice" | "payment" | "write_off" | "void";
  readonly invoice_id: string;
  readonly number: number;
  readonly reference: string;
  /** What it adds to what is owed: a payment is negative. */
  readonly amount: number;
  readonly balance: number;
}

export interface Statement {
  readonly from: string;
  readonly to: string;
  readonly opening: number;
  readonly closing: number;
  readonly entries: readonly StatementEntry[];
}

export type Movement = Omit<StatementEntry, "balance">;

/**
 * What an account owed at the beginning and end of a span of days, both included, and what moved it in between. `moves`: of each of
 * its invoices.
 */
export function statement(
  moves: readonly Movement[],
  span: { readonly from: string; readonly to: string },
): Statement {
  const opening = sum(moves.filter(({ date }) => date < span.from).map(({ amount }) => amount));
  let balance = opening;
  const entries = moves
    .filter(({ date }) => date >= span.from && date <= span.to)
    .sort(byDate)
    .map((move) => {
      balance += move.amount;
      return { ...move, balance };
    });
  return { ...span, opening, closing: balance, entries };
}

/** What an invoice adds to what is owed, and what was paid of it. */
export function movementsOf(invoice: Invoice, timezone: string): Movement[] {
  const { closed_on: closedOn, id, issued_on: issuedOn, number, payments, prepaid, status } = invoice;
  if (issuedOn === null || number === null || status === "draft") return [];
  // An older version did not store when an invoice was made void.
  if (status === "void" && closedOn === null) return [];
  const about = { invoice_id: id, number };
  const kind = status === "void" ? ("void" as const) : ("write_off" as const);
  const isClosed = status === "void" || status === "written_off";
  const rest = closedOn === null || !isClosed ? null : { date: closedOn, kind, amount: -invoice.balance };
  return [
    { ...about, date: issuedOn, kind: "invoice", reference: "", amount: invoice.total },
    ...(prepaid === 0
      ? []
      : [{ ...about, date: issuedOn, kind: "payment" as const, reference: "Paid before", amount: -prepaid }]),
    ...payments.map(({ amount, at, reference }) => ({
      ...about,
      date: localDateAt(Date.parse(at), timezone),
      kind: "payment" as const,
      reference,
      amount: -amount,
    })),
    ...(rest === null ? [] : [{ ...about, ...rest, reference: "" }]),
  ];
}

const byDate = (a: Movement, b: Movement): number =>
  a.date === b.date ? a.number - b.number : a.date < b.date ? -1 : 1;
