import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { addDays, minutesOf } from "../../../server/lib/local-time.ts";
import { bankHolidays } from "../../../server/engines/delivery/data/bank-holidays.ts";
import { findBlock } from "../../../server/engines/delivery/rules/blocked-dates.ts";
import type { BlockSubject } from "../../../server/engines/delivery/rules/blocked-dates.ts";
import { expandBlocks } from "../../../server/engines/delivery/rules/expand-blocks.ts";
import type { BlockEntry, BlockSource } from "../../../server/engines/delivery/rules/expand-blocks.ts";
import type { BlockedDate, CalendarEvent } from "../../../server/engines/delivery/schema/blocked-date.ts";
import { seeded } from "../../seeded.ts";
import { blockedDate } from "./fixture.ts";

const official: ReadonlyMap<string, readonly CalendarEvent[]> = new Map(
  bankHolidays.divisions.map(({ id, events }) => [id, events]),
);

interface Asked extends Partial<BlockSubject> {
  readonly calendarIds?: readonly string[];
}

function ask(entries: readonly Partial<BlockedDate>[], date: string, asked: Asked = {}): string | null {
  const { calendarIds = [], ...query } = asked;
  const source: BlockSource = {
    entries: entries.map((entry, at) => blockedDate({ id: `blk_${at}`, ...entry })),
    calendars: official,
    calendarIds,
  };
  const whole = { placeId: "zon_1", windowId: "win_1", time: { start: "09:00", end: "12:00" } };
  return findBlock(expandBlocks(source, date, date), { date, ...whole, ...query });
}

describe("calendars", () => {
  it.each([
    // DA24
    ["gb-sct", "2026-06-15", "World Cup bank holiday"],
    ["gb-eng", "2026-06-15", null],
    // DA25
    ["gb-eng", "2026-12-26", null],
    ["gb-eng", "2026-12-28", "Boxing Day"],
    ["gb-eng", "2026-12-25", "Christmas Day"],
    ["gb-sct", "2026-01-02", "2nd January"],
    ["gb-eng", "2026-01-02", null],
    ["gb-nir", "2026-07-13", "Battle of the Boyne (Orangemen’s Day)"],
    ["gb-nir", "2026-07-12", null],
    ["gb-eng", "2028-01-03", "New Year’s Day"],
    ["gb-xyz", "2026-12-25", null],
  ])("%s on %s: %s", (calendar, date, expected) => {
    expect(ask([], date, { calendarIds: [calendar] })).toBe(expected);
    expect(ask([{ calendar_id: calendar, reason: "" }], date)).toBe(expected);
  });

  it("the snapshot has unique ascending dates, none on a weekend", () => {
    for (const { id, events } of bankHolidays.divisions) {
      const dates = events.map(({ date }) => date);
      expect(dates, id).toEqual([...new Set(dates)].sort());
      expect(
        dates.filter((date) => [0, 6].includes(new Date(date).getUTCDay())),
        id,
      ).toEqual([]);
      expect(new Set(dates.map((date) => date.slice(0, 4))), id).toEqual(
        new Set(["2025", "2026", "2027", "2028"]),
      );
    }
  });
});

