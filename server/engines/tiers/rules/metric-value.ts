import { mulRatio } from "../../../lib/money.ts";
import type { Criterion } from "../schema/programme.ts";
import type { Fact, Facts } from "./facts.ts";
import { daysBetween } from "../../../lib/local-time.ts";
import type { DaySpan } from "./window-days.ts";

/** Days since the last order of a member without orders: greater than any limit. */
export const NEVER_DAYS = 99_999;

interface OrderTotals {
  readonly spend: number;
  readonly orders: number;
  readonly aov: number;
  readonly recency_days: number;
}

/** The metrics of all orders of a member in a period. A fact counts once it is known at the end of the window. */
export function orderTotals(
  { facts, folded }: Facts,
  window: Pick<Criterion, "window">["window"],
  { from, to }: DaySpan,
): OrderTotals {
  const old = window.type === "lifetime" ? folded : { orders: 0, spend: 0 };
  let { spend, orders } = old;
  const seen: Fact[] = [];
  // A plain loop: a recalculation does this several times for each member.
  for (const fact of facts) {
    if (fact.kind !== "order" || fact.date < from || fact.date > to || fact.countsFrom > to) continue;
    seen.push(fact);
    spend += fact.value;
    orders += fact.orders;
  }
  return {
    spend: Math.max(0, spend),
    orders: Math.max(0, orders),
    aov: orders <= 0 ? 0 : mulRatio(Math.max(0, spend), 1, orders),
    recency_days: recency(seen, to),
  };
}

/** The value of a metric of a member in a period. */
export function metricValue(
  member: Facts,
  { metric, key, window }: Pick<Criterion, "metric" | "key" | "window">,
  span: DaySpan,
): number {
  if (metric === "spend" || metric === "orders" || metric === "aov" || metric === "recency_days")
    return orderTotals(member, window, span)[metric];
  const { from, to } = span;
  const isOrder = !(metric in KINDS);
  const seen = member.facts.filter(
    (fact) =>
      (fact.kind === "order") === isOrder && fact.date >= from && fact.date <= to && fact.countsFrom <= to,
  );
  switch (metric) {
    case "channel_spend":
      return Math.max(
        0,
        sumOf(seen, ({ channel, value }) => (channel === key ? value : 0)),
      );
    case "category_spend":
      return Math.max(
        0,
        sumOf(seen, ({ categories }) => categories[key ?? ""] ?? 0),
      );
    case "points":
    case "reviews":
    case "referrals":
    case "subscription_months":
    case "forms":
    case "custom":
      return Math.max(
        0,
        sumOf(seen, (fact) => (fact.kind === KINDS[metric] && fact.key === key ? fact.value : 0)),
      );
  }
}

const KINDS = {
  points: "points",
  reviews: "review",
  referrals: "referral",
  subscription_months: "subscription_month",
  forms: "form",
  custom: "custom",
} as const;

const sumOf = (facts: readonly Fact[], of: (fact: Fact) => number): number =>
  facts.reduce((total, fact) => total + of(fact), 0);

/** Days from the last order that was not cancelled to a day. */
function recency(orders: readonly Fact[], day: string): number {
  const newest = orders.at(-1);
  if (newest === undefined) return NEVER_DAYS;
  // Mostly nothing was taken back.
  if (newest.orders > 0 && orders.every((fact) => fact.orders > 0)) return daysBetween(newest.date, day);
  const standing = new Map<string, number>();
  for (const fact of orders) standing.set(fact.order, (standing.get(fact.order) ?? 0) + fact.orders);
  const last = orders.findLast((fact) => fact.orders > 0 && (standing.get(fact.order) ?? 0) > 0);
  return last === undefined ? NEVER_DAYS : daysBetween(last.date, day);
}
