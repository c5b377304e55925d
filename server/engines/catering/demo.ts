import { DAY_MS, toInstant } from "../../lib/instant.ts";
import { createNewId } from "../../core/ids.ts";
import { sum } from "../../lib/money.ts";
import { DEMO_IDS, fixed } from "./data/demo-ids.ts";
import { demoQuotes, orderOfQuote, toVersion } from "./data/demo-quotes.ts";
import {
  DEMO_NUMBER,
  demoAccounts,
  demoPolicy,
  demoSettings,
  demoSources,
  TIME_ZONE,
} from "./data/demo-shop.ts";
import type { Stage } from "./data/demo-shop.ts";
import { demoTuesdays, WEEKS } from "./data/demo-tuesdays.ts";
import { DEFAULT_SETTINGS, holidaysOf, rsvpId } from "./repository.ts";
import { localDateAt } from "../../lib/local-time.ts";
import { rebook } from "./rules/credit.ts";
import { claimOfInvoice, settledInvoice } from "./rules/invoice-state.ts";
import { retainedUntil } from "../../core/retention.ts";
import { dueOn } from "./rules/invoice-terms.ts";
import { itemsOf, taxesOfItems } from "./rules/invoice-lines.ts";
import { claimOf, taxIn } from "./rules/new-order.ts";
import type { CateringEvent, EventType } from "./schema/event.ts";
import type { Rsvp } from "./schema/headcount.ts";
import type { Invoice } from "./schema/invoice.ts";
import type { Order } from "./schema/order.ts";
import type { Quote } from "./schema.ts";
import { newResource } from "../../lib/new-resource.ts";

/** The demo store at an instant (epoch milliseconds). The same instant gives the same documents. */
export function demoCatering(now: number) {
  const nowAt = toInstant(now);
  const settings = demoSettings(nowAt);
  const { active, held } = demoAccounts(nowAt);
  const today = localDateAt(now, TIME_ZONE);
  const stage: Stage = { now, today, settings, holidays: holidaysOf(settings), account: active };
  const quotes = demoQuotes(stage);
  const tuesdays = demoTuesdays(stage);
  const accepted = quotes.find(({ id }) => id === DEMO_IDS.quoteConverted);
  const placed = accepted === undefined ? [] : [orderOfQuote(stage, accepted)];
  const { invoices, orders } = demoInvoices(stage, tuesdays.orders);
  const all = [...orders, ...placed];
  const claims = [...all.map(claimOf), ...invoices.map(claimOfInvoice)];
  const account = claims.reduce(
    (books, claim) => (claim === null ? books : rebook(books, null, claim)),
    active,
  );
  return {
    settings,
    policies: [demoPolicy(nowAt)],
    accounts: [held, account],
    sources: demoSources(nowAt),
    rsvps: demoAnswers(stage, tuesdays.next),
    quotes,
    versions: quotes.flatMap(toVersion),
    orders: all,
    recurring: tuesdays.recurring,
    invoices,
    events: demoEvents(now, quotes, invoices),
    counters: Object.entries({ quotes, orders: all, invoices }).map(([id, numbered]) => ({
      id,
      last: Math.max(...numbered.map(({ number }) => number ?? 0)),
    })),
  };
}

/** Four Tuesdays are paid, the next three are invoiced, the last one is not yet. */
function demoInvoices(
  stage: Stage,
  tuesdays: readonly Order[],
): { readonly invoices: Invoice[]; readonly orders: Order[] } {
  const paid = tuesdays.slice(0, 4);
  const open = tuesdays.slice(4, WEEKS - 1);
  const first = toInvoice(stage, {
    id: DEMO_IDS.invoicePaid,
    number: DEMO_NUMBER,
    orders: paid,
    age: 27,
    isPaid: true,
  });
  const second = toInvoice(stage, {
    id: DEMO_IDS.invoice,
    number: DEMO_NUMBER + 1,
    orders: open,
    age: 6,
    isPaid: false,
  });
  const mark = (order: Order, invoiceId: string, status: Order["status"]): Order => ({
    ...order,
    status,
    invoice_id: invoiceId,
    next_action_at: null,
  });
  return {
    invoices: [first, second],
    orders: [
      ...paid.map((order) => mark(order, first.id, "paid")),
      ...open.map((order) => mark(order, second.id, "invoiced")),
      ...tuesdays.slice(WEEKS - 1),
    ],
  };
}

interface ToInvoice {
  readonly id: string;
  readonly number: number;
  readonly orders: readonly Order[];
  readonly age: number;
  readonly isPaid: boolean;
}

