import { mulRatio } from "../../../lib/money.ts";
import type { FoldedDay, FoldedMark, Ledger, Mark, OrderEntry, OrderSlot } from "../schema/ledger.ts";
import type { Rules } from "../schema/programme.ts";
import { addDays, localDateAt } from "../../../lib/local-time.ts";

/** One fact that counts: an order, an amount deducted by a refund or cancellation, or a mark. */
export interface Fact {
  /** Day that decides in which windows it is. */
  readonly date: string;
  /** Day from which it counts; a window that ends before does not include it. */
  readonly countsFrom: string;
  readonly kind: "order" | Mark["type"];
  /** Of orders: minor units of spend, negative for deductions. Of marks: their amount. */
  readonly value: number;
  /** 1 for an order, -1 for its complete cancellation, the number of those of a folded day, otherwise 0. */
  readonly orders: number;
  /** The order it belongs to; "" for marks. */
  readonly order: string;
  readonly channel: string | null;
  readonly key: string | null;
  readonly categories: Readonly<Record<string, number>>;
  readonly isReversal: boolean;
}

export interface Facts {
  readonly facts: readonly Fact[];
  /** Day of the first fact; null without facts. */
  readonly joinedOn: string | null;
  /** Times of the first and the last order that counts, including cancelled ones. */
  readonly orderTimes: { readonly first: string | null; readonly last: string | null };
  readonly folded: Ledger["folded"];
}

/** All facts of a ledger that count in a programme, by local date; other currencies are excluded. */
export function factsOf(ledger: Ledger, rules: Rules): Facts {
  const dateOf = (at: string): string => localDateAt(Date.parse(at), rules.timezone);
  const facts: Fact[] = [];
  let first: string | null = null;
  let last: string | null = null;
  // Plain loops: a recalculation computes the facts of every member.
  for (const [key, entry] of Object.entries(ledger.orders)) {
    const { order } = entry;
    if (order === null || !addOrder(facts, { key, entry, order }, rules, dateOf)) continue;
    if (first === null || order.at < first) first = order.at;
    if (last === null || order.at > last) last = order.at;
  }
  for (const mark of Object.values(ledger.marks)) facts.push(markFact(mark, dateOf));
  const folded = foldedIn(ledger, rules);
  for (const day of folded.days ?? []) facts.push(dayFact(day));
  for (const sum of folded.marks ?? []) facts.push(sumFact(sum));
  facts.sort((a, b) => (a.date < b.date ? -1 : a.date > b.date ? 1 : 0));
  const known = facts[0]?.date ?? null;
  const folds = folded.first_at === null ? known : dateOf(folded.first_at);
  const joinedOn = known !== null && folds !== null && known < folds ? known : folds;
  return { facts, joinedOn, orderTimes: { first, last }, folded };
}

/** What is folded, without orders in another currency than the programme's. */
export function foldedIn({ folded }: Ledger, { currency }: Pick<Rules, "currency">): Ledger["folded"] {
  if (folded.currency === undefined || folded.currency === currency) return folded;
  const { days: _days, ...others } = folded;
  return { ...others, currency, orders: 0, spend: 0, refunds: 0 };
}

const markFact = ({ type, at, key, amount }: Mark, dateOf: (at: string) => string): Fact =>
  sumFact([dateOf(at), type, key, amount]);

function sumFact([date, kind, key, value]: FoldedMark): Fact {
  const nothing = { orders: 0, order: "", channel: null, categories: {}, isReversal: false };
  return { date, countsFrom: date, kind, value, key, ...nothing };
}

const dayFact = ([date, channel, orders, value, categories]: FoldedDay): Fact => ({
  date,
  countsFrom: date,
  kind: "order",
  value,
  orders,
  order: `${date} ${channel ?? ""}`,
  channel,
  key: null,
  categories,
  isReversal: false,
});

interface Placed {
  readonly key: string;
  readonly entry: OrderEntry;
  readonly order: OrderSlot;
}

