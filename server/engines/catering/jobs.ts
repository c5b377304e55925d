import { DAY_MS, fromInstant, toInstant } from "../../lib/instant.ts";
import { changeDue } from "../../core/batches.ts";
import type { Collection } from "../../core/collection.ts";
import type { Job, JobContext } from "../../core/engine.ts";
import type { Stored } from "../../core/tx.ts";
import { saveInvoice, todayOf } from "./services/invoice-steps.ts";
import { depositMail, invoiceMail, reminderMail } from "./services/mails.ts";
import { closeQuote, contactOf } from "./services/quote-steps.ts";
import { workOnRecurring } from "./services/recurring-steps.ts";
import { saveOrder } from "./services/save-order.ts";
import { emit, mail, openWork } from "./services/work.ts";
import type { CateringWork } from "./services/work.ts";
import { timeOrder } from "../../core/collection.ts";
import { invoices, orders, quotes, recurringOrders } from "./repository.ts";
import { addDays, localDateAt } from "../../lib/local-time.ts";
import { watch } from "../../core/watch.ts";
import { depositDue, unpaidDeposits } from "./rules/deposit-schedule.ts";
import { DEPOSIT_GRACE_DAYS, settledOrder } from "./rules/new-order.ts";
import { mayOrder } from "./rules/order-state.ts";
import { isExpired, isOpen } from "./rules/quote-state.ts";
import type { Quote } from "./schema.ts";
import type { Invoice } from "./schema/invoice.ts";
import type { Order } from "./schema/order.ts";

/** Days before its end at which a customer is reminded of a quote. */
const REMINDER_DAYS = [3, 1] as const;

interface Due<T extends { id: string }> {
  readonly collection: Collection<T>;
  readonly index: string;
  /** Looks at what is before this key of the index. */
  readonly until: string;
  readonly keyOf: (value: T) => string;
  /** Listed, but nothing is left to be done about it. */
  readonly isDone?: (value: T) => boolean;
  /** Stages what is due; 0 when there was nothing to do. */
  readonly handle: (work: CateringWork, stored: Stored<T>) => Promise<number>;
}

/** Works through what is due; one that fails does not keep the others waiting. */
async function workThrough<T extends { id: string }>(
  context: JobContext,
  { keyOf, until, handle, ...list }: Due<T>,
): Promise<{ readonly done: number; readonly failed: number }> {
  const isDue = (value: T): boolean => keyOf(value) <= until;
  const { done, failed } = await changeDue(context, { ...list, isDue }, async (tx, id) => {
    // Read again by its id: the decision rests on what is checked at the commit.
    const stored = await tx.get(list.collection, id);
    return stored === null ? 0 : handle(await openWork(context, tx), stored);
  });
  return { done, failed };
}

/** Expires quotes, and reminds of those that are about to. */
export const watchQuotes: Job = {
  id: "catering.quotes",
  summary: "Expires quotes, and reminds customers three days and one day before",
  schedule: "*/5 * * * *",
  watches: [
    watch(quotes, {
      index: "expiring",
      due: ({ valid_until: until }) => toInstant(fromInstant(until) - REMINDER_DAYS[0] * DAY_MS),
    }),
  ],
  run: (context) =>
    workThrough(context, {
      collection: quotes,
      index: "expiring",
      until: timeOrder(toInstant(context.now + REMINDER_DAYS[0] * DAY_MS)),
      keyOf: ({ valid_until: until }) => timeOrder(until),
      isDone: (quote) => !isExpired(quote, context.now) && remindersDue(quote, context.now).length === 0,
      handle: watchQuote,
    }),
};

/** Days before the end of a quote that have come, and of which nothing is noted yet. */
function remindersDue({ reminders, valid_until: until }: Quote, now: number): number[] {
  const left = fromInstant(until) - now;
  return REMINDER_DAYS.filter((days) => left <= days * DAY_MS && !reminders.includes(days));
}

async function watchQuote(work: CateringWork, stored: Stored<Quote>): Promise<number> {
  const quote = stored.value;
  if (!isOpen(quote.status)) return 0;
  if (isExpired(quote, work.now)) {
    closeQuote(work, stored, { action: "expire", reason: "No answer in time." });
    return 1;
  }
  const due = remindersDue(quote, work.now);
  // Sent so late that a reminder's day had passed already: the mail itself was the reminder.
  const sentAt = fromInstant(quote.sent_at ?? quote.created_at);
  const passed = due.filter((days) => fromInstant(quote.valid_until) - days * DAY_MS <= sentAt);
  const last = due.filter((days) => !passed.includes(days)).at(-1);
  if (due.length === 0) return 0;
  if (last !== undefined) {
    const contact = await contactOf(work, quote);
    const about = ["reminder", quote.id, String(quote.current_version), String(last)];
    const to = quote.sent_to ?? contact.email;
    const storeMail = reminderMail(work, quote, contact.name);
    await mail(work, { about, to, person: contact.email, ...storeMail });
  }
  work.tx.put(quotes, stored, {
    ...quote,
    reminders: [...quote.reminders, ...due],
    updated_at: work.nowAt,
  });
  return last === undefined ? 0 : 1;
}

