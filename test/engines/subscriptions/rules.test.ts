import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { DEFAULT_POLICY } from "../../../server/engines/subscriptions/data/default-policy.ts";
import { addDays, localDateAt, toEpochMs } from "../../../server/engines/subscriptions/rules/calendar.ts";
import {
  boundary,
  firstBoundary,
  periodOf,
  scheduleFrom,
} from "../../../server/engines/subscriptions/rules/cycle-dates.ts";
import { nextRetry, overdueStageAt } from "../../../server/engines/subscriptions/rules/next-retry.ts";
import type { RetryQuestion } from "../../../server/engines/subscriptions/rules/next-retry.ts";
import { prorate } from "../../../server/engines/subscriptions/rules/prorate.ts";
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

  it("A11 a time that the spring change skips, and one that comes twice in autumn", () => {
    const at = (date: string): string => new Date(toEpochMs(date, "01:30", "Europe/London")).toISOString();
    expect([at("2025-03-30"), at("2025-10-26")]).toEqual([
      "2025-03-30T01:30:00.000Z",
      "2025-10-26T00:30:00.000Z",
    ]);
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
        // Counting from the anchor: where a cycle is does not depend on how one got there.
        expect(boundary(billing, 5)).toBe(boundary({ ...billing, anchor_index: billing.anchor_index }, 5));
      }),
    );
  });
});

describe("proration", () => {
  const base = {
    timezone: "Europe/London",
    billingTime: "10:00",
    at: 0,
    mode: "day" as const,
  };
  it("A8 24995 for a period of 31 days of which 10 are unused gives 8063 back", () => {
    const period = { start: "2012-06-30", end: "2012-07-31" };
    const question = {
      ...base,
      oldAmount: 24_995,
      newAmount: 0,
      period,
      date: "2012-07-10",
      until: "2012-07-20",
    };
    expect(prorate(question).credit).toBe(8063);
  });

  it("A9 1000 to 2000 exactly half way: -500 and +1000", () => {
    const period = { start: "2026-06-01", end: "2026-07-01" };
    const half = prorate({ ...base, oldAmount: 1000, newAmount: 2000, period, date: "2026-06-16" });
    expect(half).toMatchObject({ credit: 500, debit: 1000, net: 500, unused: 15, whole: 30 });
  });

  it("counts seconds between the instants of the boundaries, over a change of the clocks", () => {
    const period = { start: "2026-03-28", end: "2026-03-30" };
    const at = Date.parse("2026-03-29T09:00:00Z");
    const result = prorate({
      ...base,
      mode: "second",
      oldAmount: 0,
      newAmount: 4700,
      period,
      date: "2026-03-29",
      at,
    });
    expect(result).toMatchObject({ unused: 24 * 3600, whole: 47 * 3600, debit: 2400, unit: "seconds" });
  });

  it("charges nothing in mode none", () => {
    const period = { start: "2026-06-01", end: "2026-07-01" };
    expect(
      prorate({ ...base, mode: "none", oldAmount: 1, newAmount: 2, period, date: "2026-06-16" }).net,
    ).toBe(0);
  });
});

const failedAt = Date.parse("2012-05-31T12:00:00Z");
const ask = (more: Partial<RetryQuestion>) =>
  nextRetry({
    policy: DEFAULT_POLICY,
    category: "soft",
    code: "do_not_honour",
    now: failedAt,
    firstFailedAt: failedAt,
    attemptsAt: [failedAt],
    systemRetries: 0,
    timezone: "UTC",
    ...more,
  });
const dateOf = (retry: ReturnType<typeof nextRetry>): string =>
  retry.kind === "retry" ? new Date(retry.at).toISOString().slice(0, 16) : retry.kind;

describe("dunning", () => {
  it("A12 a ladder of eight days counts from the first failure", () => {
    const policy = { ...DEFAULT_POLICY, retry_days: [8, 16, 24, 32, 40, 48], max_attempts: 15 };
    const dates: string[] = [];
    let now = failedAt;
    for (;;) {
      const retry = ask({ policy, now });
      if (retry.kind !== "retry") break;
      dates.push(new Date(retry.at).toISOString().slice(5, 10));
      now = retry.at;
    }
    expect(dates).toEqual(["06-08", "06-16", "06-24", "07-02", "07-10", "07-18"]);
  });

  it.each(["hard", "method", "config"] as const)("never tries the same method again after %s", (category) => {
    const retry = ask({ category });
    expect(retry).toMatchObject({ kind: "wait", until: Date.parse("2012-06-14T09:00:00Z") });
    expect(retry.why).toContain("2012-06-14");
  });

  it("repeats faults of the gateway after 5, 30 and 120 minutes, then climbs the ladder", () => {
    const at = (systemRetries: number) => dateOf(ask({ category: "system", systemRetries }));
    expect([at(0), at(1), at(2), at(3)]).toEqual([
      "2012-05-31T12:05",
      "2012-05-31T12:30",
      "2012-05-31T14:00",
      "2012-06-01T09:00",
    ]);
  });

  it("waits a week for stock", () => expect(dateOf(ask({ category: "inventory" }))).toBe("2012-06-07T09:00"));

  it("does not make up for steps that passed while nothing ran", () =>
    expect(dateOf(ask({ now: Date.parse("2012-06-06T00:00:00Z") }))).toBe("2012-06-07T09:00"));

  it("I7 stops at the ceiling of the card schemes, whatever the policy", () => {
    const attemptsAt = Array.from({ length: 15 }, (_, n) => failedAt - n * 3_600_000);
    const retry = ask({ attemptsAt });
    expect([retry.kind, retry.why.includes("15 attempts")]).toEqual(["give_up", true]);
    const old = attemptsAt.map((at) => at - 40 * 86_400_000);
    expect(ask({ attemptsAt: old }).kind).toBe("retry");
  });

  it("moves a retry for want of funds to a payday within two days", () => {
    const policy = { ...DEFAULT_POLICY, payday_shift: true };
    const first = Date.parse("2026-06-22T12:00:00Z");
    const shifted = ask({ policy, code: "insufficient_funds", now: first, firstFailedAt: first });
    expect(dateOf(shifted)).toBe("2026-06-25T09:00");
    expect(shifted.why).toContain("moved from 2026-06-23");
    expect(dateOf(ask({ policy, now: first, firstFailedAt: first }))).toBe("2026-06-23T09:00");
  });

  it("gives up with a reason when the ladder is empty", () => {
    const retry = ask({ now: Date.parse("2012-06-14T09:00:00Z") });
    expect(retry).toEqual({ kind: "give_up", why: "All 6 retries have failed." });
  });

  it("names the stage of access that a debt has reached", () => {
    const stage = (days: number, name: string) => ({
      days,
      stage: name,
      block_changes: true,
      block_fulfilment: days > 10,
    });
    const policy = { overdue_stages: [stage(14, "od2"), stage(5, "od1")] };
    const at = (today: string) => overdueStageAt(policy, "2026-06-01", today)?.stage ?? null;
    expect([at("2026-06-05"), at("2026-06-06"), at("2026-06-15")]).toEqual([null, "od1", "od2"]);
  });
});
