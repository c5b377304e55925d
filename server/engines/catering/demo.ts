import { toInstant } from "../../kernel/clock.ts";
import { createNewId, derivedId } from "../../kernel/ids.ts";
import { sum } from "../../kernel/money.ts";
import { DEFAULT_TERMS } from "./data/default-policy.ts";
import { DEMO_IDS, fixed } from "./data/demo-ids.ts";
import {
  DAY_MS,
  dayLines,
  DEMO_NUMBER,
  demoAccounts,
  demoPolicy,
  demoSettings,
  demoSources,
  eveningLines,
  TIME_ZONE,
} from "./data/demo-shop.ts";
import { holidaysOf, rsvpId, versionId } from "./repository.ts";
import {
  addDays,
  businessDaysBefore,
  localDateAt,
  nextBusinessDay,
  toEpochMs,
  weekdayOf,
} from "./rules/calendar.ts";
import { rebook } from "./rules/credit.ts";
import { acceptedSchedule } from "./rules/deposit-schedule.ts";
import { contentOf, fillDraft } from "./rules/draft-quote.ts";
import { claimOfInvoice, settledInvoice } from "./rules/invoice-state.ts";
import { dueOn } from "./rules/invoice-terms.ts";
import { claimOf, newOrder, settledOrder, taxIn } from "./rules/new-order.ts";
import { quoteHash } from "./rules/quote-hash.ts";
import { nextLook } from "./rules/recurring-agenda.ts";
import type { Account } from "./schema/account.ts";
import type { CateringEvent, EventType } from "./schema/event.ts";
import type { HeadcountSource, Rsvp } from "./schema/headcount.ts";
import type { Invoice } from "./schema/invoice.ts";
import type { Order } from "./schema/order.ts";
import type { Policy } from "./schema/policy.ts";
import type { Progress, RecurringOrder } from "./schema/recurring.ts";
import type { Quote, QuoteVersion, Settings } from "./schema.ts";

/** Everything of the demo store: a kitchen that feeds an office every Tuesday, and events now and then. */
export interface CateringDemo {
  readonly settings: Settings;
  readonly policies: readonly Policy[];
  readonly accounts: readonly Account[];
  readonly sources: readonly HeadcountSource[];
  readonly rsvps: readonly Rsvp[];
  readonly quotes: readonly Quote[];
  readonly versions: readonly QuoteVersion[];
  readonly orders: readonly Order[];
  readonly recurring: readonly RecurringOrder[];
  readonly invoices: readonly Invoice[];
  readonly events: readonly CateringEvent[];
}

interface Stage {
  readonly now: number;
  readonly today: string;
  readonly settings: Settings;
  readonly holidays: ReadonlySet<string>;
  readonly account: Account;
}

/** The demo store at an instant (epoch milliseconds). The same instant gives the same documents. */
export function demoCatering(now: number): CateringDemo {
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
  };
}

/** A business day so many days from today. */
const dayFrom = ({ today, holidays }: Stage, days: number): string =>
  nextBusinessDay(addDays(today, days - 1), 1, holidays);

function demoQuotes(stage: Stage): Quote[] {
  const office = { account_id: DEMO_IDS.account, prospect: null };
  const couple = {
    account_id: null,
    prospect: { name: "Mary Somerville", email: "mary@somerville.example", company: "" },
  };
  const quote = (n: number, more: QuoteDraft): Quote => toQuote(stage, DEMO_NUMBER + n, more);
  return [
    quote(0, {
      ...couple,
      id: DEMO_IDS.quoteExpired,
      title: "Garden party",
      days: 12,
      heads: 60,
      age: 40,
      status: "expired",
    }),
    quote(1, {
      ...couple,
      id: DEMO_IDS.quoteDeclined,
      title: "Christening",
      days: 20,
      heads: 25,
      age: 12,
      status: "declined",
    }),
    quote(2, {
      ...office,
      id: DEMO_IDS.quoteConverted,
      title: "Summer meeting",
      days: 18,
      heads: 45,
      age: 6,
      status: "converted",
    }),
    quote(3, {
      ...couple,
      id: DEMO_IDS.quoteAccepted,
      title: "Wedding breakfast",
      days: 45,
      heads: 80,
      age: 3,
      status: "viewed",
      evening: true,
    }),
    quote(4, {
      ...office,
      id: DEMO_IDS.quoteDraft,
      title: "Away day",
      days: 30,
      heads: 24,
      age: 1,
      status: "draft",
    }),
    quote(5, {
      ...office,
      id: DEMO_IDS.quote,
      title: "Board lunch",
      days: 16,
      heads: 30,
      age: 1,
      status: "sent",
    }),
  ];
}

type QuoteDraft = Pick<Quote, "id" | "account_id" | "prospect" | "title" | "status"> & {
  /** Days from today to the event, heads, and days since it was written. */
  readonly days: number;
  readonly heads: number;
  readonly age: number;
  readonly evening?: boolean;
};

