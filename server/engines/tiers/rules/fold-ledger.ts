import type { Ledger, OrderEntry } from "../schema/ledger.ts";
import type { Rules } from "../schema/programme.ts";
import { TIER_LIMITS } from "../schema/programme.ts";
import { factsOf } from "./facts.ts";
import { addMonths } from "../../../lib/local-time.ts";

/** Longer than the longest rolling window, so that a folded order only matters for lifetime sums, which include it. */
const KEEP_MONTHS = 37;
/** Characters of an order's hash that mark it as folded. */
const REF_CHARS = 12;
const REFS_MAX = 4_096;

export const isFolded = ({ folded }: Ledger, orderKey: string): boolean =>
  folded.refs.includes(orderKey.slice(0, REF_CHARS));

/**
 * Keeps a ledger small enough for one document: once it is full, orders older than 37 months are folded into sums,
 * oldest first. Nothing is folded before that, so that late refunds count for most members' orders however old they
 * are.
 */
export function foldLedger(ledger: Ledger, rules: Rules, today: string): Ledger {
  if (Object.keys(ledger.orders).length <= TIER_LIMITS.orders) return ledger;
  const limit = addMonths(today, -KEEP_MONTHS);
  const old = Object.entries(ledger.orders).filter(([, entry]) => isOld(entry, limit));
  const room = REFS_MAX - ledger.folded.refs.length;
  const going = old.sort(([, a], [, b]) => (timeOf(a) < timeOf(b) ? -1 : 1)).slice(0, room);
  if (going.length === 0) return ledger;
  const gone = new Set(going.map(([key]) => key));
  const { facts } = factsOf({ ...ledger, orders: Object.fromEntries(going), marks: {} }, rules);
  const sum = (of: (fact: (typeof facts)[number]) => number): number =>
    facts.reduce((total, fact) => total + of(fact), 0);
  const times = [ledger.folded.first_at, ledger.folded.last_at, ...going.map(([, entry]) => timeOf(entry))]
    .filter((at) => at !== null)
    .sort();
  return {
    ...ledger,
    orders: Object.fromEntries(Object.entries(ledger.orders).filter(([key]) => !gone.has(key))),
    folded: {
      orders: Math.max(0, ledger.folded.orders + sum((fact) => fact.orders)),
      spend: Math.max(0, ledger.folded.spend + sum(({ value }) => value)),
      refunds: ledger.folded.refunds - sum(({ isReversal, value }) => (isReversal ? value : 0)),
      first_at: times[0] ?? null,
      last_at: times.at(-1) ?? null,
      refs: [...new Set([...ledger.folded.refs, ...[...gone].map((key) => key.slice(0, REF_CHARS))])].sort(),
    },
  };
}

const isOld = (entry: OrderEntry, limit: string): boolean =>
  entry.order !== null && entry.order.at.slice(0, 10) < limit;
const timeOf = ({ order }: OrderEntry): string => order?.at ?? "";
