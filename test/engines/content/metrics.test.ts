import { expect, it } from "vitest";

import { mergeMetrics, summariseMetrics } from "../../../server/engines/content/rules/metrics.ts";
import { addDays } from "../../../server/lib/local-time.ts";

const day = (date: string, clicks: number, more: object = {}) => ({
  date,
  clicks,
  impressions: 100,
  ctr: null,
  position: null,
  ...more,
});

it("lets a day take the place of the one before, in order, up to 400", () => {
  const merged = mergeMetrics([day("2026-01-02", 1), day("2026-01-01", 1)], [day("2026-01-02", 5)]);
  expect(merged.map(({ date, clicks }) => [date, clicks])).toEqual([
    ["2026-01-01", 1],
    ["2026-01-02", 5],
  ]);
  const many = Array.from({ length: 450 }, (_, at) => day(addDays("2025-01-01", at), at));
  const kept = mergeMetrics([], many);
  expect([kept.length, kept[0]?.clicks]).toEqual([400, 50]);
});

it("sums up the last 28 known days", () => {
  expect(summariseMetrics([])).toBeNull();
  const days = Array.from({ length: 30 }, (_, at) => day(addDays("2026-01-01", at), 1));
  expect(summariseMetrics(days)).toEqual({
    until: "2026-01-30",
    clicks: 28,
    impressions: 2_800,
    ctr: 0.01,
    position: null,
  });
  const placed = [
    day("2026-01-01", 1, { position: 2 }),
    day("2026-01-02", 1, { position: 6, impressions: 300 }),
  ];
  expect(summariseMetrics(placed)?.position).toBe(5);
  expect(summariseMetrics([day("2026-01-01", 0, { impressions: 0 })])?.ctr).toBeNull();
});
