import type { FoldedDay, FoldedMark, Ledger, OrderEntry } from "../schema/ledger.ts";
import { EMPTY_LEDGER } from "../schema/ledger.ts";
import type { Rules } from "../schema/programme.ts";
import { TIER_LIMITS } from "../schema/programme.ts";
import { factsOf, foldedIn } from "./facts.ts";
import type { Fact } from "./facts.ts";
import { fitSums, MARKS, ORDERS } from "./sums.ts";
import { addDays, addMonths, localDateAt } from "../../../lib/local-time.ts";

/** Longer than the longest rolling window: what is older matters for longer windows only, as sums of months. */
const KEEP_MONTHS = 37;
/** Ages of what is folded otherwise: most refunds and late revisions come before. The second only where the first is not enough. */
const KEEP_DAYS = [120, 30] as const;
/** Characters of the folded sums: with a full ledger, they are within one document. */
const [DAYS_CHARS, MARKS_CHARS] = [40_000, 20_000];
/** Characters of a hash that mark an order or a mark as folded. */
const REF_CHARS = 12;
const REFS_MAX = 4_096;
/** Bytes of a ledger beyond which it is folded whatever their number: an order can have many categories. */
const FULL_BYTES = 190_000;
/** Bytes beyond which nothing new is accepted: a document holds the events of one more commit. */
const MOST_BYTES = 225_000;

const bytesOf = (ledger: Ledger): number => Buffer.byteLength(JSON.stringify(ledger));

export const isTooLarge = (ledger: Ledger): boolean => bytesOf(ledger) > MOST_BYTES;

export const isFolded = ({ folded }: Ledger, key: string): boolean =>
  folded.refs.includes(key.slice(0, REF_CHARS));

/**
 * Keeps a ledger small enough for one document: once it is full, what is older than 37 months is folded into sums of months, and where that
 * is not enough, what is older than 120 days, then 30, into those of days, which windows see as before. Nothing is folded before that, so
 * that late refunds count for most members' orders however old they are.
 */
export function foldLedger(ledger: Ledger, rules: Rules, today: string): Ledger {
  const oldest = addMonths(today, -KEEP_MONTHS);
  let next = ledger;
  for (const limit of [oldest, ...KEEP_DAYS.map((days) => addDays(today, -days))]) {
    const isLarge = bytesOf(next) > FULL_BYTES;
    const hasOrders = isLarge || Object.keys(next.orders).length > TIER_LIMITS.orders;
    const hasMarks = isLarge || Object.keys(next.marks).length > TIER_LIMITS.marks;
    if (!hasOrders && !hasMarks) return next;
    const before = next;
    if (hasOrders) next = foldOrders(next, rules, { limit, today, isOldest: limit === oldest });
    if (hasMarks) next = foldMarks(next, rules, limit);
    if (next !== before) next = fitted(next, oldest, rules.start_date);
  }
  return next;
}

interface FoldOptions {
  readonly limit: string;
  readonly today: string;
  /** No rolling window sees the orders. */
  readonly isOldest: boolean;
}

/** Folds orders of which all that is known counts on their day; the oldest in any case. */
function foldOrders(ledger: Ledger, rules: Rules, { limit, today, isOldest }: FoldOptions): Ledger {
  const going: Entry[] = [];
  const facts: Fact[] = [];
  const days: FoldedDay[] = [];
  for (const [key, entry] of oldestBefore(ledger, limit)) {
    const own = factsOf({ ...EMPTY_LEDGER, orders: { [key]: entry } }, rules).facts;
    const [first] = own;
    const isOfDay =
      first !== undefined && own.every(({ countsFrom, date }) => date === first.date && countsFrom <= today);
    if (!isOldest && !isOfDay) continue;
    going.push([key, entry]);
    facts.push(...own);
    if (first !== undefined) days.push(dayOf(first, own));
  }
  if (going.length === 0) return ledger;
  const folded = foldedIn(ledger, rules);
  const times = [folded.first_at, folded.last_at, ...going.map(([, entry]) => timeOf(entry))]
    .filter((at) => at !== null)
    .sort();
  const gone = new Set(going.map(([key]) => key));
  return {
    ...ledger,
    orders: withoutKeys(ledger.orders, gone),
    folded: {
      ...folded,
      currency: rules.currency,
      refunds: folded.refunds - sum(facts, ({ isReversal, value }) => (isReversal ? value : 0)),
      first_at: times[0] ?? null,
      last_at: times.at(-1) ?? null,
      refs: withRefs(folded.refs, gone),
      days: [...(folded.days ?? []), ...days],
    },
  };
}