function toQuote(stage: Stage, number: number, draft: QuoteDraft): Quote {
  const { account_id, id, prospect, status, title, heads } = draft;
  const writtenAt = toInstant(stage.now - draft.age * DAY_MS);
  const evening = draft.evening === true;
  const event = {
    date: dayFrom(stage, draft.days - (status === "expired" ? 40 : 0)),
    start: evening ? "18:00" : "12:30",
    end: evening ? "22:00" : "14:00",
    timezone: TIME_ZONE,
    service: evening ? ("full_service" as const) : ("drop_off" as const),
    site: account_id === null ? "The Old Barn, Mill Lane" : "1 Long Lane, reception",
  };
  const lines = [...(evening ? eveningLines : dayLines)];
  const headcount = { estimate: heads, min: heads - 5, max: heads + 10 };
  const base = { lines, event, headcount, tax_included: true, policy: DEFAULT_TERMS };
  const account = account_id === null ? null : stage.account;
  const sentAt = status === "draft" ? null : writtenAt;
  const to = prospect?.email ?? "ada@office.example";
  const quote: Quote = {
    id,
    created_at: writtenAt,
    updated_at: writtenAt,
    number,
    account_id,
    prospect,
    status,
    current_version: 1,
    title,
    currency: "GBP",
    ...base,
    ...fillDraft({ ...base, deposits: null, account }),
    dietary: [
      { code: "vegan", count: 4 },
      { code: "gluten-free", count: 2 },
    ],
    terms: stage.settings.terms,
    valid_until: toInstant(stage.now + (status === "expired" ? -26 : 10) * DAY_MS),
    policy_id: null,
    hash: null,
    sent_at: sentAt,
    sent_to: sentAt === null ? null : to,
    first_viewed_at: status === "draft" || status === "sent" ? null : writtenAt,
    acceptance: null,
    approval: null,
    closed_reason: status === "declined" ? "We found a venue with its own kitchen." : "",
    order_id: null,
    reminders: status === "expired" ? [3, 1] : [],
    metadata: {},
  };
  const hash = sentAt === null ? null : quoteHash(id, 1, contentOf(quote));
  if (status !== "converted" || hash === null) return { ...quote, hash };
  const acceptance = {
    v: 1,
    hash,
    name: "Ada Byron",
    email: to,
    at: toInstant(stage.now - 4 * DAY_MS),
    po_number: "PO-1001",
    cost_centre: "ENG",
    by: "link" as const,
  };
  return { ...quote, hash, acceptance, order_id: derivedId("cor", new Uint8Array(), [id, "1"]) };
}

function toVersion(quote: Quote): QuoteVersion[] {
  const { hash, id, number, sent_at: sentAt, sent_to: sentTo } = quote;
  if (hash === null || sentAt === null || sentTo === null) return [];
  const times = { created_at: sentAt, updated_at: sentAt };
  return [
    {
      id: versionId(id, 1),
      ...times,
      quote_id: id,
      number,
      v: 1,
      hash,
      sent_at: sentAt,
      sent_to: sentTo,
      content: contentOf(quote),
    },
  ];
}

function orderOfQuote(stage: Stage, quote: Quote): Order {
  const { acceptance } = quote;
  const made = newOrder(
    {
      id: quote.order_id ?? "",
      number: DEMO_NUMBER + 100,
      account_id: quote.account_id,
      contact: { name: "Ada Byron", email: "ada@office.example", company: "Analytical Engines Ltd" },
      quote_id: quote.id,
      quote_version: 1,
      status: "confirmed",
      title: quote.title,
      currency: "GBP",
      tax_included: true,
      lines: quote.lines,
      deposit_schedule: acceptedSchedule(quote.deposit_schedule, stage.today),
      policy: quote.policy,
      payment_terms: stage.account.terms,
      event: quote.event,
      dietary: quote.dietary,
      po_number: acceptance?.po_number ?? null,
      cost_centre: acceptance?.cost_centre ?? null,
      heads: quote.headcount.estimate,
    },
    { now: stage.now, holidays: stage.holidays },
  );
  return { ...made, notes: "Ring at the back." };
}

const WEEKS = 8;
/** Guests of the Tuesdays that have passed, the latest last. */
const GUESTS = [22, 19, 24, 21, 26, 23, 20, 25] as const;

interface Tuesdays {
  readonly recurring: RecurringOrder[];
  readonly orders: Order[];
  /** The next Tuesday that nobody has counted yet. */
  readonly next: string;
}

