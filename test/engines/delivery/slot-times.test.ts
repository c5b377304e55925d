import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { addDays, weekdayOf } from "../../../server/lib/local-time.ts";
import { runsOn, slotTimes } from "../../../server/engines/delivery/rules/slot-times.ts";
import { seeded } from "../../seeded.ts";
import { iso, ms, slotWindow } from "./fixture.ts";

const LONDON = "Europe/London";
const at = (start: string, end: string, date: string, timeZone = LONDON): (string | null)[] | null => {
  const times = slotTimes({ start, end, cut_off: null }, date, timeZone);
  return times === null ? null : [iso(times.startsAt), iso(times.endsAt)];
};

describe("slotTimes", () => {
  it.each([
    // DA17, DA18, DA19
    ["00:00", "02:00", "2026-03-29", ["2026-03-29T00:00:00Z", "2026-03-29T01:00:00Z"]],
    ["00:00", "03:00", "2026-10-25", ["2026-10-24T23:00:00Z", "2026-10-25T03:00:00Z"]],
    ["01:00", "02:00", "2026-03-29", null],
    // Less than nothing is left of a window that starts inside the gap.
    ["01:30", "02:00", "2026-03-29", null],
    ["01:30", "02:30", "2026-03-29", null],
    ["01:30", "03:00", "2026-03-29", ["2026-03-29T01:30:00Z", "2026-03-29T02:00:00Z"]],
    ["01:00", "02:00", "2026-10-25", ["2026-10-25T00:00:00Z", "2026-10-25T02:00:00Z"]],
    // An end at or before the start is the next day's.
    ["22:00", "02:00", "2026-07-04", ["2026-07-04T21:00:00Z", "2026-07-05T01:00:00Z"]],
    ["00:00", "00:00", "2026-07-04", ["2026-07-03T23:00:00Z", "2026-07-04T23:00:00Z"]],
    ["22:00", "06:00", "2026-03-28", ["2026-03-28T22:00:00Z", "2026-03-29T05:00:00Z"]],
  ])("%s to %s on %s", (start, end, date, expected) => expect(at(start, end, date)).toEqual(expected));

  it.each([
    // DA20
    [{ days_before: 1, time: "18:00" }, "2026-07-04", "2026-07-03T17:00:00Z"],
    [{ days_before: 1, time: "18:00" }, "2026-03-29", "2026-03-28T18:00:00Z"],
    [{ days_before: 0, time: "08:00" }, "2026-07-04", "2026-07-04T07:00:00Z"],
    [{ days_before: 1, time: "18:00" }, "2026-01-01", "2025-12-31T18:00:00Z"],
    // Real elapsed minutes: 24 hours before 09:00 BST, across the change, is 08:00 GMT the day before.
    [{ minutes_before: 1440 }, "2026-03-29", "2026-03-28T08:00:00Z"],
    [{ minutes_before: 0 }, "2026-07-04", "2026-07-04T08:00:00Z"],
    [null, "2026-07-04", null],
  ])("cut-off %j for %s is %s", (cutOff, date, expected) => {
    expect(iso(slotTimes({ start: "09:00", end: "12:00", cut_off: cutOff }, date, LONDON)?.cutOffAt)).toBe(
      expected,
    );
  });

  it("never gives a slot without length, and none longer than 25 hours", () => {
    const time = fc
      .tuple(fc.nat(23), fc.nat(59))
      .map(([hour, minute]) => `${String(hour).padStart(2, "0")}:${String(minute).padStart(2, "0")}`);
    const date = fc.integer({ min: 0, max: 1460 }).map((days) => addDays("2025-01-01", days));
    const zones = fc.constantFrom(LONDON, "America/New_York", "Australia/Lord_Howe", "America/Sao_Paulo");
    fc.assert(
      fc.property(time, time, date, zones, (start, end, day, timeZone) => {
        const times = slotTimes({ start, end, cut_off: null }, day, timeZone);
        if (times === null) return;
        const length = times.endsAt - times.startsAt;
        expect(length).toBeGreaterThan(0);
        expect(length).toBeLessThanOrEqual(25 * 3_600_000);
      }),
      seeded(),
    );
  });
});

describe("runsOn", () => {
  const window = slotWindow("win_1", {
    days: ["sat", "sun"],
    valid_from: "2026-07-04",
    valid_until: "2026-07-11",
  });
  it.each([
    ["2026-06-28", false],
    ["2026-07-04", true],
    ["2026-07-06", false],
    ["2026-07-11", true],
    ["2026-07-12", false],
  ])("%s: %s", (date, expected) => expect(runsOn(window, date, weekdayOf(date))).toBe(expected));

  it("runs for ever without a first and last day", () => {
    expect(runsOn(slotWindow("win_1"), "2099-01-01", weekdayOf("2099-01-01"))).toBe(true);
    expect(ms("2099-01-01T00:00:00Z")).toBeGreaterThan(0);
  });
});
