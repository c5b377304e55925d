import * as fc from "fast-check";
import { Temporal } from "temporal-polyfill";
import { describe, expect, it } from "vitest";

import {
  addDays,
  addMonths,
  dateOfDay,
  datesFrom,
  dayNumber,
  daysBetween,
  isoWeekdayOf,
  isTimeZone,
  lastOfMonth,
  localAt,
  localDateAt,
  minutesOf,
  offsetAt,
  startOfDay,
  toEpochMs,
  weekdayOf,
} from "../../server/lib/local-time.ts";
import { seeded } from "../seeded.ts";
import { cpuMs } from "../support/longest-turn.ts";

const ASKING_MS = 5;

const LONDON = "Europe/London";
const HOUR = 3_600_000;

const ms = (instant: string): number => Date.parse(instant);
const iso = (epochMs: number): string => new Date(epochMs).toISOString().replace(":00.000Z", "Z");

const zones = fc.constantFrom(
  LONDON,
  "America/New_York",
  "Asia/Kathmandu",
  "Australia/Lord_Howe",
  "Pacific/Apia",
);
const dates = fc.integer({ min: 0, max: 1500 }).map((days) => addDays("2025-01-01", days));

/** The wall clock as Intl has it, by another way than the module's. */
const shown = (epochMs: number, timeZone: string): string =>
  new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "short" })
    .format(epochMs)
    .replace(" ", "T");

describe("toEpochMs", () => {
  it.each([
    ["2026-07-04", "18:00", LONDON, "2026-07-04T17:00Z"],
    ["2026-01-04", "18:00", LONDON, "2026-01-04T18:00Z"],
    // Spring: 01:00 to 02:00 do not exist; a time in the gap moves on by its length.
    ["2026-03-29", "00:59", LONDON, "2026-03-29T00:59Z"],
    ["2026-03-29", "01:30", LONDON, "2026-03-29T01:30Z"],
    ["2026-03-29", "02:00", LONDON, "2026-03-29T01:00Z"],
    // Autumn: 01:00 to 02:00 happen twice; the first is meant.
    ["2026-10-25", "01:30", LONDON, "2026-10-25T00:30Z"],
    ["2026-10-25", "02:00", LONDON, "2026-10-25T02:00Z"],
    ["2026-07-04", "00:00", "America/New_York", "2026-07-04T04:00Z"],
    // Lord Howe moves by half an hour.
    ["2026-10-04", "02:15", "Australia/Lord_Howe", "2026-10-03T15:45Z"],
    // Samoa went over the date line: this day was none.
    ["2011-12-30", "12:00", "Pacific/Apia", "2011-12-30T22:00Z"],
    ["0001-01-01", "00:00", "UTC", "0001-01-01T00:00Z"],
    ["9999-12-31", "23:59", "UTC", "9999-12-31T23:59Z"],
  ])("%s %s in %s is %s", (date, time, zone, expected) => {
    expect(iso(toEpochMs(date, time, zone))).toBe(expected);
  });

  it("agrees with Intl on every wall clock that exists", () => {
    fc.assert(
      fc.property(zones, dates, fc.integer({ min: 0, max: 1439 }), (zone, date, minutes) => {
        const time = `${String(Math.floor(minutes / 60)).padStart(2, "0")}:${String(minutes % 60).padStart(2, "0")}`;
        const clock = shown(toEpochMs(date, time, zone), zone);
        const isGap = clock.slice(11) !== time;
        if (isGap) expect(clock > `${date}T${time}`).toBe(true);
        else expect(clock).toBe(`${date}T${time}`);
      }),
      seeded(),
    );
  });
});

describe("startOfDay", () => {
  it.each([
    ["2026-07-04", LONDON, "2026-07-03T23:00Z"],
    // Beirut's clocks go from midnight to one.
    ["2024-03-31", "Asia/Beirut", "2024-03-30T22:00Z"],
    // Havana has midnight twice; the day begins with the first.
    ["2024-11-03", "America/Havana", "2024-11-03T04:00Z"],
    // Toronto went from 23:30 to 00:30, so the day began at half past.
    ["1919-03-31", "America/Toronto", "1919-03-31T04:30Z"],
  ])("of %s in %s is %s", (date, zone, expected) => expect(iso(startOfDay(date, zone))).toBe(expected));
});