describe("findBlock", () => {
  it.each<[string, Partial<BlockedDate>, string, boolean]>([
    ["a date", { date: "2026-07-04" }, "2026-07-04", true],
    ["another date", { date: "2026-07-05" }, "2026-07-04", false],
    ["the first day of a range", { from: "2026-07-04", to: "2026-07-06" }, "2026-07-04", true],
    ["the last day of a range", { from: "2026-07-02", to: "2026-07-04" }, "2026-07-04", true],
    ["the day after a range", { from: "2026-07-02", to: "2026-07-03" }, "2026-07-04", false],
    ["a recurrence", { from: "2026-01-01", rrule: "FREQ=WEEKLY;BYDAY=SA" }, "2026-07-04", true],
    [
      "a recurrence that has ended",
      { from: "2026-01-01", to: "2026-07-03", rrule: "FREQ=WEEKLY;BYDAY=SA" },
      "2026-07-04",
      false,
    ],
    [
      "a recurrence on the day of the spring change",
      { from: "2026-01-01", rrule: "FREQ=DAILY" },
      "2026-03-29",
      true,
    ],
    ["its zone", { date: "2026-07-04", scope: "zones", zone_ids: ["zon_1"] }, "2026-07-04", true],
    ["another zone", { date: "2026-07-04", scope: "zones", zone_ids: ["zon_2"] }, "2026-07-04", false],
    [
      "its window",
      { date: "2026-07-04", scope: "slot_windows", slot_window_ids: ["win_1"] },
      "2026-07-04",
      true,
    ],
    [
      "another window",
      { date: "2026-07-04", scope: "slot_windows", slot_window_ids: ["win_2"] },
      "2026-07-04",
      false,
    ],
  ])("%s", (_, entry, date, expected) => {
    expect(ask([entry], date)).toBe(expected ? "closed" : null);
  });

  it.each([
    ["overlaps the end", [{ start: "11:59", end: "15:00" }], "09:00", "12:00", true],
    ["touches the end only", [{ start: "12:00", end: "15:00" }], "09:00", "12:00", false],
    ["touches the start only", [{ start: "07:00", end: "09:00" }], "09:00", "12:00", false],
    ["lies inside", [{ start: "10:00", end: "10:30" }], "09:00", "12:00", true],
    [
      "one of two",
      [
        { start: "06:00", end: "07:00" },
        { start: "11:00", end: "13:00" },
      ],
      "09:00",
      "12:00",
      true,
    ],
    ["reaches over midnight", [{ start: "23:00", end: "01:00" }], "22:00", "23:30", true],
  ])("a part-day block that %s", (...[, ranges, start, end, expected]) => {
    expect(ask([{ date: "2026-07-04", ranges }], "2026-07-04", { time: { start, end } })).toBe(
      expected ? "closed" : null,
    );
  });

  it("a part-day block of the neighbouring day stops a slot across midnight", () => {
    const night = { time: { start: "22:00", end: "02:00" } };
    const early = { date: "2026-07-05", ranges: [{ start: "00:00", end: "06:00" }] };
    expect(ask([early], "2026-07-04", night)).toBe("closed");
    expect(ask([early], "2026-07-04", { time: { start: "22:00", end: "00:00" } })).toBeNull();
    const late = { date: "2026-07-03", ranges: [{ start: "23:00", end: "03:00" }] };
    expect(ask([late], "2026-07-04", { time: { start: "02:00", end: "04:00" } })).toBe("closed");
    // A whole day is about the slots that start on it.
    expect(ask([{ date: "2026-07-05" }], "2026-07-04", night)).toBeNull();
  });

  it("open re-opens a day that a calendar or a recurrence blocks", () => {
    const open = { action: "open" as const, date: "2026-12-28" };
    const calendarIds = ["gb-eng"];
    expect(ask([open], "2026-12-28", { calendarIds })).toBeNull();
    expect(ask([open, { from: "2026-01-01", rrule: "FREQ=WEEKLY;BYDAY=MO" }], "2026-12-28")).toBeNull();
    expect(ask([{ ...open, date: "2026-12-25" }], "2026-12-28", { calendarIds })).toBe("Boxing Day");
  });

  it("open never cancels a date or range set by hand", () => {
    const open = { action: "open" as const, date: "2026-07-04" };
    expect(ask([open, { date: "2026-07-04" }], "2026-07-04")).toBe("closed");
    expect(ask([open, { from: "2026-07-01", to: "2026-07-10" }], "2026-07-04")).toBe("closed");
  });

  it("open counts only for its own zones and windows", () => {
    const open = {
      action: "open" as const,
      date: "2026-12-28",
      scope: "zones" as const,
      zone_ids: ["zon_2"],
    };
    expect(ask([open], "2026-12-28", { calendarIds: ["gb-eng"] })).toBe("Boxing Day");
    expect(ask([open], "2026-12-28", { calendarIds: ["gb-eng"], placeId: "zon_2" })).toBeNull();
  });

  it("a part-day opening holds a slot across two of its ranges that touch or overlap", () => {
    const ranges = [
      { start: "12:00", end: "15:00" },
      { start: "09:00", end: "12:00" },
      { start: "14:00", end: "16:00" },
      { start: "17:00", end: "18:00" },
    ];
    const open = { action: "open" as const, date: "2026-12-28", ranges };
    const asked = (start: string, end: string) =>
      ask([open], "2026-12-28", { calendarIds: ["gb-eng"], time: { start, end } });
    expect([asked("11:00", "13:00"), asked("09:00", "16:00")]).toEqual([null, null]);
    expect([asked("15:00", "17:30"), asked("08:00", "10:00")]).toEqual(["Boxing Day", "Boxing Day"]);
  });

  it("a part-day opening must hold the whole slot", () => {
    const open = { action: "open" as const, date: "2026-12-28", ranges: [{ start: "10:00", end: "14:00" }] };
    const at = (start: string, end: string): string | null =>
      ask([open], "2026-12-28", { calendarIds: ["gb-eng"], time: { start, end } });
    expect(at("10:00", "14:00")).toBeNull();
    expect(at("11:00", "12:00")).toBeNull();
    expect(at("09:00", "11:00")).toBe("Boxing Day");
    expect(at("13:00", "14:01")).toBe("Boxing Day");
  });

  it("a day as such is blocked only when all of it is, for every window", () => {
    const day = { time: null, windowId: null };
    expect(ask([{ date: "2026-07-04" }], "2026-07-04", day)).toBe("closed");
    expect(
      ask([{ date: "2026-07-04", ranges: [{ start: "00:00", end: "23:00" }] }], "2026-07-04", day),
    ).toBeNull();
    const oneWindow = { date: "2026-07-04", scope: "slot_windows" as const, slot_window_ids: ["win_1"] };
    expect(ask([oneWindow], "2026-07-04", day)).toBeNull();
    const partOpen = {
      action: "open" as const,
      date: "2026-12-28",
      ranges: [{ start: "10:00", end: "14:00" }],
    };
    expect(ask([partOpen], "2026-12-28", { ...day, calendarIds: ["gb-eng"] })).toBeNull();
  });

  it("without a zone only what concerns every zone blocks", () => {
    expect(ask([{ date: "2026-07-04" }], "2026-07-04", { placeId: null })).toBe("closed");
    const zones = { date: "2026-07-04", scope: "zones" as const, zone_ids: ["zon_1"] };
    expect(ask([zones], "2026-07-04", { placeId: null })).toBeNull();
  });
});

