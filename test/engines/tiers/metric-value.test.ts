import { describe, expect, it } from "vitest";

import { factsOf } from "../../../server/engines/tiers/rules/facts.ts";
import { metricValue, NEVER_DAYS } from "../../../server/engines/tiers/rules/metric-value.ts";
import type { Metric } from "../../../server/engines/tiers/schema/programme.ts";
import { cancelOf, event, mapOf, order, refundOf, rulesOf } from "./fixture.ts";

const bought = [
  order("2026-01-10", 1000, { channel: "web", categories: { tea: 600, cake: 400 } }),
  order("2026-02-10", 3001, { channel: "catering", categories: { cake: 3001 } }),
  order("2026-03-10", 500),
] as const;
const events = [
  ...bought,
  refundOf(bought[0], "2026-01-20", 500),
  cancelOf(bought[2], "2026-03-11"),
  event("points", "2026-01-01", { amount: 120 }),
  event("points", "2026-01-02", { amount: -20 }),
  event("review", "2026-01-03"),
  event("referral", "2026-01-03"),
  event("referral", "2026-01-04"),
  event("subscription_month", "2026-01-04"),
  event("form", "2026-01-04"),
  event("custom", "2026-01-04", { key: "tasting", amount: 3 }),
  event("custom", "2026-01-04", { key: "tour" }),
];

const value = (metric: Metric, key: string | null = null, to = "2026-04-01", from = "2026-01-01"): number =>
  metricValue(factsOf(mapOf(events), rulesOf()), { metric, key, window: { type: "calendar" } }, { from, to });

describe("metricValue", () => {
  it.each([
    ["spend", null, 3501],
    ["orders", null, 2],
    ["aov", null, 1751],
    ["recency_days", null, 50],
    ["channel_spend", "catering", 3001],
    ["channel_spend", "web", 500],
    ["channel_spend", "none", 0],
    ["category_spend", "tea", 300],
    ["category_spend", "cake", 3201],
    ["points", null, 100],
    ["reviews", null, 1],
    ["referrals", null, 2],
    ["subscription_months", null, 1],
    ["forms", null, 1],
    ["custom", "tasting", 3],
    ["custom", "tour", 1],
  ] as const)("%s %s is %i", (metric, key, expected) => expect(value(metric, key)).toBe(expected));

  it("sees nothing outside its days", () => {
    expect(value("orders", null, "2025-12-31", "2025-01-01")).toBe(0);
    expect(value("aov", null, "2025-12-31", "2025-01-01")).toBe(0);
    expect(value("recency_days", null, "2025-12-31", "2025-01-01")).toBe(NEVER_DAYS);
  });

  it("counts what was folded in a lifetime, and nowhere else", () => {
    const facts = factsOf(mapOf(events), rulesOf());
    const folded = { ...facts.folded, orders: 10, spend: 10_000, refs: ["x"] };
    const of = (type: "lifetime" | "calendar") =>
      metricValue(
        { ...facts, folded },
        { metric: "spend", key: null, window: { type } },
        { from: "2026-01-01", to: "2026-04-01" },
      );
    expect([of("lifetime"), of("calendar")]).toEqual([13_501, 3501]);
  });
});
