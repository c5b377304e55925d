import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import {
  intersect,
  localRangesOf,
  openIntervals,
  unite,
} from "../../../server/engines/menus/rules/open-times.ts";
import type { Interval } from "../../../server/engines/menus/rules/open-times.ts";
import { dayOf } from "../../../server/engines/menus/rules/wall-clock.ts";
import { offsetAt, WEEKDAYS } from "../../../server/lib/local-time.ts";
import type { TreeSchedule } from "../../../server/engines/menus/schema/tree.ts";
import { scheduleOf } from "./fixture.ts";

const ZONE = "Europe/London";
const weekdays = ["mon", "tue", "wed", "thu", "fri"] as const;
const breakfast = scheduleOf({ rules: [{ days: [...weekdays], start: "07:30", end: "11:00" }] });
const fridayNight = scheduleOf({ rules: [{ days: ["fri"], start: "22:00", end: "02:00" }] });
const saturdayNight = scheduleOf({ rules: [{ days: ["sat"], start: "22:00", end: "02:00" }] });
const everyDay = (start: string, end: string, rest: Partial<TreeSchedule> = {}): TreeSchedule =>
  scheduleOf({ rules: [{ days: [...WEEKDAYS], start, end }], ...rest });

const open = (schedule: TreeSchedule, at: string, zone = ZONE): boolean => {
  const fromMs = Date.parse(at);
  return openIntervals(schedule, zone, { fromMs, untilMs: fromMs + 1 }).length > 0;
};
const intervals = (schedule: TreeSchedule, from: string, until: string, zone = ZONE): string[] =>
  openIntervals(schedule, zone, { fromMs: Date.parse(from), untilMs: Date.parse(until) }).map(
    ({ fromMs, untilMs }) =>
      `${new Date(fromMs).toISOString().slice(0, 16)}Z-${new Date(untilMs).toISOString().slice(0, 16)}Z`,
  );

describe("whether it is open", () => {
  it.each([
    ["MA1 Monday 07:30 in summer", breakfast, "2026-07-06T06:30:00Z", true],
    ["MA1 a moment before", breakfast, "2026-07-06T06:29:59.999Z", false],
    ["MA2 the end is not in it", breakfast, "2026-07-06T10:00:00Z", false],
    ["MA2 a moment before the end", breakfast, "2026-07-06T09:59:59.999Z", true],
    ["MA3 Monday 07:30 in winter", breakfast, "2026-12-07T07:30:00Z", true],
    ["MA3 06:30 in winter", breakfast, "2026-12-07T06:30:00Z", false],
    ["MA4 past midnight belongs to Friday", fridayNight, "2026-07-11T00:30:00Z", true],
    ["Friday past midnight is Thursday's", fridayNight, "2026-07-10T00:30:00Z", false],
    ["Saturday 02:00 is over", fridayNight, "2026-07-11T01:00:00Z", false],
    ["Sunday has no breakfast", breakfast, "2026-07-05T06:30:00Z", false],
    ["00:00 to 00:00 is the whole day", everyDay("00:00", "00:00"), "2026-07-05T22:59:59Z", true],
    ["until midnight", everyDay("18:00", "00:00"), "2026-07-05T22:59:59Z", true],
    ["midnight itself", everyDay("18:00", "00:00"), "2026-07-05T23:00:00Z", false],
    ["autumn: 01:30 the first time", everyDay("01:00", "02:00"), "2026-10-25T00:30:00Z", true],
    ["autumn: 01:30 the second time", everyDay("01:00", "02:00"), "2026-10-25T01:30:00Z", true],
    ["spring: 00:59:59 is before the gap", everyDay("01:00", "02:00"), "2026-03-29T00:59:59Z", false],
    ["spring: 02:00 follows it", everyDay("01:00", "02:00"), "2026-03-29T01:00:00Z", false],
  ] as const)("%s", (_, schedule, at, expected) => expect(open(schedule, at)).toBe(expected));

  it.each([
    ["2026-06-30T21:00:00Z", false],
    ["2026-07-01T21:00:00Z", true],
    ["2026-07-03T00:30:00Z", true],
    ["2026-07-03T21:00:00Z", false],
  ])("first and last day are those on which a range starts: %s", (at, expected) => {
    const schedule = everyDay("22:00", "02:00", { valid_from: "2026-07-01", valid_until: "2026-07-02" });
    expect(open(schedule, at)).toBe(expected);
  });

  it("an exception takes the place of the rules of the day on which a range starts", () => {
    const closed = everyDay("22:00", "02:00", {
      exceptions: [{ date: "2026-07-10", closed: true, ranges: [] }],
    });
    expect(open(closed, "2026-07-10T21:30:00Z")).toBe(false);
    expect(open(closed, "2026-07-11T00:30:00Z")).toBe(false);
    expect(open(closed, "2026-07-10T00:30:00Z")).toBe(true);
    const other = scheduleOf({
      exceptions: [{ date: "2026-07-10", closed: false, ranges: [{ start: "10:00", end: "12:00" }] }],
    });
    expect(open(other, "2026-07-10T09:00:00Z")).toBe(true);
    expect(open(other, "2026-07-11T09:00:00Z")).toBe(false);
  });

  it("goes by the wall clock of another zone", () => {
    expect(open(breakfast, "2026-07-06T11:30:00Z", "America/New_York")).toBe(true);
    expect(open(breakfast, "2026-07-06T11:29:00Z", "America/New_York")).toBe(false);
    // The half-hour change of Lord Howe.
    expect(open(everyDay("01:30", "02:00"), "2026-04-04T15:00:00Z", "Australia/Lord_Howe")).toBe(true);
  });
});

