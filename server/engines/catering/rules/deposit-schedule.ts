import { BPS, instalments, mulBps, sum } from "../../../lib/money.ts";
import type { Order } from "../schema/order.ts";
import type { Deposit, DepositRule } from "../schema/parts.ts";
import { addDays } from "../../../lib/local-time.ts";

/**
 * Deposits of a total by the shares of a policy; what the shares leave is the balance and is on the invoice. The
 * first deposit is the rounded percentage itself (30% of 12345 is 3704), and no sum of deposits exceeds the total.
 */
export function depositSchedule(total: number, rules: readonly DepositRule[], eventDate: string): Deposit[] {
  const rest = BPS - sum(rules.map(({ bps }) => bps));
  const amounts = instalments(total, [...rules.map(({ bps }) => bps), rest]);
  return rules.map(({ bps, due }, at) => ({
    n: at + 1,
    bps,
    amount: amounts[at] ?? 0,
    due: { ...due },
    due_on: due.kind === "acceptance" ? null : addDays(eventDate, -due.days),
  }));
}

/** The schedule once a customer has agreed: what is due then gets its date, and nothing is due before it. */
export const acceptedSchedule = (schedule: readonly Deposit[], today: string): Deposit[] =>
  schedule.map((deposit) => ({
    ...deposit,
    due_on: deposit.due_on === null || deposit.due_on < today ? today : deposit.due_on,
  }));

/** The schedule of an event on another day: what is due before it moves along, but not before today. */
export const movedSchedule = (schedule: readonly Deposit[], eventDate: string, today: string): Deposit[] =>
  schedule.map((deposit) => {
    if (deposit.due.kind === "acceptance") return deposit;
    const on = addDays(eventDate, -deposit.due.days);
    return { ...deposit, due_on: on < today ? today : on };
  });

/** Deposits that so much paid does not cover, the first due first. An order that came to less than they do owes no more than its total. */
export function unpaidDeposits(
  schedule: readonly Deposit[],
  { paid, total }: Pick<Order, "paid" | "total">,
): Deposit[] {
  let running = 0;
  return schedule.toSorted(byDue).filter(({ amount }) => {
    running += amount;
    return Math.min(running, total) > paid;
  });
}

const byDue = ({ due_on: a }: Deposit, { due_on: b }: Deposit): number =>
  Number((a ?? "") > (b ?? "")) - Number((a ?? "") < (b ?? ""));

/** What is to be paid now of an order: the deposits due until today that so much paid does not cover. */
export const depositDue = (
  { balance, deposit_schedule: schedule, paid }: Pick<Order, "balance" | "deposit_schedule" | "paid">,
  today: string,
): number => {
  const due = sum(
    schedule.filter(({ due_on: on }) => on === null || on <= today).map(({ amount }) => amount),
  );
  return Math.max(0, Math.min(due - paid, balance));
};

export interface Retention {
  /** Kept, or asked for. */
  readonly retained: number;
  readonly refund_due: number;
  /** Of what is retained, so much is still to be paid. */
  readonly still_due: number;
}

/**
 * What a cancellation costs: the larger of the fee and the share of the paid deposits that is kept; never more than was
 * paid, unless the customer's terms allow an invoice. `deposits`: what they come to; what was paid beyond is no deposit.
 */
export function retainOnCancel(
  paid: number,
  fee: number,
  how: { readonly deposits: number; readonly retain_bps: number; readonly may_invoice: boolean },
): Retention {
  const { deposits, may_invoice: mayInvoice, retain_bps: retainBps } = how;
  const wanted = Math.max(fee, mulBps(Math.min(paid, deposits), retainBps));
  const retained = mayInvoice ? wanted : Math.min(wanted, paid);
  return {
    retained,
    refund_due: Math.max(0, paid - retained),
    still_due: Math.max(0, retained - paid),
  };
}
