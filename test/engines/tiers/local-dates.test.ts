import * as fc from "fast-check";
import { Temporal } from "temporal-polyfill";
import { expect, it } from "vitest";

import {
  addDays,
  addMonths,
  daysBetween,
  isTimeZone,
  localDateAt,
  startOfDay,
} from "../../../server/engines/tiers/rules/local-dates.ts";

const ms = (instant: string): number => Date.parse(instant);

it.each([
  ["2026-03-28T23:59:59Z", "Europe/London", "2026-03-28"],
  ["2026-03-29T23:30:00Z", "Europe/London", "2026-03-30"],
  ["2026-10-24T23:30:00Z", "Europe/London", "2026-10-25"],
  ["2026-10-25T00:30:00Z", "Europe/London", "2026-10-25"],
  ["2026-10-25T23:30:00Z", "Europe/London", "2026-10-25"],
  ["2026-06-01T15:00:00Z", "Asia/Tokyo", "2026-06-02"],
  ["2026-06-01T03:59:00Z", "America/New_York", "2026-05-31"],
])("%s in %s is %s", (instant, zone, date) => expect(localDateAt(ms(instant), zone)).toBe(date));

it("reckons with months of any length", () => {
  expect(addMonths("2024-01-31", 1)).toBe("2024-02-29");
  expect(addMonths("2024-02-29", 12)).toBe("2025-02-28");
  expect(addDays("2024-02-28", 2)).toBe("2024-03-01");
  expect(daysBetween("2026-03-28", "2026-03-30")).toBe(2);
  expect(daysBetween("2026-03-30", "2026-03-28")).toBe(-2);
});

it("adds months as the calendar does", () => {
  const day = fc.integer({ min: 0, max: 20_000 }).map((at) => addDays("1990-01-01", at));
  fc.assert(
    fc.property(day, fc.integer({ min: -240, max: 240 }), (date, months) => {
      expect(addMonths(date, months)).toBe(Temporal.PlainDate.from(date).add({ months }).toString());
    }),
  );
});

it("finds where a local day begins", () => {
  expect(startOfDay("2026-06-01", "Europe/London")).toBe(ms("2026-05-31T23:00:00Z"));
  expect(startOfDay("2026-12-01", "Europe/London")).toBe(ms("2026-12-01T00:00:00Z"));
});

it("knows zones by name, not by offset", () => {
  expect(["Europe/London", "+01:00", "Mars/Base", ""].map(isTimeZone)).toEqual([true, false, false, false]);
});
