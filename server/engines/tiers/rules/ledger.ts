import { sha256Hex } from "../../../core/ids.ts";
import { mulRatio } from "../../../lib/money.ts";
import { digitsOf } from "../../../lib/show.ts";
import type { EventFacts } from "../schema/event.ts";
import type { Ledger, Mark, OrderEntry } from "../schema/ledger.ts";
import { EMPTY_LEDGER, OrderSlot } from "../schema/ledger.ts";
import { joinSums, MARKS, ORDERS } from "./sums.ts";

const KEY_CHARS = 20;
const keyOf = (...parts: string[]): string => sha256Hex(parts.join("\0")).slice(0, KEY_CHARS);

/** Key of an order in the ledger: its reference is user text, so its hash is used. */
export const orderKey = (ref: string): string => keyOf("order", ref);

/** A duplicate within an event counts once. */
export const eventKey = ({ source, type, external_id: name, source_version: v }: EventFacts): string =>
  sha256Hex([source, type, name, String(v)].join("\0")).slice(0, 52);

/** The ledger of a single event. Applying an event means merging its ledger into the existing one. */
export function ledgerOf(event: EventFacts): Ledger {
  // A cancellation without a revision is later than every revision of the order.
  const writer = {
    v: event.source_version ?? Number.MAX_SAFE_INTEGER,
    id: eventKey(event),
    at: event.occurred_at,
  };
  if (event.type !== "order" && event.type !== "refund" && event.type !== "cancel") {
    return { ...EMPTY_LEDGER, marks: { [markKey(event)]: { ...writer, ...markOf(event) } } };
  }
  const entry: OrderEntry = { ref: event.order_ref, order: null, cancel: null, refunds: {} };
  const filled = ((): OrderEntry => {
    if (event.type === "cancel") return { ...entry, cancel: writer };
    const currency = event.rate?.currency ?? event.currency;
    const money = event.rate === null ? (amount: number) => amount : converter(event.currency, event.rate);
    if (event.type === "refund") {
      const refund = { ...writer, amount: money(event.amount), currency };
      return { ...entry, refunds: { [keyOf(event.source, event.external_id)]: refund } };
    }
    const { state, fulfilled_at, channel } = event;
    const categories = Object.fromEntries(
      Object.entries(event.categories).map(([name, amount]) => [name, money(amount)]),
    );
    const amounts = { amount: money(event.amount), shipping: money(event.shipping) };
    const more = { tax: money(event.tax), discount: money(event.discount) };
    const order = {
      ...writer,
      state,
      fulfilled_at,
      ...amounts,
      ...more,
      currency,
      channel,
      categories,
    };
    return { ...entry, order };
  })();
  return { ...EMPTY_LEDGER, orders: { [orderKey(event.order_ref)]: filled } };
}

const MICROS = 1_000_000;

/** Converts minor units. The rate is one of whole units: of yen, which have no smaller ones, to pounds, which have pence. */
function converter(from: string, rate: { readonly currency: string; readonly micros: number }) {
  const digits = digitsOf(rate.currency) - digitsOf(from);
  const numerator = rate.micros * 10 ** Math.max(0, digits);
  const denominator = MICROS * 10 ** Math.max(0, -digits);
  return (amount: number): number => mulRatio(amount, numerator, denominator);
}

type MarkEvent = Exclude<EventFacts, { type: "order" | "refund" | "cancel" }>;
const markKey = (event: MarkEvent): string => keyOf(event.type, event.source, event.external_id);
const markOf = (event: MarkEvent): Pick<Mark, "type" | "key" | "amount"> => ({
  type: event.type,
  key: event.type === "custom" ? event.key : null,
  amount: event.type === "custom" || event.type === "points" ? event.amount : 1,
});

/**
 * Merges two ledgers: per slot the later writer wins. Commutative, associative and idempotent, so events may arrive
 * twice and in any order; also used to merge two customers.
 */
export function joinLedgers(left: Ledger, right: Ledger): Ledger {
  return {
    orders: joinRecords(left.orders, right.orders, (a, b) => ({
      ref: a.ref,
      order: later(a.order, b.order),
      cancel: later(a.cancel, b.cancel),
      refunds: joinRecords(a.refunds, b.refunds, (x, y) => later(x, y) ?? x),
    })),
    marks: joinRecords(left.marks, right.marks, (x, y) => later(x, y) ?? x),
    folded: joinFolded(left.folded, right.folded),
  };
}

/** Sorted, so that equal ledgers have equal texts. */
function joinRecords<T>(
  left: Readonly<Record<string, T>>,
  right: Readonly<Record<string, T>>,
  join: (a: T, b: T) => T,
): Record<string, T> {
  const joined = new Map(Object.entries(left));
  for (const [key, value] of Object.entries(right)) {
    const slot = joined.get(key);
    joined.set(key, slot === undefined ? value : join(slot, value));
  }
  return Object.fromEntries([...joined].sort(([a], [b]) => (a < b ? -1 : 1)));
}

interface Slot {
  readonly v: number;
  readonly id: string;
  readonly at: string;
  readonly state?: OrderSlot["state"];
}

/** Of two equal revisions, as of a shop that counts none, the one that got further, then the later one. */
function later<S extends Slot>(a: S | null, b: S | null): S | null {
  if (a === null || b === null) return a ?? b;
  if (a.v !== b.v) return a.v > b.v ? a : b;
  const steps = stepOf(a) - stepOf(b);
  if (steps !== 0) return steps > 0 ? a : b;
  if (a.at !== b.at) return a.at > b.at ? a : b;
  return a.id >= b.id ? a : b;
}

const stepOf = ({ state }: Slot): number =>
  state === undefined ? 0 : OrderSlot.shape.state.options.indexOf(state);

type Folded = Ledger["folded"];

/** Only one of two merged ledgers has folded events, unless two customers are merged: then both count. */
function joinFolded(a: Folded, b: Folded): Folded {
  if (b.refs.length === 0) return a;
  if (a.refs.length === 0) return b;
  const dates = [a.first_at, b.first_at].filter((at) => at !== null).sort();
  const lasts = [a.last_at, b.last_at].filter((at) => at !== null).sort();
  const days = joinSums([...(a.days ?? []), ...(b.days ?? [])], ORDERS);
  const marks = joinSums([...(a.marks ?? []), ...(b.marks ?? [])], MARKS);
  const currency = a.currency ?? b.currency;
  return {
    orders: a.orders + b.orders,
    spend: a.spend + b.spend,
    refunds: a.refunds + b.refunds,
    first_at: dates[0] ?? null,
    last_at: lasts.at(-1) ?? null,
    refs: [...new Set([...a.refs, ...b.refs])],
    ...(currency === undefined ? {} : { currency }),
    ...(days.length === 0 ? {} : { days }),
    ...(marks.length === 0 ? {} : { marks }),
  };
}
