import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { addDays, localDateAt } from "../../../server/lib/local-time.ts";
import {
  boundary,
  firstBoundary,
  periodOf,
  rebased,
  scheduleFrom,
  spreadSeconds,
} from "../../../server/engines/subscriptions/rules/cycle-dates.ts";
import type { Anchor, Interval } from "../../../server/engines/subscriptions/schema/parts.ts";

const schedule = (start: string, interval: Interval, anchor: Anchor = { type: "none" }, more: object = {}) =>
  scheduleFrom({ start, interval, anchor, first_period: "full", cutoff_days: 0, ...more });
const starts = (start: string, interval: Interval, count: number, anchor?: Anchor): string[] => {
  const { billing } = schedule(start, interval, anchor);
  return Array.from({ length: count }, (_, index) => periodOf(billing, index).start);
};

const month = { unit: "month" as const, count: 1 };
const day = (n: number): Anchor => ({ type: "monthday", day: n });

describe("cycle dates", () => {
  it.each([
    ["A1", "2025-01-31", month, ["2025-01-31", "2025-02-28", "2025-03-31", "2025-04-30", "2025-05-31"]],
    ["A2 a leap year, and back to the 31st", "2024-01-31", month, ["2024-01-31", "2024-02-29", "2024-03-31"]],
    [
      "A3 Fridays",
      "2022-06-03",
      { unit: "week" as const, count: 1 },
      ["2022-06-03", "2022-06-10", "2022-06-17"],
    ],
    [
      "A4 every 30 days",
      "2016-04-08",
      { unit: "day" as const, count: 30 },
      [
        "2016-04-08",
        "2016-05-08",
        "2016-06-07",
        "2016-07-07",
        "2016-08-06",
        "2016-09-05",
        "2016-10-05",
        "2016-11-04",
      ],
    ],
    [
      "29 February each year",
      "2024-02-29",
      { unit: "year" as const, count: 1 },
      ["2024-02-29", "2025-02-28", "2026-02-28"],
    ],
    [
      "every third month",
      "2025-11-30",
      { unit: "month" as const, count: 3 },
      ["2025-11-30", "2026-02-28", "2026-05-30"],
    ],
  ])("%s", (_, start, interval, dates) => expect(starts(start, interval, dates.length)).toEqual(dates));

  it.each([
    ["2012-01-16", 17, "2012-01-17"],
    ["2012-02-16", 30, "2012-02-29"],
    ["2012-01-31", 30, "2012-02-29"],
    ["2012-07-16", 15, "2012-08-15"],
    ["2012-12-31", 15, "2013-01-15"],
  ])("A5 the first boundary from %s for day %i is %s", (start, n, first) =>
    expect(firstBoundary(day(n), start)).toBe(first),
  );

  it("A6 day 31 from 30 April: the period is 04-30 to 05-31", () =>
    expect(periodOf(schedule("2012-04-30", month, day(31)).billing, 0)).toEqual({
      start: "2012-04-30",
      end: "2012-05-31",
    }));

  it.each([
    ["Asia/Tokyo", 17],
    ["Europe/Paris", 16],
  ])("A7 a start at 21:17 UTC is on the day it is in %s", (zone, anchorDay) => {
    const start = localDateAt(Date.parse("2012-07-16T21:17:03Z"), zone);
    expect(schedule(start, month).billing.anchor_day).toBe(anchorDay);
  });

  it("anchors by weekday and by day of the year", () => {
    expect(firstBoundary({ type: "weekday", day: 2 }, "2026-02-01")).toBe("2026-02-03");
    expect(firstBoundary({ type: "yearday", month: 2, day: 29 }, "2026-03-01")).toBe("2027-02-28");
  });

  it("begins with a part of a cycle, or waits", () => {
    const { billing } = schedule("2026-02-10", month, day(15));
    expect([periodOf(billing, 0), periodOf(billing, 1)]).toEqual([
      { start: "2026-02-10", end: "2026-02-15" },
      { start: "2026-02-15", end: "2026-03-15" },
    ]);
    const waiting = schedule("2026-02-10", month, day(15), { first_period: "wait" });
    expect(periodOf(waiting.billing, 0).start).toBe("2026-02-15");
  });

  it("delivers from the date after, when the start lies within the cut-off", () => {
    expect(schedule("2026-02-13", month, day(15), { cutoff_days: 2 }).delivery_from).toBe("2026-03-15");
    expect(schedule("2026-02-12", month, day(15), { cutoff_days: 2 }).delivery_from).toBe("2026-02-15");
    expect(schedule("2026-02-15", month, day(15), { cutoff_days: 2 }).delivery_from).toBe("2026-02-15");
  });

  it("I4 cycles follow each other without gap or overlap, whatever the anchor", () => {
    const date = fc.integer({ min: 0, max: 2000 }).map((days) => addDays("2024-01-01", days));
    const unit = fc.constantFrom("day" as const, "week" as const, "month" as const, "year" as const);
    const interval = fc.record({ unit, count: fc.integer({ min: 1, max: 40 }) });
    fc.assert(
      fc.property(date, interval, fc.integer({ min: 1, max: 31 }), (start, every, n) => {
        const anchor = every.unit === "month" ? day(n) : ({ type: "none" } as const);
        const { billing } = schedule(start, every, anchor);
        expect(periodOf(billing, 0).start).toBe(start);
        for (let index = 0; index < 15; index += 1) {
          const period = periodOf(billing, index);
          expect(period.end).toBe(periodOf(billing, index + 1).start);
          expect(period.start < period.end).toBe(true);
        }
      }),
    );
  });

  it("counts a new interval from where it begins, and keeps the indices", () => {
    const { billing } = schedule("2026-01-31", month);
    const next = rebased({ billing, next_cycle: 3 }, { unit: "week", count: 2 }, boundary(billing, 3));
    expect([periodOf(next, 3), periodOf(next, 4).start]).toEqual([
      { start: "2026-04-30", end: "2026-05-14" },
      "2026-05-14",
    ]);
  });

  it("spreads contracts over an hour, each always alike", () => {
    const spread = Array.from({ length: 200 }, (_, n) => spreadSeconds(`sub_${n}`));
    expect(Math.min(...spread)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...spread)).toBeLessThan(3600);
    expect(new Set(spread).size).toBeGreaterThan(150);
    expect(spreadSeconds("sub_1")).toBe(spread[1]);
  });
});
