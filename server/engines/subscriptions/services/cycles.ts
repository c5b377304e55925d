import { toInstant } from "../../../lib/instant.ts";
import { decide } from "../rules/apply-result.ts";
import { renewedCompliance } from "../rules/compliance.ts";
import { periodOf } from "../rules/cycle-dates.ts";
import { rebased } from "../rules/cycle-dates.ts";
import { cycleCharge, dueCycles } from "../rules/open-charge.ts";
import type { Charge } from "../schema/charge.ts";
import type { Book } from "./book.ts";
import { chargeOf } from "./book.ts";
import { onPaid } from "./effects.ts";

/** Moves the contract to the next cycle that is not due, opening a charge for what is billed now. */
export function openCharges(book: Book): null {
  const { env, policy } = book;
  const due = dueCycles(book.contract, env.now, policy.max_catch_up);
  for (const index of due.skipped) closeCycle(book, index, "skipped");
  for (const index of due.missed) closeCycle(book, index, "missed");
  for (const index of due.bill) openCycle(book, index);
  book.contract = { ...book.contract, next_cycle: due.next };
  return null;
}

/** A cycle that is not billed leaves a charge that says so. */
function closeCycle(book: Book, index: number, why: "skipped" | "missed"): void {
  applyPending(book, index);
  const charge = cycleCharge({ ...book.contract, carried: [], credit: 0 }, index, book.env);
  const isSkipped = why === "skipped";
  book.put({
    ...charge,
    status: isSkipped ? "skipped" : "voided",
    voided_reason: isSkipped ? null : "missed",
  });
  book.emit(isSkipped ? "cycle.skipped" : "cycle.missed", charge, { cycle_index: index });
}

/** Opens the charge of a cycle; it says itself whether anything is left to collect. */
export function openCycle(book: Book, index: number): Charge {
  applyPending(book, index);
  const { contract, env } = book;
  const charge = cycleCharge(contract, index, env);
  book.contract = {
    ...contract,
    compliance: renewedCompliance({ ...contract, next_cycle: index + 1 }, index, book.today),
    credit: contract.credit - charge.credit_applied,
    carried: [],
    current_cycle: index,
    current_period: charge.period,
    overrides: withoutOld(contract.overrides, index),
  };
  return collect(book, charge);
}

/**
 * What was agreed for cycles that are billed is in their charges: a contract keeps no more of it than the day of the
 * last one, which bounds the next.
 */
const withoutOld = (overrides: Book["contract"]["overrides"], index: number): Book["contract"]["overrides"] =>
  Object.fromEntries(
    Object.entries(overrides).flatMap(([at, known]) => {
      if (Number(at) > index) return [[at, known]];
      return Number(at) === index && known.date !== null ? [[at, { ...known, lines: null }]] : [];
    }),
  );

/** Puts a new charge on its way: nothing to collect is paid at once, an invoice waits for its payment. */
export function collect(book: Book, charge: Charge): Charge {
  const { contract, env } = book;
  book.emit("charge.due", charge, { amount: charge.amount_due, currency: charge.currency });
  if (charge.amount_due === 0) {
    const paid = { ...charge, status: "succeeded" as const, paid_at: toInstant(env.now) };
    book.put(decide(paid, "Nothing to collect.", env.now));
    onPaid(book, chargeOf(book, charge.id));
    return chargeOf(book, charge.id);
  }
  const isInvoice = contract.collection === "send_invoice";
  const open = { ...charge, status: isInvoice ? ("pending_manual" as const) : ("processing" as const) };
  book.put(open);
  return open;
}

/** A change that was agreed for this cycle takes effect; a new interval counts from here. */
function applyPending(book: Book, index: number): void {
  const { contract } = book;
  const { pending_change: change } = contract;
  if (change === null || index < change.at_cycle) return;
  const start = periodOf(contract.billing, index).start;
  const counted = { ...contract, next_cycle: index };
  const billing = change.interval === null ? contract.billing : rebased(counted, change.interval, start);
  book.contract = { ...contract, lines: change.lines ?? contract.lines, billing, pending_change: null };
  book.emit("contract.updated", null, { change: "applied", cycle_index: index });
}