function demoTuesdays(stage: Stage): Tuesdays {
  const { now, today, holidays } = stage;
  const last = addDays(today, -((((weekdayOf(today) - 2) % 7) + 7) % 7 || 7));
  const first = addDays(last, -7 * (WEEKS - 1));
  const past = GUESTS.map((heads, week) => ({ heads, date: addDays(first, 7 * week) }));
  // Those whose deadline has passed already are ordered, as the worker would have done.
  const ahead = [1, 2]
    .map((week) => addDays(last, 7 * week))
    .filter((date) => now >= toEpochMs(businessDaysBefore(date, 2, holidays), "12:00", TIME_ZONE));
  const days = [...past, ...ahead.map((date) => ({ heads: 23, date }))];
  const orders = days.map(({ date, heads }, at) => tuesdayOrder(stage, { date, heads, at }));
  const progress: Progress[] = orders.map((order) => ({
    original_start: `${order.event.date}T12:30`,
    state: "ordered",
    order_id: order.id,
    headcount: null,
    blocked: null,
  }));
  const weekly = recurringOf(stage, { id: DEMO_IDS.recurring, title: "Tuesday lunch", first, progress });
  const resting: RecurringOrder = {
    ...recurringOf(stage, {
      id: DEMO_IDS.recurringPaused,
      title: "Friday breakfast",
      first: addDays(first, 3),
      progress: [],
    }),
    status: "paused",
    rrule: "FREQ=WEEKLY;INTERVAL=2;BYDAY=FR",
    headcount_source_ids: [],
    next_action_at: null,
  };
  return { recurring: [resting, weekly], orders, next: addDays(last, 7 * (ahead.length + 1)) };
}

function recurringOf(
  { holidays, now, today }: Stage,
  { first, id, progress, title }: { id: string; title: string; first: string; progress: Progress[] },
): RecurringOrder {
  const startedAt = toInstant(toEpochMs(addDays(first, -7), "09:00", TIME_ZONE));
  const order: RecurringOrder = {
    id,
    created_at: startedAt,
    updated_at: startedAt,
    account_id: DEMO_IDS.account,
    status: "active",
    title,
    dtstart: `${first}T12:30`,
    rrule: "FREQ=WEEKLY;BYDAY=TU",
    timezone: TIME_ZONE,
    exdates: [],
    rdates: [],
    until: null,
    month_end: false,
    holiday_policy: "next",
    duration_minutes: 60,
    service: "drop_off",
    site: "1 Long Lane, reception",
    lines: [...dayLines],
    menu_rotation: [],
    dietary: [{ code: "vegan", count: 3 }],
    lead_days: 2,
    count_at: "12:00",
    default_heads: 20,
    headcount_source_ids: [DEMO_IDS.source, DEMO_IDS.sourceApi],
    approval_mode: "auto",
    policy_id: null,
    po_number: null,
    cost_centre: "ENG",
    edits: [],
    progress,
    weekday_counts: progress.length === 0 ? {} : { "2": 25 },
    next_action_at: null,
    metadata: {},
  };
  const next = nextLook(order, { now, today, holidays });
  return { ...order, next_action_at: next === null ? null : toInstant(next) };
}

function tuesdayOrder(
  { account, holidays, now }: Stage,
  { at, date, heads }: { readonly at: number; readonly date: string; readonly heads: number },
): Order {
  const countedAt = toEpochMs(businessDaysBefore(date, 2, holidays), "12:00", TIME_ZONE);
  const made = newOrder(
    {
      id: derivedId("cor", new Uint8Array(), [DEMO_IDS.recurring, `${date}T12:30`]),
      number: DEMO_NUMBER + at,
      account_id: account.id,
      contact: { name: "Ada Byron", email: "ada@office.example", company: account.legal_name },
      recurring_order_id: DEMO_IDS.recurring,
      occurrence: `${date}T12:30`,
      status: "confirmed",
      title: "Tuesday lunch",
      currency: "GBP",
      tax_included: true,
      lines: [...dayLines],
      deposit_schedule: [],
      policy: DEFAULT_TERMS,
      payment_terms: account.terms,
      event: {
        date,
        start: "12:30",
        end: "13:30",
        timezone: TIME_ZONE,
        service: "drop_off",
        site: "1 Long Lane, reception",
      },
      dietary: [{ code: "vegan", count: 3 }],
      po_number: null,
      cost_centre: "ENG",
      heads,
    },
    { now: countedAt, holidays },
  );
  if (at >= WEEKS) return made;
  const deliveredAt = toInstant(Math.min(now, toEpochMs(date, "12:15", TIME_ZONE)));
  const delivered: Order = {
    ...made,
    status: "delivered",
    delivered_at: deliveredAt,
    updated_at: deliveredAt,
    headcount: { ...made.headcount, served: heads - 1, locked_at: toInstant(countedAt) },
  };
  return settledOrder(delivered, { now, holidays });
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
    id,
    created_at: issuedAt,
    updated_at: issuedAt,
    number,
    account_id: account.id,
    bill_to: { name: "Ada Byron", email: "ada@office.example", company: account.legal_name },
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
      net: order.total - taxIn(order),
      tax: taxIn(order),
      total: order.total,
    })),
    terms: account.terms,
    issued_on: issuedOn,
    due_on: dueOn(issuedOn, account.terms),
    net: total - tax,
    tax,
    total,
    prepaid: 0,
    payments: isPaid ? [payment] : [],
    paid: 0,
    balance: 0,
    overdue_at: null,
    closed_reason: "",
    closed_on: null,
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
      id: rsvpId(DEMO_IDS.source, date, email),
      created_at: when,
      updated_at: when,
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
    // Ids tell the time, so that the list is in its order; the place keeps two of one instant apart.
    id: createNewId({ now: () => Date.parse(at) + index }, fixed)("evt"),
    created_at: at,
    type,
    subject_id: subject,
    data,
  }));
}
