import { mulRatio } from "../../../lib/money.ts";
import type { Criterion } from "../schema/programme.ts";
import type { Fact, Facts } from "./facts.ts";
import { daysBetween } from "../../../lib/local-time.ts";
import type { DaySpan } from "./window-days.ts";

/** Days since the last order of a member without orders: greater than any limit. */
export const NEVER_DAYS = 99_999;

/** The value of a metric of a member in a period. A fact counts once it is known at the end of the window. */
export function metricValue(
  { facts, folded }: Facts,
  { metric, key, window }: Pick<Criterion, "metric" | "key" | "window">,
  { from, to }: DaySpan,
): number {
  const isOrder = !(metric in KINDS);
  const seen = facts.filter(
    (fact) =>
      (fact.kind === "order") === isOrder && fact.date >= from && fact.date <= to && fact.countsFrom <= to,
  );
  const old = window.type === "lifetime" ? folded : { orders: 0, spend: 0 };
  switch (metric) {
    case "spend":
      return Math.max(0, sumOf(seen, ({ value }) => value) + old.spend);
    case "orders":
      return Math.max(0, sumOf(seen, (fact) => fact.orders) + old.orders);
    case "aov": {
      const count = sumOf(seen, (fact) => fact.orders) + old.orders;
      return count <= 0 ? 0 : mulRatio(Math.max(0, sumOf(seen, ({ value }) => value) + old.spend), 1, count);
    }
    case "recency_days":
      return recency(seen, to);
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
  const standing = new Map<string, number>();
  for (const fact of orders) standing.set(fact.order, (standing.get(fact.order) ?? 0) + fact.orders);
  const last = orders.findLast((fact) => fact.orders > 0 && (standing.get(fact.order) ?? 0) > 0);
  return last === undefined ? NEVER_DAYS : daysBetween(last.date, day);
}