function dayOf({ channel, date }: Fact, facts: readonly Fact[]): FoldedDay {
  const categories: Record<string, number> = {};
  for (const fact of facts)
    for (const [name, amount] of Object.entries(fact.categories))
      categories[name] = (categories[name] ?? 0) + amount;
  const [orders, spend] = [sum(facts, (fact) => fact.orders), sum(facts, ({ value }) => value)];
  return [date, channel, orders, spend, categories];
}

function foldMarks(ledger: Ledger, { timezone }: Rules, limit: string): Ledger {
  const gone = new Set<string>();
  const marks: FoldedMark[] = [...(ledger.folded.marks ?? [])];
  for (const [name, { amount, at, key, type }] of Object.entries(ledger.marks)) {
    if (at.slice(0, 10) >= limit) continue;
    gone.add(name);
    marks.push([localDateAt(Date.parse(at), timezone), type, key, amount]);
  }
  if (gone.size === 0) return ledger;
  const refs = withRefs(ledger.folded.refs, gone);
  return { ...ledger, marks: withoutKeys(ledger.marks, gone), folded: { ...ledger.folded, refs, marks } };
}

/** The ledger with sums that fit: where those of years do not either, the oldest of orders are only known as a whole. */
function fitted(ledger: Ledger, limit: string, startDate: string): Ledger {
  const { days = [], marks = [], ...folded } = ledger.folded;
  const room = { limit, startDate };
  const orders = fitSums(days, ORDERS, { ...room, chars: DAYS_CHARS });
  while (JSON.stringify(orders).length > DAYS_CHARS) {
    const [, , count, spend] = orders.shift() ?? ["", null, 0, 0];
    folded.orders += count;
    folded.spend += spend;
  }
  const others = fitSums(marks, MARKS, { ...room, chars: MARKS_CHARS });
  return {
    ...ledger,
    folded: {
      ...folded,
      ...(orders.length === 0 ? {} : { days: orders }),
      ...(others.length === 0 ? {} : { marks: others }),
    },
  };
}

type Entry = readonly [key: string, entry: OrderEntry];

/** Orders before a day, the oldest first. */
const oldestBefore = ({ orders }: Ledger, limit: string): Entry[] =>
  Object.entries(orders)
    .filter(([, { order }]) => order !== null && order.at.slice(0, 10) < limit)
    .sort(([, a], [, b]) => (timeOf(a) < timeOf(b) ? -1 : 1));

const withoutKeys = <T>(record: Readonly<Record<string, T>>, gone: ReadonlySet<string>): Record<string, T> =>
  Object.fromEntries(Object.entries(record).filter(([key]) => !gone.has(key)));

/** With those of what is folded now; of very many, the first are forgotten. */
const withRefs = (refs: readonly string[], gone: ReadonlySet<string>): string[] =>
  [...new Set([...refs, ...[...gone].map((key) => key.slice(0, REF_CHARS))])].slice(-REFS_MAX);

const sum = <T>(items: readonly T[], of: (item: T) => number): number =>
  items.reduce((total, item) => total + of(item), 0);
const timeOf = ({ order }: OrderEntry): string => order?.at ?? "";
