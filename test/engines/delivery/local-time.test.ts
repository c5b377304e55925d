import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import {
  addDays,
  datesFrom,
  daysBetween,
  isTimeZone,
  localDateAt,
  minutesOf,
  toEpochMs,
  weekdayOf,
} from "../../../server/engines/delivery/rules/local-time.ts";
import { iso, ms, seeded } from "./fixture.ts";

const LONDON = "Europe/London";

describe("toEpochMs", () => {
  it.each([
    ["2026-07-04", "18:00", LONDON, "2026-07-04T17:00:00Z"],
    ["2026-01-04", "18:00", LONDON, "2026-01-04T18:00:00Z"],
    // Spring: 01:00 to 02:00 do not exist; a time in the gap moves on by its length.
    ["2026-03-29", "00:59", LONDON, "2026-03-29T00:59:00Z"],
    ["2026-03-29", "01:30", LONDON, "2026-03-29T01:30:00Z"],
    ["2026-03-29", "02:00", LONDON, "2026-03-29T01:00:00Z"],
    // Autumn: 01:00 to 02:00 happen twice; the first is meant.
    ["2026-10-25", "01:30", LONDON, "2026-10-25T00:30:00Z"],
    ["2026-10-25", "02:00", LONDON, "2026-10-25T02:00:00Z"],
    ["2026-07-04", "00:00", "America/New_York", "2026-07-04T04:00:00Z"],
    // Lord Howe moves by half an hour.
    ["2026-10-04", "02:15", "Australia/Lord_Howe", "2026-10-03T15:45:00Z"],
  ])("%s %s in %s is %s", (date, time, zone, expected) => {
    expect(iso(toEpochMs(date, time, zone))).toBe(expected);
  });

  it("agrees with Intl on every wall clock that exists", () => {
    const zones = fc.constantFrom(LONDON, "America/New_York", "Asia/Kathmandu", "Australia/Lord_Howe");
    const day = fc.integer({ min: 0, max: 1500 }).map((days) => addDays("2025-01-01", days));
    fc.assert(
      fc.property(zones, day, fc.integer({ min: 0, max: 1439 }), (timeZone, date, minutes) => {
        const time = `${String(Math.floor(minutes / 60)).padStart(2, "0")}:${String(minutes % 60).padStart(2, "0")}`;
        const shown = new Intl.DateTimeFormat("sv-SE", {
          timeZone,
          dateStyle: "short",
          timeStyle: "short",
        }).format(toEpochMs(date, time, timeZone));
        const isGap = shown.slice(11) !== time;
        if (isGap) expect(shown > `${date} ${time}`).toBe(true);
        else expect(shown).toBe(`${date} ${time}`);
      }),
      seeded(),
    );
  });
});

describe("dates", () => {
  it("are the store's, not the server's", () => {
    expect(localDateAt(ms("2026-06-30T23:30:00Z"), LONDON)).toBe("2026-07-01");
    expect(localDateAt(ms("2026-12-31T23:30:00Z"), LONDON)).toBe("2026-12-31");
    expect(localDateAt(ms("2026-07-01T03:00:00Z"), "America/New_York")).toBe("2026-06-30");
  });

  it("count over months, years and leap days", () => {
    expect(addDays("2028-02-28", 1)).toBe("2028-02-29");
    expect(addDays("2027-02-28", 1)).toBe("2027-03-01");
    expect(addDays("2027-01-01", -1)).toBe("2026-12-31");
    expect(daysBetween("2026-12-31", "2027-01-02")).toBe(2);
    expect(daysBetween("2027-01-02", "2026-12-31")).toBe(-2);
    expect(datesFrom("2026-02-27", "2026-03-01")).toEqual(["2026-02-27", "2026-02-28", "2026-03-01"]);
    expect(datesFrom("2026-03-01", "2026-02-27")).toEqual([]);
  });

  it("know their weekday", () => {
    expect(weekdayOf("2026-03-29")).toBe("sun");
    expect(weekdayOf("2026-12-28")).toBe("mon");
  });
});

it("minutesOf counts from midnight", () =>
  expect([minutesOf("00:00"), minutesOf("23:59")]).toEqual([0, 1439]));

it.each([
  [LONDON, true],
  ["UTC", true],
  ["America/Argentina/Buenos_Aires", true],
  ["+01:00", false],
  ["Europe/Atlantis", false],
  ["", false],
])("isTimeZone %j is %s", (name, expected) => expect(isTimeZone(name)).toBe(expected));
