import { defineSettings } from "../../core/settings.ts";
import { z } from "zod";

import { defineCollection, newestFirst, timeOrder, timeIndex } from "../../core/collection.ts";
import { derivedId, sha256Hex } from "../../core/ids.ts";
import { Id } from "../../core/schema.ts";
import type { Tx } from "../../core/tx.ts";
import {
  personalAccount,
  personalEvent,
  personalFeed,
  personalInvoice,
  personalOrder,
  personalQuote,
  personalRsvp,
  personalText,
  personalVersion,
} from "./schema/personal.ts";
import { DEFAULT_TERMS } from "./data/default-policy.ts";
import { isOwed } from "./rules/invoice-state.ts";
import { erasingIndex, retainedUntil } from "../../core/retention.ts";
import { isOpen } from "./rules/quote-state.ts";
import { Account } from "./schema/account.ts";
import { CateringEvent } from "./schema/event.ts";
import { CountBook, Feed, HeadcountSource, Rsvp } from "./schema/headcount.ts";
import { Invoice } from "./schema/invoice.ts";
import { Order } from "./schema/order.ts";
import type { PolicyTerms } from "./schema/policy.ts";
import { Policy, policyTerms } from "./schema/policy.ts";
import { RecurringOrder } from "./schema/recurring.ts";
import { Quote, QuoteVersion, Settings } from "./schema.ts";

/** Newest first, for ids that do not contain their time. */
const byAge = ({ created_at: at }: { readonly created_at: string }): string => newestFirst(at);

/** Text of a person as a value of an index: it never enters a key itself. */
export const filed = (kind: "email" | "word", text: string): string =>
  `${kind}.${sha256Hex(text.trim().toLowerCase()).slice(0, 32)}`;

/** Words of a name, as a search finds them. */
export const wordsOf = (name: string): string[] =>
  [...new Set(name.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])].slice(0, 12);

const eventOrder = ({ event }: { readonly event: { readonly date: string; readonly start: string } }) =>
  timeOrder(`${event.date}T${event.start}`);

export const quotes = defineCollection({
  name: "catering.quotes",
  personal: personalQuote,
  schema: Quote,
  indexes: {
    by: {
      values: ({ status, account_id: account, number, prospect }) => [
        `status.${status}`,
        `number.${number}`,
        ...(account === null ? [] : [account]),
        ...(prospect === null ? [] : [filed("email", prospect.email)]),
      ],
    },
    /** By the day of the event. */
    event: { values: () => [""], order: eventOrder },
    /** Those a customer can still answer, by when they end. */
    expiring: {
      values: ({ status }) => (isOpen(status) ? [""] : []),
      order: ({ valid_until: until }) => timeOrder(until),
    },
  },
});

export const quoteVersions = defineCollection({
  name: "catering.quote_versions",
  personal: personalVersion,
  unlisted: true,
  schema: QuoteVersion,
  indexes: { quote: { values: ({ quote_id }) => [quote_id], order: ({ v }) => String(v).padStart(6, "0") } },
});

/** What makes a version's document once: sending twice cannot make two. */
export const versionId = (quoteId: string, v: number): string =>
  derivedId("cqv", new Uint8Array(), [quoteId, String(v)]);

export const accounts = defineCollection({
  name: "catering.accounts",
  personal: personalAccount,
  schema: Account,
  // 2: the billing address.
  schemaVersion: 2,
  indexes: {
    by: {
      values: ({ status, legal_name: name }) => [
        `status.${status}`,
        ...wordsOf(name).map((word) => filed("word", word)),
      ],
    },
  },
});

/** The day of its occurrence, for which guests were asked, where an order is for another. */
function movedFrom({ event, occurrence }: Order): string[] {
  const day = occurrence?.slice(0, 10) ?? event.date;
  return day === event.date ? [] : [`moved.${day}`];
}

export const orders = defineCollection({
  name: "catering.orders",
  personal: personalOrder,
  schema: Order,
  indexes: {
    // An order's id is derived from what it came from, so its order says nothing.
    new: { values: () => [""], order: byAge },
    by: {
      values: (order) => [
        `status.${order.status}`,
        ...[order.account_id, order.quote_id, order.recurring_order_id].filter((id) => id !== null),
        ...movedFrom(order),
      ],
      order: byAge,
    },
    /** By the time of the event; `live` are those that are not cancelled. */
    event: {
      values: ({ status }) => (status === "cancelled" ? [""] : ["", "live"]),
      order: eventOrder,
    },
    due: timeIndex("next_action_at"),
  },
});

