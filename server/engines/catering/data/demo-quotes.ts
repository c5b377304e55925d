import { DAY_MS, toInstant } from "../../../lib/instant.ts";
import { derivedId } from "../../../core/ids.ts";
import { versionId } from "../repository.ts";
import { addDays } from "../../../lib/local-time.ts";
import { nextBusinessDay } from "../rules/calendar.ts";
import { acceptedSchedule } from "../rules/deposit-schedule.ts";
import { contentOf, fillDraft } from "../rules/draft-quote.ts";
import { newOrder } from "../rules/new-order.ts";
import { quoteHash } from "../rules/quote-hash.ts";
import type { Order } from "../schema/order.ts";
import type { Quote, QuoteVersion } from "../schema.ts";
import { DEFAULT_TERMS } from "./default-policy.ts";
import { DEMO_IDS } from "./demo-ids.ts";
import { dayLines, DEMO_NUMBER, eveningLines, TIME_ZONE } from "./demo-shop.ts";
import type { Stage } from "./demo-shop.ts";
import { newResource } from "../../../lib/new-resource.ts";

/** A business day so many days from today. */
const dayFrom = ({ today, holidays }: Stage, days: number): string =>
  nextBusinessDay(addDays(today, days - 1), 1, holidays);

/** Quotes in every state, for the office and for people who have no account. */
export function demoQuotes(stage: Stage): Quote[] {
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
    ...newResource(id, writtenAt),
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

export function toVersion(quote: Quote): QuoteVersion[] {
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

export function orderOfQuote(stage: Stage, quote: Quote): Order {
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