function toInvoice({ account, now, today }: Stage, { age, id, isPaid, number, orders }: ToInvoice): Invoice {
  const issuedAt = toInstant(now - age * DAY_MS);
  const issuedOn = localDateAt(now - age * DAY_MS, TIME_ZONE);
  const total = sum(orders.map((order) => order.total));
  const tax = sum(orders.map(taxIn));
  const payment = {
    id: "pay_demo",
    at: toInstant(now - 5 * DAY_MS),
    amount: total,
    method: "bank_transfer" as const,
    reference: `INV-${number}`,
  };
  const invoice: Invoice = {
    ...newResource(id, issuedAt),
    number,
    account_id: account.id,
    bill_to: {
      name: "Ada Byron",
      email: "ada@office.example",
      company: account.legal_name,
      address: "1 Long Lane, London",
    },
    status: "issued",
    currency: "GBP",
    orders: orders.map((order) => ({
      order_id: order.id,
      order_number: order.number,
      title: order.title,
      delivered_on: order.event.date,
      heads: order.headcount.billed,
      po_number: order.po_number,
      cost_centre: order.cost_centre,
      items: itemsOf(order),
      net: order.total - taxIn(order),
      tax: taxIn(order),
      total: order.total,
    })),
    terms: account.terms,
    issued_on: issuedOn,
    due_on: dueOn(issuedOn, account.terms),
    net: total - tax,
    tax,
    taxes: taxesOfItems(orders.flatMap(itemsOf)),
    total,
    prepaid: 0,
    payments: isPaid ? [payment] : [],
    paid: 0,
    balance: 0,
    overdue_at: null,
    closed_reason: "",
    closed_on: null,
    retained_until: retainedUntil(issuedOn, DEFAULT_SETTINGS.invoice_retention_years),
    erasure_due: false,
    metadata: {},
  };
  return settledInvoice(invoice, today);
}

const PEOPLE = [
  "Grace Hopper",
  "Alan Turing",
  "Katherine Johnson",
  "Edsger Dijkstra",
  "Barbara Liskov",
] as const;

/** Answers for the next Tuesday: most come, one does not, one has not said. */
function demoAnswers({ now }: Stage, date: string): Rsvp[] {
  return PEOPLE.map((name, at): Rsvp => {
    const email = `${name.split(" ")[0]?.toLowerCase()}@office.example`;
    const answer = at === 3 ? "declined" : at === 4 ? "none" : "accepted";
    const when = toInstant(now - DAY_MS);
    return {
      ...newResource(rsvpId(DEMO_IDS.source, date, email), when),
      source_id: DEMO_IDS.source,
      date,
      title: "Tuesday lunch",
      name,
      email,
      answer,
      guests: at === 0 ? 1 : 0,
      dietary: at === 1 ? ["vegan"] : [],
      answered_at: answer === "none" ? null : when,
    };
  });
}

function demoEvents(now: number, quotes: readonly Quote[], invoices: readonly Invoice[]): CateringEvent[] {
  const happened: { at: string; type: EventType; subject: string; data: CateringEvent["data"] }[] = [];
  for (const { acceptance, id, order_id: orderId, sent_at: sentAt, status, total } of quotes) {
    if (sentAt !== null)
      happened.push({ at: sentAt, type: "quote.sent", subject: id, data: { v: 1, total, currency: "GBP" } });
    if (status === "declined")
      happened.push({ at: toInstant(now - 8 * DAY_MS), type: "quote.declined", subject: id, data: { v: 1 } });
    if (status === "expired")
      happened.push({ at: toInstant(now - 26 * DAY_MS), type: "quote.expired", subject: id, data: { v: 1 } });
    if (acceptance !== null) {
      happened.push({
        at: acceptance.at,
        type: "quote.accepted",
        subject: id,
        data: { v: 1, total, by: "link" },
      });
      happened.push({ at: acceptance.at, type: "quote.converted", subject: id, data: { order_id: orderId } });
    }
  }
  for (const { created_at: at, id, number, status, total } of invoices) {
    happened.push({ at, type: "invoice.issued", subject: id, data: { number, total } });
    if (status === "paid")
      happened.push({
        at: toInstant(now - 5 * DAY_MS),
        type: "invoice.paid",
        subject: id,
        data: { number, total },
      });
  }
  happened.sort((a, b) => (a.at < b.at ? -1 : 1));
  return happened.map(({ at, data, subject, type }, index) => ({
    // Ids contain the time, so that the list is in its order; the place separates two of one instant.
    id: createNewId({ now: () => Date.parse(at) + index }, fixed)("evt"),
    created_at: at,
    type,
    subject_id: subject,
    data,
  }));
}