/** The rule as it is described, entry by entry. */
function judgeNaively(
  source: BlockSource,
  { date, placeId, windowId, time }: Required<Query>,
): string | null {
  const near = (time === null ? [0] : [-1, 0, 1]).flatMap((offset) => {
    const day = addDays(date, offset);
    return source.entries.flatMap((entry) => {
      const { from, to, rrule, scope, action } = entry;
      const isOn =
        entry.date === null ? from !== null && to !== null && from <= day && day <= to : entry.date === day;
      const ids: readonly string[] = [...entry.zone_ids, ...entry.location_ids, ...entry.slot_window_ids];
      const isFor =
        scope === "all" ||
        (scope !== "slot_windows" && placeId !== null && ids.includes(placeId)) ||
        (scope === "slot_windows" && (windowId === null ? action === "open" : ids.includes(windowId)));
      return isOn && isFor && rrule === null ? [{ entry, offset }] : [];
    });
  });
  const minutes = minutesOf;
  const meets = (entry: BlockEntry, offset: number, isWhole: boolean): boolean => {
    if (entry.ranges.length === 0) return offset === 0;
    if (time === null) return isWhole && offset === 0;
    const start = minutes(time.start);
    const end = minutes(time.end) + (time.end <= time.start ? 1440 : 0);
    return entry.ranges.some((range) => {
      const from = minutes(range.start) + offset * 1440;
      const to = minutes(range.end) + (range.end <= range.start ? 1440 : 0) + offset * 1440;
      return isWhole ? from <= start && end <= to : from < end && start < to;
    });
  };
  const isOpened = near.some(({ entry, offset }) => entry.action === "open" && meets(entry, offset, true));
  const first = near.find(
    ({ entry, offset }) =>
      entry.action === "block" && (entry.calendar_id === null || !isOpened) && meets(entry, offset, false),
  );
  return first?.entry.reason ?? null;
}

type Query = BlockSubject & { readonly date: string };

describe("many entries at once", () => {
  const dayOf = fc.integer({ min: 0, max: 8 }).map((days) => addDays("2026-07-01", days));
  const timeOf = fc.constantFrom("00:00", "06:00", "11:00", "12:00", "18:00", "23:00");
  const rangeOf = fc.tuple(timeOf, timeOf).filter(([start, end]) => start !== end);
  const entryOf = fc
    .record({
      days: fc.tuple(dayOf, dayOf),
      isRange: fc.boolean(),
      scope: fc.constantFrom("all" as const, "zones" as const, "locations" as const, "slot_windows" as const),
      places: fc.subarray(["zon_1", "zon_2"], { minLength: 1 }),
      windows: fc.subarray(["win_1", "win_2"], { minLength: 1 }),
      ranges: fc.array(rangeOf, { maxLength: 2 }),
      action: fc.constantFrom("block" as const, "block" as const, "open" as const),
    })
    .map(({ days: [a, b], isRange, scope, places, windows, ranges, action }) => ({
      ...(isRange ? { from: a < b ? a : b, to: a < b ? b : a } : { date: a }),
      scope,
      zone_ids: scope === "zones" ? places : [],
      location_ids: scope === "locations" ? places : [],
      slot_window_ids: scope === "slot_windows" ? windows : [],
      ranges: ranges.map(([start, end]) => ({ start, end })),
      action,
    }));
  const queryOf = fc.record({
    date: dayOf,
    placeId: fc.constantFrom(null, "zon_1", "zon_2"),
    slot: fc.option(fc.record({ windowId: fc.constantFrom("win_1", "win_2"), time: rangeOf })),
  });

  it("give what the rule gives for one after the other", () => {
    fc.assert(
      fc.property(fc.array(entryOf, { maxLength: 12 }), queryOf, (rows, { date, placeId, slot }) => {
        const entries = rows.map((row, at) =>
          blockedDate({ id: `blk_${at}`, reason: `reason ${at}`, ...row }),
        );
        const source: BlockSource = { entries, calendars: new Map(), calendarIds: [] };
        const [start = "", end = ""] = slot?.time ?? [];
        const time = slot === null ? null : { start, end };
        const query = { date, placeId, windowId: slot?.windowId ?? null, time };
        const blocks = expandBlocks(source, "2026-07-01", "2026-07-09");
        expect(findBlock(blocks, query)).toBe(judgeNaively(source, query));
      }),
      seeded(1_000),
    );
  });
});