describe("localAt and localDateAt", () => {
  it.each([
    ["2026-06-30T23:30:59.999Z", LONDON, "2026-07-01T00:30"],
    ["2026-12-31T23:30:00.000Z", LONDON, "2026-12-31T23:30"],
    ["2026-07-01T03:00:00.000Z", "America/New_York", "2026-06-30T23:00"],
    // Both sides of a change, on one UTC day.
    ["2026-03-29T00:59:59.999Z", LONDON, "2026-03-29T00:59"],
    ["2026-03-29T01:00:00.000Z", LONDON, "2026-03-29T02:00"],
    ["2026-10-25T00:59:59.999Z", LONDON, "2026-10-25T01:59"],
    ["2026-10-25T01:00:00.000Z", LONDON, "2026-10-25T01:00"],
    ["2011-12-30T09:59:00.000Z", "Pacific/Apia", "2011-12-29T23:59"],
    ["2011-12-30T10:00:00.000Z", "Pacific/Apia", "2011-12-31T00:00"],
    ["1969-12-31T23:59:00.000Z", "UTC", "1969-12-31T23:59"],
    ["0001-01-01T00:00:00.000Z", "UTC", "0001-01-01T00:00"],
    ["9999-12-31T23:59:00.000Z", "Asia/Tokyo", "+010000-01-01T08:59"],
  ])("%s in %s is %s", (instant, zone, expected) => {
    expect(localAt(ms(instant), zone)).toBe(expected);
    expect(localDateAt(ms(instant), zone)).toBe(expected.replace(/T.*/, ""));
  });

  it("agree with Intl, also beyond the days that are kept", () => {
    const instants = fc.integer({ min: ms("2005-01-01T00:00Z"), max: ms("2032-01-01T00:00Z") });
    const check = (): void =>
      fc.assert(
        fc.property(zones, instants, (zone, epochMs) => {
          expect(localAt(epochMs, zone)).toBe(shown(epochMs, zone));
        }),
        seeded(),
      );
    check();
    for (let day = 0; day <= 20_000; day += 1) offsetAt(day * 24 * HOUR, "UTC");
    check();
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
  ])("of London at %s", (at, expected) => {
    expect(offsetAt(ms(at), LONDON)).toBe(expected);
    expect(offsetAt(ms(at), LONDON), "asked again").toBe(expected);
  });

  it("throws for a zone that is none, each time", () => {
    for (const _ of [1, 2]) expect(() => offsetAt(0, "Mars/Olympus")).toThrow(RangeError);
  });
});

describe("dates", () => {
  it("count over months, years and leap days", () => {
    expect(addDays("2028-02-28", 1)).toBe("2028-02-29");
    expect(addDays("2027-02-28", 1)).toBe("2027-03-01");
    expect(addDays("2027-01-01", -1)).toBe("2026-12-31");
    expect(daysBetween("2026-12-31", "2027-01-02")).toBe(2);
    expect(daysBetween("2027-01-02", "2026-12-31")).toBe(-2);
    expect(datesFrom("2026-02-27", "2026-03-01")).toEqual(["2026-02-27", "2026-02-28", "2026-03-01"]);
    expect(datesFrom("2026-03-01", "2026-02-27")).toEqual([]);
  });

  it("do not mind a change of the clocks, which has 23 or 25 hours", () => {
    expect(addDays("2026-03-28", 2)).toBe("2026-03-30");
    expect(daysBetween("2026-10-24", "2026-10-26")).toBe(2);
  });

  it("count to both ends of the four-digit years, and over them", () => {
    expect(daysBetween("0001-01-01", "9999-12-31")).toBe(3_652_058);
    expect(addDays("0001-01-01", 3_652_058)).toBe("9999-12-31");
    expect([addDays("9999-12-31", 1), addDays("0000-01-01", -1)]).toEqual(["+010000-01-01", "-000001-12-31"]);
    expect(addDays("+010000-01-01", -1)).toBe("9999-12-31");
    // Dates of five digits compare as earlier ones: without an error, who goes on until one has passed goes on for ever.
    for (const days of [73_200, -3_740_000])
      expect(() => addDays("9999-12-31", days)).toThrow("outside the years");
  });

  it("clamp to the end of a month", () => {
    expect(addMonths("2024-01-31", 1)).toBe("2024-02-29");
    expect(addMonths("2023-01-31", 1)).toBe("2023-02-28");
    expect(addMonths("2024-03-31", -1)).toBe("2024-02-29");
    expect(addMonths("2024-02-29", 12)).toBe("2025-02-28");
    expect(addMonths("2024-01-15", 14)).toBe("2025-03-15");
    expect(["2024-02-01", "2026-02-28", "2026-12-31", "2026-04-15"].map(lastOfMonth)).toEqual([
      "2024-02-29",
      "2026-02-28",
      "2026-12-31",
      "2026-04-30",
    ]);
  });

  it("clamp as the calendar of Temporal does", () => {
    const days = fc.integer({ min: dayNumber("0001-01-01"), max: dayNumber("9999-12-31") });
    fc.assert(
      fc.property(days.map(dateOfDay), fc.integer({ min: -1_300, max: 1_300 }), (date, months) => {
        expect(addMonths(date, months)).toBe(Temporal.PlainDate.from(date).add({ months }).toString());
      }),
      seeded(2_000),
    );
  });

  it("are numbered from 1970-01-01, before it too", () => {
    expect([dayNumber("1970-01-01"), dayNumber("1969-12-31")]).toEqual([0, -1]);
    expect(dateOfDay(dayNumber("2028-02-29"))).toBe("2028-02-29");
  });

  it.each([
    ["2026-03-29", "sun", 7],
    ["2026-12-28", "mon", 1],
    ["1970-01-01", "thu", 4],
    ["1969-12-31", "wed", 3],
    ["0001-01-01", "mon", 1],
  ])("%s is a %s, day %i", (date, name, number) =>
    expect([weekdayOf(date), isoWeekdayOf(date)]).toEqual([name, number]),
  );
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
  // `Intl` takes these, and calendar arithmetic does not.
  ["BST", false],
  ["PST", false],
  ["GMT", true],
  ["EST", true],
  ["europe/london", true],
])("isTimeZone %j is %s", (name, expected) => expect(isTimeZone(name)).toBe(expected));

it("isTimeZone does not ask about names that are far too long", async () => {
  const long = "a-".repeat(450_000);
  const ask = () => expect(isTimeZone(long)).toBe(false);
  expect(await cpuMs(ASKING_MS, ask)).toBeLessThan(ASKING_MS);
});