describe("openIntervals", () => {
  it("MA5 over the autumn change a night of four hours on the clock lasts five", () => {
    expect(intervals(saturdayNight, "2026-10-24T12:00:00Z", "2026-10-25T12:00:00Z")).toEqual([
      "2026-10-24T21:00Z-2026-10-25T02:00Z",
    ]);
  });

  it.each([
    ["2026-03-28", "2026-03-28T22:00Z-2026-03-29T01:00Z"],
    ["2027-03-27", "2027-03-27T22:00Z-2027-03-28T01:00Z"],
    ["2028-03-25", "2028-03-25T22:00Z-2028-03-26T01:00Z"],
    ["2027-10-30", "2027-10-30T21:00Z-2027-10-31T02:00Z"],
    ["2028-10-28", "2028-10-28T21:00Z-2028-10-29T02:00Z"],
  ])("changes of the clock in the UK: the night of %s", (day, expected) => {
    const until = new Date(Date.parse(`${day}T12:00:00Z`) + 86_400_000).toISOString();
    expect(intervals(saturdayNight, `${day}T12:00:00Z`, until)).toEqual([expected]);
  });

  it("a time that happens twice is open twice, and what is skipped not at all", () => {
    const early = everyDay("01:00", "01:30");
    expect(intervals(early, "2026-10-24T23:00:00Z", "2026-10-25T12:00:00Z")).toEqual([
      "2026-10-25T00:00Z-2026-10-25T00:30Z",
      "2026-10-25T01:00Z-2026-10-25T01:30Z",
    ]);
    expect(intervals(early, "2026-03-28T12:00:00Z", "2026-03-29T12:00:00Z")).toEqual([]);
    expect(intervals(everyDay("00:30", "01:30"), "2026-03-28T12:00:00Z", "2026-03-29T12:00:00Z")).toEqual([
      "2026-03-29T00:30Z-2026-03-29T01:00Z",
    ]);
  });

  it("ranges that touch are one", () => {
    const always = everyDay("00:00", "00:00");
    expect(intervals(always, "2026-03-20T00:00:00Z", "2026-04-02T00:00:00Z")).toEqual([
      "2026-03-20T00:00Z-2026-04-02T00:00Z",
    ]);
  });

  it("says what the wall clock says at every instant", () => {
    const time = fc
      .tuple(fc.integer({ min: 0, max: 23 }), fc.constantFrom("00", "30"))
      .map(([hour, minutes]) => `${String(hour).padStart(2, "0")}:${minutes}`);
    const rule = fc.record({
      days: fc.uniqueArray(fc.constantFrom(...WEEKDAYS), { minLength: 1 }),
      start: time,
      end: time,
    });
    fc.assert(
      fc.property(
        fc.array(rule, { maxLength: 4 }),
        fc.constantFrom("Europe/London", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata"),
        fc.constantFrom("2026-03-26", "2026-04-03", "2026-10-22", "2026-10-31", "2026-07-01"),
        (rules, zone, day) => {
          const schedule = scheduleOf({ rules });
          const fromMs = Date.parse(`${day}T00:00:00Z`);
          const span = { fromMs, untilMs: fromMs + 5 * 86_400_000 };
          const found = openIntervals(schedule, zone, span);
          for (let at = span.fromMs; at < span.untilMs; at += 15 * 60_000) {
            const inside = found.some((each) => each.fromMs <= at && at < each.untilMs);
            expect(inside, new Date(at).toISOString()).toBe(isOpenByWallClock(schedule, zone, at));
          }
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe("localRangesOf", () => {
  it("gives the ranges that start on a day of the wall clock", () => {
    const friday = Date.parse("2026-07-10") / 86_400_000;
    const hour = 3_600_000;
    expect(localRangesOf(fridayNight, friday)).toEqual([
      { fromMs: friday * 24 * hour + 22 * hour, untilMs: friday * 24 * hour + 26 * hour },
    ]);
    expect(localRangesOf(fridayNight, friday + 1)).toEqual([]);
  });
});

describe("unite and intersect", () => {
  const span = fc
    .tuple(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 1, max: 20 }))
    .map(([fromMs, length]): Interval => ({ fromMs, untilMs: fromMs + length }));
  const spans = fc.array(span, { maxLength: 8 });
  const has = (list: readonly Interval[], at: number): boolean =>
    list.some(({ fromMs, untilMs }) => fromMs <= at && at < untilMs);

  it("are the union and the common part, in order and without overlaps", () => {
    fc.assert(
      fc.property(spans, spans, (a, b) => {
        const [left, right] = [unite(a), unite(b)];
        const common = intersect(left, right);
        for (let at = 0; at <= 90; at += 1) {
          expect(has(left, at)).toBe(has(a, at));
          expect(has(common, at)).toBe(has(a, at) && has(b, at));
        }
        for (const list of [left, common]) {
          for (const [index, each] of list.entries()) {
            expect(each.fromMs).toBeLessThan(each.untilMs);
            const next = list[index + 1];
            if (next !== undefined) expect(each.untilMs).toBeLessThanOrEqual(next.fromMs);
          }
        }
      }),
    );
  });
});

/** The rule itself, one instant at a time. */
function isOpenByWallClock(schedule: TreeSchedule, zone: string, epochMs: number): boolean {
  const localMs = epochMs + offsetAt(epochMs, zone);
  const today = dayOf(localMs);
  // A range belongs to the day on which it starts, and lasts a day at most.
  return [today - 1, today].some((day) =>
    localRangesOf(schedule, day).some(({ fromMs, untilMs }) => fromMs <= localMs && localMs < untilMs),
  );
}