/** Locks orders at their guarantee deadline; reminds of deposits, and takes back what was confirmed without them. */
export const watchOrders: Job = {
  id: "catering.orders",
  summary: "Locks orders at the guarantee deadline and looks after unpaid deposits",
  schedule: "* * * * *",
  watches: [watch(orders, { index: "due", due: ({ next_action_at: at }) => at })],
  run: (context) =>
    workThrough(context, {
      collection: orders,
      index: "due",
      until: timeOrder(context.nowAt),
      keyOf: ({ next_action_at: at }) => timeOrder(at ?? "9"),
      handle: watchOrder,
    }),
};

async function watchOrder(work: CateringWork, stored: Stored<Order>): Promise<number> {
  const order = stored.value;
  if (order.next_action_at === null || fromInstant(order.next_action_at) > work.now) return 0;
  const today = localDateAt(work.now, order.event.timezone);
  const [overdue] = unpaidDeposits(order.deposit_schedule, order).filter(
    ({ due_on: on }) => on !== null && on < today,
  );
  if (overdue !== undefined) {
    const reminded = order.deposit_reminded_on;
    if (reminded === null) return remind(work, stored, overdue, today);
    if (addDays(reminded, DEPOSIT_GRACE_DAYS) <= today && mayOrder("unconfirm", order.status)) {
      await saveOrder(work, stored, { ...order, status: "tentative" }, { check: false });
      return 1;
    }
  }
  if (mayOrder("lock", order.status) && fromInstant(order.guarantee_at) <= work.now) {
    emit(work, "order.locked", order.id, { guaranteed: order.headcount.guaranteed });
    const headcount = { ...order.headcount, locked_at: work.nowAt };
    await saveOrder(work, stored, { ...order, status: "locked", headcount }, { check: false });
    return 1;
  }
  // Its time was written by other rules than those that hold now.
  if (settledOrder(order, work).next_action_at !== order.next_action_at)
    await saveOrder(work, stored, order, { check: false });
  return 0;
}

async function remind(
  work: CateringWork,
  stored: Stored<Order>,
  deposit: Order["deposit_schedule"][number],
  today: string,
): Promise<number> {
  const order = stored.value;
  const about = ["deposit", order.id, String(deposit.n), deposit.due_on ?? "", String(order.paid)];
  const due = { amount: depositDue(order, deposit.due_on ?? today), on: deposit.due_on };
  await mail(work, { about, to: order.contact.email, ...depositMail(work, order, due) });
  await saveOrder(work, stored, { ...order, deposit_reminded_on: today }, { check: false });
  return 1;
}

/** Counts recurring orders at their deadlines, and makes the orders. */
export const workRecurring: Job = {
  id: "catering.recurring",
  summary: "Counts the heads of recurring orders at their deadlines and makes the orders",
  schedule: "* * * * *",
  watches: [watch(recurringOrders, { index: "due", due: ({ next_action_at: at }) => at })],
  run: (context) =>
    workThrough(context, {
      collection: recurringOrders,
      index: "due",
      until: timeOrder(context.nowAt),
      keyOf: ({ next_action_at: at }) => timeOrder(at ?? "9"),
      async handle(work, stored) {
        const { next_action_at: at } = stored.value;
        if (at === null || fromInstant(at) > work.now) return 0;
        const { counted, ordered } = await workOnRecurring(work, stored);
        return counted + ordered;
      },
    }),
};

/** Finds invoices overdue, and reminds of them once. */
export const watchInvoices: Job = {
  id: "catering.invoices",
  summary: "Finds invoices that are overdue and reminds of them",
  schedule: "7 * * * *",
  run: (context) =>
    workThrough(context, {
      collection: invoices,
      index: "due",
      until: localDateAt(context.now, "Pacific/Kiritimati"),
      keyOf: ({ due_on: on }) => on,
      isDone: isReminded,
      handle: watchInvoice,
    }),
};

const isReminded = ({ overdue_at: at, status }: Invoice): boolean => at !== null || status === "disputed";

async function watchInvoice(work: CateringWork, stored: Stored<Invoice>): Promise<number> {
  const invoice = stored.value;
  if (isReminded(invoice) || invoice.due_on >= todayOf(work)) return 0;
  const saved = await saveInvoice(work, stored, { ...invoice, overdue_at: work.nowAt });
  emit(work, "invoice.overdue", invoice.id, { number: invoice.number, balance: saved.value.balance });
  const about = ["overdue", invoice.id];
  await mail(work, { about, to: invoice.bill_to.email, ...invoiceMail(work, saved.value, true) });
  return 1;
}
