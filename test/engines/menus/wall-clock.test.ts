import { describe, expect, it } from "vitest";

import {
  DAY_MS,
  dateOfDay,
  dayNumber,
  dayOf,
  isTimeZone,
  offsetAt,
  stretchesOf,
  timeMs,
  weekdayOfDay,
} from "../../../server/engines/menus/rules/wall-clock.ts";

const HOUR = 3_600_000;

describe("stretchesOf", () => {
  it("splits a span where the offset changes, at the instant itself", () => {
    const fromMs = Date.parse("2026-10-24T00:00:00Z");
    expect(stretchesOf("Europe/London", fromMs, fromMs + 3 * DAY_MS)).toEqual([
      { fromMs, untilMs: Date.parse("2026-10-25T01:00:00Z"), offsetMs: HOUR },
      { fromMs: Date.parse("2026-10-25T01:00:00Z"), untilMs: fromMs + 3 * DAY_MS, offsetMs: 0 },
    ]);
  });

  it("is one stretch in a zone that never changes, and none for an empty span", () => {
    expect(stretchesOf("Asia/Kolkata", 0, DAY_MS)).toEqual([
      { fromMs: 0, untilMs: DAY_MS, offsetMs: 5.5 * HOUR },
    ]);
    expect(stretchesOf("Europe/London", 5, 5)).toEqual([]);
  });
});

describe("offsetAt", () => {
  it.each([
    ["2026-03-29T00:59:59.999Z", 0],
    ["2026-03-29T01:00:00.000Z", HOUR],
    ["2026-10-25T00:59:59.999Z", HOUR],
    ["2026-10-25T01:00:00.000Z", 0],
    ["2027-03-28T01:00:00.000Z", HOUR],
    ["2027-10-31T01:00:00.000Z", 0],
    ["2028-03-26T01:00:00.000Z", HOUR],
    ["2028-10-29T01:00:00.000Z", 0],
  ])("of London at %s", (at, expected) => expect(offsetAt("Europe/London", Date.parse(at))).toBe(expected));
});

describe("days", () => {
  it("are numbered from 1970-01-01, a Thursday, before it too", () => {
    expect([dayNumber("1970-01-01"), weekdayOfDay(0)]).toEqual([0, "thu"]);
    expect([dayNumber("1969-12-31"), weekdayOfDay(-1)]).toEqual([-1, "wed"]);
    expect(weekdayOfDay(dayNumber("2026-07-06"))).toBe("mon");
    expect(dateOfDay(dayNumber("2028-02-29"))).toBe("2028-02-29");
    expect([dayOf(DAY_MS - 1), dayOf(DAY_MS), dayOf(-1)]).toEqual([0, 1, -1]);
    expect([timeMs("00:00"), timeMs("23:59")]).toEqual([0, 23 * HOUR + 59 * 60_000]);
  });
});

describe("isTimeZone", () => {
  it.each([
    ["Europe/London", true],
    ["UTC", true],
    ["Mars/Olympus", false],
    ["+01:00", false],
    ["", false],
  ])("%s: %s", (name, expected) => expect(isTimeZone(name)).toBe(expected));
});