export const invoices = defineCollection({
  name: "catering.invoices",
  personal: personalInvoice,
  schema: Invoice,
  // 3: items, tax by rate and the customer's address, which older invoices lack.
  schemaVersion: 3,
  upgrade: (old) => ({
    retained_until: retainedUntil(
      z.string().nullable().parse(old["issued_on"]),
      DEFAULT_SETTINGS.invoice_retention_years,
    ),
    erasure_due: false,
    ...old,
  }),
  indexes: {
    by: {
      values: ({ status, account_id: account }) => [
        `status.${status}`,
        ...(account === null ? [] : [account]),
        ...(isOwed({ status }) ? ["owed"] : []),
      ],
    },
    /** Those that are owed, by the day on which they are due. */
    due: {
      values: ({ status, account_id: account }) =>
        isOwed({ status }) ? ["", ...(account === null ? [] : [account])] : [],
      order: ({ due_on: on }) => on,
    },
    erasing: erasingIndex,
  },
});

export const recurringOrders = defineCollection({
  name: "catering.recurring_orders",
  personal: personalText<RecurringOrder>(),
  schema: RecurringOrder,
  schemaVersion: 2,
  // They were not listed by their sources before.
  upgrade: (old) => old,
  indexes: {
    by: {
      values: ({ status, account_id: account, headcount_source_ids: sources }) => [
        `status.${status}`,
        account,
        ...sources.map((id) => `source.${id}`),
      ],
    },
    due: timeIndex("next_action_at"),
  },
});

export const headcountSources = defineCollection({
  name: "catering.headcount_sources",
  personal: personalText<HeadcountSource>(),
  schema: HeadcountSource,
  schemaVersion: 2,
  // Calendars were not fetched before.
  upgrade: (old) => ({ ...old, feed: null }),
  indexes: {
    by: {
      values: ({ account_id: account, kind }) => [`kind.${kind}`, ...(account === null ? [] : [account])],
    },
  },
});

export const feeds = defineCollection({
  name: "catering.feeds",
  personal: personalFeed,
  unlisted: true,
  schema: Feed,
  indexes: {
    due: timeIndex("next_at"),
  },
});

/** What a source said by day; it has the id of its source. */
export const countBooks = defineCollection({
  name: "catering.count_books",
  personal: personalText<CountBook>(),
  unlisted: true,
  schema: CountBook,
});

export const rsvps = defineCollection({
  name: "catering.rsvps",
  personal: personalRsvp,
  unlisted: true,
  schema: Rsvp,
  indexes: {
    old: { values: () => [""], order: ({ date }) => date },
    day: { values: ({ source_id: source, date }) => [`${source}.${date}`], order: ({ id }) => id },
  },
});

/** One person is asked, and counted, once about a day: `who` is an address, or what a page without one calls them. */
export const rsvpId = (sourceId: string, date: string, who: string): string =>
  derivedId("crs", new Uint8Array(), [sourceId, date, who.toLowerCase()]);

export const policies = defineCollection({ name: "catering.policies", schema: Policy });

export const events = defineCollection({
  name: "catering.events",
  personal: personalEvent,
  schema: CateringEvent,
  indexes: { by: { values: ({ type, subject_id: subject }) => [subject, `type.${type}`] } },
});

/** Numbers that run per store, counted in the commit of what bears them: none is given twice, none is lost. */
export const counters = defineCollection({
  name: "catering.counters",
  unlisted: true,
  schema: z.strictObject({ id: Id, last: z.int().nonnegative() }),
});

type Counted = "quotes" | "orders" | "invoices" | `answers.${string}` | `mails.${string}`;

export async function nextNumber(tx: Tx, kind: Counted): Promise<number> {
  const before = await tx.get(counters, kind);
  const last = (before?.value.last ?? 0) + 1;
  tx.save(counters, before, { id: kind, last });
  return last;
}

export const DEFAULT_SETTINGS: Settings = {
  id: "settings",
  shop_name: "",
  shop_address: "",
  vat_no: "",
  bank_details: "",
  currency: "GBP",
  timezone: "Europe/London",
  tax_included: true,
  terms: "",
  policy_id: null,
  holidays: [],
  late_interest: { enabled: false, base_rate_bps: 375 },
  invoice_retention_years: 7,
  send_mail: true,
  feed_generation: 0,
  updated_at: null,
};

export const cateringSettings = defineSettings<Settings>({
  engine: "catering",
  schema: Settings,
  defaults: DEFAULT_SETTINGS,
  inherits: {
    shop_name: "name",
    shop_address: "address",
    vat_no: "vat_number",
    currency: "currency",
    timezone: "time_zone",
  },
  schemaVersion: 3,
});

export const readSettings = cateringSettings.read;

export const holidaysOf = ({ holidays }: Settings): ReadonlySet<string> =>
  new Set(holidays.map(({ date }) => date));

/** The terms of a policy; the built-in ones where none is set or it was deleted. */
export async function readPolicy(tx: Tx, id: string | null): Promise<PolicyTerms> {
  if (id === null) return DEFAULT_TERMS;
  const policy = await tx.get(policies, id);
  return policy === null ? DEFAULT_TERMS : z.object(policyTerms).parse(policy.value);
}