/** Adds the facts of an order; false if it does not count. */
function addOrder(
  facts: Fact[],
  { key, entry, order }: Placed,
  rules: Rules,
  dateOf: (at: string) => string,
): boolean {
  if (order.currency !== rules.currency) return false;
  const date = dateOf(order.at);
  const countsFrom = countableFrom(order, date, rules, dateOf);
  if (countsFrom === null) return false;
  const basis = basisOf(order, rules);
  const { channel, categories } = order;
  // Whole literals instead of spread members: a recalculation creates one for each order of every member.
  facts.push({
    date,
    countsFrom,
    kind: "order",
    value: basis,
    orders: 1,
    order: key,
    channel,
    key: null,
    categories,
    isReversal: false,
  });
  let left = basis;
  let isOpen = true;
  for (const { at, amount } of reversalsOf(entry, rules.currency)) {
    // Deductions are limited to the value of the order: an order never counts below zero.
    const taken = Math.min(left, amount ?? left);
    const before = basis - left;
    left -= taken;
    const isWhole = amount === null || (left === 0 && amount > 0);
    const day = dateOf(at);
    const closes = isWhole && isOpen;
    if (closes) isOpen = false;
    facts.push({
      date: rules.refund_dating === "original_order" ? date : day,
      countsFrom: day > countsFrom ? day : countsFrom,
      kind: "order",
      value: -taken,
      orders: closes ? -1 : 0,
      order: key,
      channel,
      key: null,
      categories: shareOf(order, { before, after: basis - left, basis }),
      isReversal: true,
    });
  }
  return true;
}

/** Refunds and the cancellation ordered by time; an amount of null deducts the remainder. */
function reversalsOf(entry: OrderEntry, currency: string): readonly { at: string; amount: number | null }[] {
  const { order, cancel } = entry;
  if (cancel === null && Object.keys(entry.refunds).length === 0) return NONE;
  const isCancelled = cancel !== null && order !== null && cancel.v >= order.v;
  const refunds = Object.entries(entry.refunds)
    .filter(([, refund]) => refund.currency === currency)
    .map(([key, { at, amount }]): { at: string; key: string; amount: number | null } => ({
      at,
      key,
      amount,
    }));
  const all = isCancelled ? [...refunds, { at: cancel.at, key: "~", amount: null }] : refunds;
  return all.sort((a, b) => (`${a.at} ${a.key}` < `${b.at} ${b.key}` ? -1 : 1));
}

const NONE: readonly { at: string; amount: number | null }[] = [];

/** The value of an order in the programme. */
export function basisOf(order: OrderSlot, { spend_basis: basis }: Pick<Rules, "spend_basis">): number {
  if (basis === "net_goods") return order.amount;
  const inclusive = order.amount + order.shipping + order.tax;
  return basis === "gross" ? inclusive + order.discount : inclusive;
}

/** Day from which an order counts; null if it does not yet. */
function countableFrom(
  order: OrderSlot,
  date: string,
  rules: Rules,
  dateOf: (at: string) => string,
): string | null {
  if (order.state === "placed") return null;
  if (rules.order_counts_when === "paid") return date;
  const fulfilled = order.fulfilled_at === null ? date : dateOf(order.fulfilled_at);
  const from = fulfilled < date ? date : fulfilled;
  if (order.state !== "fulfilled") return null;
  return rules.order_counts_when === "fulfilled" ? from : addDays(from, rules.return_window_days);
}

/** Categories are reduced proportionally, by the difference of two totals: refunds in parts leave nothing of a whole. */
function shareOf(
  order: OrderSlot,
  { before, after, basis }: { readonly before: number; readonly after: number; readonly basis: number },
): Record<string, number> {
  if (after === before || basis === 0) return {};
  const share = (amount: number): number => mulRatio(amount, before, basis) - mulRatio(amount, after, basis);
  return Object.fromEntries(Object.entries(order.categories).map(([name, amount]) => [name, share(amount)]));
}
