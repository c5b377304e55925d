import { describe, expect, it } from "vitest";

import { fitSums, joinSums, MARKS, ORDERS } from "../../../server/engines/tiers/rules/sums.ts";
import type { FoldedDay, FoldedMark } from "../../../server/engines/tiers/schema/ledger.ts";

const day = (date: string, spend: number, channel: string | null = "web"): FoldedDay => [
  date,
  channel,
  1,
  spend,
  { bread: spend },
];

describe("joinSums", () => {
  it("adds orders by day and channel, and marks by day, type and key", () => {
    expect(joinSums([day("2026-01-02", 5), day("2026-01-01", 1), day("2026-01-01", 2)], ORDERS)).toEqual([
      ["2026-01-01", "web", 2, 3, { bread: 3 }],
      day("2026-01-02", 5),
    ]);
    const points = (date: string, amount: number): FoldedMark => [date, "points", null, amount];
    const walk: FoldedMark = ["2026-01-01", "custom", "walk", 1];
    expect(joinSums([points("2026-01-01", 10), walk, points("2026-01-01", -4)], MARKS)).toEqual([
      walk,
      points("2026-01-01", 6),
    ]);
  });
});

describe("fitSums", () => {
  const days = Array.from({ length: 60 }, (_, at) =>
    day(new Date(Date.UTC(2024, 0, 1 + at * 20)).toISOString().slice(0, 10), 1 + at),
  );
  const spend = (sums: readonly FoldedDay[]) => sums.reduce((all, [, , , amount]) => all + amount, 0);
  const room = { limit: "0000-00-00", startDate: "2000-01-01" };

  it("leaves days alone that fit, but sums up by months what is before the limit", () => {
    expect(fitSums(days, ORDERS, { ...room, chars: 10_000 })).toEqual(days);
    const old = fitSums(days, ORDERS, { ...room, chars: 10_000, limit: "2024-03-15" });
    expect(old.slice(0, 3)).toEqual([
      ["2024-01-21", "web", 2, 3, { bread: 3 }],
      ["2024-02-10", "web", 1, 3, { bread: 3 }],
      day("2024-03-01", 4),
    ]);
  });

  it("sums up the oldest by months, then by years, as far as it has to be", () => {
    for (const [chars, count] of [
      [2_000, 51],
      [1_700, 43],
      [400, 9],
      [50, 4],
    ] as const) {
      const fitted = fitSums(days, ORDERS, { ...room, chars });
      expect([chars, spend(fitted)]).toEqual([chars, spend(days)]);
      expect([chars, fitted.length]).toEqual([chars, count]);
    }
  });

  it("keeps what is before the first day of the programme apart", () => {
    const years = fitSums(days, ORDERS, { ...room, chars: 0, startDate: "2025-03-01" });
    const early = days.filter(([date]) => date < "2025-03-01");
    expect(spend(years.filter(([date]) => date < "2025-03-01"))).toBe(spend(early));
  });
});
