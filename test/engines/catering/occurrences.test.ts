import { describe, expect, it } from "vitest";

import { expandOccurrences, scheduleFault } from "../../../server/engines/catering/rules/occurrences.ts";
import type { RecurringOrder } from "../../../server/engines/catering/schema/recurring.ts";
import { noHolidays, recurring } from "./make.ts";

const expand = (more: Partial<RecurringOrder>, from: string, to: string, holidays = noHolidays) =>
  expandOccurrences("crc_1", recurring(more), { from, to, holidays, today: "2026-06-01" });
const edit = (original_start: string, more: object) => ({
  original_start,
  skip: false,
  date: null,
  start: null,
  headcount: null,
  note: "",
  confirmed: false,
  ...more,
});

describe("expandOccurrences (rule 1)", () => {
  it("keeps the wall clock through both changes of time", () => {
    const weekly = { dtstart: "2026-03-22T12:30", rrule: "FREQ=WEEKLY" };
    const found = expand(weekly, "2026-03-22", "2026-04-05").map(({ starts_at: at }) => at);
    expect(found).toEqual([
      "2026-03-22T12:30:00.000Z",
      "2026-03-29T11:30:00.000Z",
      "2026-04-05T11:30:00.000Z",
    ]);
  });

  it("A11: loses no delivery to the spring gap, and takes the first of a fold", () => {
    const early = { dtstart: "2026-03-28T01:30", rrule: "FREQ=DAILY" };
    expect(expand(early, "2026-03-28", "2026-03-30").map(({ starts_at: at }) => at)).toEqual([
      "2026-03-28T01:30:00.000Z",
      "2026-03-29T01:30:00.000Z",
      "2026-03-30T00:30:00.000Z",
    ]);
    expect(expand(early, "2026-10-25", "2026-10-25").map(({ starts_at: at }) => at)).toEqual([
      "2026-10-25T00:30:00.000Z",
    ]);
  });

  it("A18 in New York, through the change of time of 2007", () => {
    const vector = {
      dtstart: "2007-01-15T09:00",
      rrule: "FREQ=MONTHLY;BYMONTHDAY=15,30;COUNT=5",
      timezone: "America/New_York",
    };
    expect(expand(vector, "2007-01-01", "2008-01-01").map(({ starts_at: at }) => at)).toEqual([
      "2007-01-15T14:00:00.000Z",
      "2007-01-30T14:00:00.000Z",
      "2007-02-15T14:00:00.000Z",
      "2007-03-15T13:00:00.000Z",
      "2007-03-30T13:00:00.000Z",
    ]);
  });

  it("applies EXDATE and RDATE by local value, and ends at until", () => {
    const found = expand(
      { exdates: ["2026-06-09T12:30"], rdates: ["2026-06-10T18:00"], until: "2026-06-16" },
      "2026-06-01",
      "2026-07-01",
    );
    expect(found.map(({ date, start }) => `${date} ${start}`)).toEqual([
      "2026-06-02 12:30",
      "2026-06-10 18:00",
      "2026-06-16 12:30",
    ]);
  });

  it("applies edits of single dates, also from outside the window", () => {
    const edits = [
      edit("2026-06-09T12:30", { date: "2026-06-11", start: "13:00", note: "Later" }),
      edit("2026-06-16T12:30", { skip: true }),
    ];
    const found = expand({ edits }, "2026-06-11", "2026-06-20");
    expect(found.map(({ date, note, start, state }) => [date, start, state, note])).toEqual([
      ["2026-06-11", "13:00", "moved", "Later"],
      ["2026-06-16", "12:30", "skipped", ""],
    ]);
  });
});

it("counts heads before the event, also where the time of the same day is after its start", () => {
  const counted = (start: string) =>
    expand(
      { dtstart: `2026-06-09T${start}`, lead_days: 0, count_at: "12:00" },
      "2026-06-09",
      "2026-06-09",
    ).map(({ count_at: at }) => at);
  expect(counted("12:30")).toEqual(["2026-06-09T11:00:00.000Z"]);
  expect(counted("12:00")).toEqual(["2026-06-08T11:00:00.000Z"]);
  expect(counted("08:00")).toEqual(["2026-06-08T11:00:00.000Z"]);
});

