import { describe, expect, it } from "vitest";

import { countCriteria, judge } from "../../../server/engines/tiers/rules/criteria.ts";
import { factsOf } from "../../../server/engines/tiers/rules/facts.ts";
import type { Criteria } from "../../../server/engines/tiers/schema/programme.ts";
import { mapOf, order, rulesOf, year } from "./fixture.ts";

const facts = factsOf(mapOf([order("2026-01-10", 6000), order("2026-02-10", 1500)]), rulesOf());
const anchors = { joinedOn: "2026-01-10", since: "2026-01-10", startDate: "2000-01-01" };
const at = (metric: "spend" | "orders", value: number) =>
  ({ metric, key: null, op: "gte", value, window: year }) as const;
const recent = (value: number) =>
  ({ metric: "recency_days", key: null, op: "lte", value, window: year }) as const;
const verdict = (criteria: Criteria) => judge(criteria, facts, "2026-03-02", anchors);

describe("judge", () => {
  it.each<[string, Criteria, boolean, number]>([
    ["all of nothing", { all: [] }, true, 10_000],
    ["all met", { all: [at("spend", 7500), at("orders", 2)] }, true, 10_000],
    ["all, one short: the furthest counts", { all: [at("spend", 10_000), at("orders", 4)] }, false, 5000],
    ["any, one met", { any: [at("spend", 10_000), at("orders", 2)] }, true, 10_000],
    ["any, none met: the nearest counts", { any: [at("spend", 10_000), at("orders", 4)] }, false, 7500],
    ["a branch inside", { all: [at("orders", 1), { any: [at("spend", 10_000), recent(20)] }] }, true, 10_000],
    ["recency", { all: [recent(19)] }, false, 9500],
  ])("%s", (_, criteria, met, progress) => expect(verdict(criteria)).toMatchObject({ met, progress }));

  it("tells the gap exactly, with the days it looked at", () => {
    expect(verdict({ all: [at("spend", 10_000)] }).findings).toEqual([
      {
        metric: "spend",
        key: null,
        window: year,
        from: "2025-03-03",
        to: "2026-03-02",
        have: 7500,
        need: 10_000,
        gap: 2500,
        met: false,
      },
    ]);
  });

  it("is never wholly there before it is met", () => {
    expect(verdict({ all: [at("spend", 7501)] })).toMatchObject({ met: false, progress: 9998 });
  });
});

it("counts the criteria of a tree", () => {
  expect(countCriteria({ all: [] })).toBe(0);
  expect(countCriteria({ all: [at("orders", 1), { any: [at("spend", 10_000), recent(20)] }] })).toBe(3);
});
