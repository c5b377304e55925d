import type { FoldedDay, Ledger, OrderEntry } from "../schema/ledger.ts";
import type { Rules } from "../schema/programme.ts";
import { TIER_LIMITS } from "../schema/programme.ts";
import { factsOf } from "./facts.ts";
import type { Fact } from "./facts.ts";
import { joinDays } from "./ledger.ts";
import { addDays, addMonths } from "../../../lib/local-time.ts";

/** Longer than the longest rolling window, so that a folded order only matters for lifetime sums, which include it. */
const KEEP_MONTHS = 37;
/** Age of orders that are folded into days: most refunds and late revisions come before. */
const KEEP_DAYS = 120;
/** Characters of the folded days, about a thousand: with a full ledger, they are within one document. */
const DAYS_CHARS = 40_000;
/** Characters of an order's hash that mark it as folded. */
const REF_CHARS = 12;
const REFS_MAX = 4_096;

export const isFolded = ({ folded }: Ledger, orderKey: string): boolean =>
  folded.refs.includes(orderKey.slice(0, REF_CHARS));

/**
 * Keeps a ledger small enough for one document: once it is full, orders older than 37 months are folded into sums, and where that is not
 * enough, those older than 120 days into the sums of their days, which windows see as before. Nothing is folded before that, so that late
 * refunds count for most members' orders however old they are.
 */
export function foldLedger(ledger: Ledger, rules: Rules, today: string): Ledger {
  if (!isFull(ledger)) return ledger;
  const oldest = foldOld(ledger, rules, addMonths(today, -KEEP_MONTHS));
  return isFull(oldest) ? foldDays(oldest, rules, today) : oldest;
}

const isFull = ({ orders }: Ledger): boolean => Object.keys(orders).length > TIER_LIMITS.orders;

function foldOld(ledger: Ledger, rules: Rules, limit: string): Ledger {
  const { days = [], ...folded } = ledger.folded;
  const going = oldestBefore(ledger, limit);
  const [old, kept] = [days.filter(([date]) => date < limit), days.filter(([date]) => date >= limit)];
  if (going.length === 0 && old.length === 0) return ledger;
  const facts = going.flatMap((entry) => factsOfEntry(ledger, rules, entry));
  const orders = sum(facts, (fact) => fact.orders) + sum(old, ([, , count]) => count);
  const spend = sum(facts, ({ value }) => value) + sum(old, ([, , , amount]) => amount);
  return without(
    {
      ...ledger,
      folded: {
        ...folded,
        orders: Math.max(0, folded.orders + orders),
        spend: Math.max(0, folded.spend + spend),
        ...(kept.length === 0 ? {} : { days: kept }),
      },
    },
    going,
    facts,
  );
}

/** Folds orders of which all that is known counts on their day. */
function foldDays(ledger: Ledger, rules: Rules, today: string): Ledger {
  const going: Entry[] = [];
  const facts: Fact[] = [];
  let { days = [] } = ledger.folded;
  let chars = JSON.stringify(days).length;
  for (const entry of oldestBefore(ledger, addDays(today, -KEEP_DAYS))) {
    const own = factsOfEntry(ledger, rules, entry);
    const [first] = own;
    if (first === undefined) continue;
    if (own.some(({ countsFrom, date }) => date !== first.date || countsFrom > today)) continue;
    const day = dayOf(first, own);
    chars += JSON.stringify(day).length;
    if (chars > DAYS_CHARS) break;
    going.push(entry);
    facts.push(...own);
    days = [...days, day];
  }
  if (going.length === 0) return ledger;
  return without({ ...ledger, folded: { ...ledger.folded, days: joinDays(days) } }, going, facts);
}

function dayOf({ channel, date }: Fact, facts: readonly Fact[]): FoldedDay {
  const categories: Record<string, number> = {};
  for (const fact of facts)
    for (const [name, amount] of Object.entries(fact.categories))
      categories[name] = (categories[name] ?? 0) + amount;
  const [orders, spend] = [sum(facts, (fact) => fact.orders), sum(facts, ({ value }) => value)];
  return [date, channel, orders, spend, categories];
}

type Entry = readonly [key: string, entry: OrderEntry];

/** The ledger without the entries that were folded: it knows them, what of them was refunded, and when the first and the last were. */
function without(ledger: Ledger, going: readonly Entry[], facts: readonly Fact[]): Ledger {
  const { folded } = ledger;
  const gone = new Set(going.map(([key]) => key));
  const times = [folded.first_at, folded.last_at, ...going.map(([, entry]) => timeOf(entry))]
    .filter((at) => at !== null)
    .sort();
  return {
    ...ledger,
    orders: Object.fromEntries(Object.entries(ledger.orders).filter(([key]) => !gone.has(key))),
    folded: {
      ...folded,
      refunds: folded.refunds - sum(facts, ({ isReversal, value }) => (isReversal ? value : 0)),
      first_at: times[0] ?? null,
      last_at: times.at(-1) ?? null,
      refs: [...new Set([...folded.refs, ...[...gone].map((key) => key.slice(0, REF_CHARS))])].sort(),
    },
  };
}

/** Orders before a day, the oldest first: as many as the ledger can know of. */
function oldestBefore({ folded, orders }: Ledger, limit: string): Entry[] {
  const old = Object.entries(orders).filter(
    ([, { order }]) => order !== null && order.at.slice(0, 10) < limit,
  );
  const room = REFS_MAX - folded.refs.length;
  return old.sort(([, a], [, b]) => (timeOf(a) < timeOf(b) ? -1 : 1)).slice(0, room);
}

const factsOfEntry = (ledger: Ledger, rules: Rules, [key, entry]: Entry): readonly Fact[] =>
  factsOf({ marks: {}, orders: { [key]: entry }, folded: { ...ledger.folded, days: [] } }, rules).facts;

const sum = <T>(items: readonly T[], of: (item: T) => number): number =>
  items.reduce((total, item) => total + of(item), 0);
const timeOf = ({ order }: OrderEntry): string => order?.at ?? "";