describe("holidays", () => {
  const holidays = new Set(["2026-06-09"]);
  const states = (more: Partial<RecurringOrder>) =>
    expand(more, "2026-06-08", "2026-06-11", holidays).map(({ date, state }) => `${date} ${state}`);

  it.each([
    ["skip" as const, ["2026-06-09 skipped"]],
    ["keep" as const, ["2026-06-09 scheduled"]],
    ["previous" as const, ["2026-06-08 moved"]],
    ["next" as const, ["2026-06-10 moved"]],
  ])("%s", (holiday_policy, expected) => expect(states({ holiday_policy })).toEqual(expected));

  it("a time that was written for a date does not bring food on its holiday, a day does", () => {
    const early = edit("2026-06-09T12:30", { start: "12:00" });
    const shown = (
      holiday_policy: RecurringOrder["holiday_policy"],
      edits: RecurringOrder["edits"] = [early],
    ) =>
      expand({ holiday_policy, edits }, "2026-06-08", "2026-06-11", holidays).map(
        ({ date, start, state }) => `${date} ${start} ${state}`,
      );
    expect(shown("next")).toEqual(["2026-06-10 12:00 moved"]);
    expect(shown("skip")).toEqual(["2026-06-09 12:00 skipped"]);
    expect(shown("keep")).toEqual(["2026-06-09 12:00 moved"]);
    expect(shown("next", [{ ...early, date: "2026-06-09" }])).toEqual(["2026-06-09 12:00 moved"]);
  });

  it("moves over a whole row of days that are none", () => {
    const easter = new Set(["2026-04-03", "2026-04-06"]);
    const fridays = { dtstart: "2026-03-06T12:00", rrule: "FREQ=WEEKLY", holiday_policy: "next" as const };
    expect(expand(fridays, "2026-04-01", "2026-04-08", easter).map(({ date }) => date)).toEqual([
      "2026-04-07",
    ]);
  });

  it("makes one of two that fall together, and says so", () => {
    const daily = { rrule: "FREQ=DAILY", holiday_policy: "next" as const };
    const found = expand(daily, "2026-06-09", "2026-06-10", holidays);
    expect(
      found.map(({ date, original_start, reason, state, warnings }) => ({
        date,
        original_start,
        reason,
        state,
        warnings,
      })),
    ).toEqual([
      {
        date: "2026-06-10",
        original_start: "2026-06-09T12:30",
        reason: "merged",
        state: "skipped",
        warnings: ["Falls together with 2026-06-10T12:30."],
      },
      {
        date: "2026-06-10",
        original_start: "2026-06-10T12:30",
        reason: null,
        state: "scheduled",
        warnings: ["Includes 2026-06-09T12:30."],
      },
    ]);
  });
});

describe("the rest", () => {
  it("gives ids that follow from the original start alone", () => {
    const [first] = expand({}, "2026-06-02", "2026-06-02");
    const edits = [edit("2026-06-02T12:30", { date: "2026-06-04" })];
    const [moved] = expand({ edits }, "2026-06-04", "2026-06-04");
    expect(moved?.id).toBe(first?.id);
    expect(
      expandOccurrences("crc_2", recurring(), {
        from: "2026-06-02",
        to: "2026-06-02",
        holidays: noHolidays,
        today: "2026-06-01",
      })[0]?.id,
    ).not.toBe(first?.id);
  });

  it("counts heads business days before, and plans beyond sixty days only", () => {
    const [first] = expand({}, "2026-06-09", "2026-06-09");
    expect(first).toMatchObject({ count_at: "2026-06-05T11:00:00.000Z", state: "scheduled" });
    expect(expand({}, "2026-08-04", "2026-08-04")[0]?.state).toBe("planned");
  });

  it("refuses a rule that makes no sense", () => {
    expect(scheduleFault({ rrule: "FREQ=WEEKLY", dtstart: "2026-06-02T12:30", month_end: false })).toBeNull();
    expect(
      scheduleFault({
        rrule: "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30",
        dtstart: "2026-06-02T12:30",
        month_end: false,
      }),
    ).not.toBeNull();
  });
});
