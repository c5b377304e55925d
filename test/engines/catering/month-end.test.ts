import { describe, expect, it } from "vitest";

import { parseSchedule } from "../../../server/engines/catering/rules/month-end.ts";

function dates(rrule: string, anchor: string, to: string, monthEnd = false): string[] {
  const rule = parseSchedule(rrule, anchor, monthEnd);
  if (!rule.ok) throw new Error(rule.detail);
  return rule.between(anchor, to);
}
const detailOf = (rrule: string, monthEnd = false): string => {
  const rule = parseSchedule(rrule, "2026-06-02", monthEnd);
  return rule.ok ? "" : rule.detail;
};

describe("parseSchedule", () => {
  it("A18: the 15th and 30th, five times", () =>
    expect(dates("FREQ=MONTHLY;BYMONTHDAY=15,30;COUNT=5", "2007-01-15", "2008-01-01")).toEqual([
      "2007-01-15",
      "2007-01-30",
      "2007-02-15",
      "2007-03-15",
      "2007-03-30",
    ]));

  it("leaves out a day that a month has not, or takes its last", () => {
    const rule = "FREQ=MONTHLY;BYMONTHDAY=31";
    expect(dates(rule, "2026-01-31", "2026-05-31")).toEqual(["2026-01-31", "2026-03-31", "2026-05-31"]);
    expect(dates(rule, "2026-01-31", "2026-05-31", true)).toEqual([
      "2026-01-31",
      "2026-02-28",
      "2026-03-31",
      "2026-04-30",
      "2026-05-31",
    ]);
    expect(dates("FREQ=MONTHLY;BYMONTHDAY=30,31;COUNT=3", "2026-02-01", "2027-01-01", true)).toEqual([
      "2026-02-28",
      "2026-03-30",
      "2026-03-31",
    ]);
    expect(dates("FREQ=MONTHLY;INTERVAL=2;UNTIL=20260501", "2026-01-31", "2027-01-01", true)).toEqual([
      "2026-01-31",
      "2026-03-31",
    ]);
  });

  it("goes on a hundred years after its beginning, and counts from there", () => {
    const between = (rrule: string, first: string, last: string) => {
      const rule = parseSchedule(rrule, "1926-01-31", true);
      return rule.ok ? rule.between(first, last) : rule.detail;
    };
    expect(between("FREQ=MONTHLY", "2026-02-15", "2026-04-30")).toEqual([
      "2026-02-28",
      "2026-03-31",
      "2026-04-30",
    ]);
    expect(between("FREQ=MONTHLY;INTERVAL=5", "2026-01-01", "2026-12-31")).toEqual([
      "2026-01-31",
      "2026-06-30",
      "2026-11-30",
    ]);
    expect(between("FREQ=MONTHLY;COUNT=1203", "2026-02-01", "2026-12-31")).toEqual([
      "2026-02-28",
      "2026-03-31",
    ]);
    expect(between("FREQ=MONTHLY;BYMONTHDAY=30,31;COUNT=4", "1926-01-01", "2026-12-31")).toEqual([
      "1926-01-31",
      "1926-02-28",
      "1926-03-30",
      "1926-03-31",
    ]);
  });

  it("reaches far ahead of its beginning", () =>
    expect(dates("FREQ=DAILY", "2010-01-01", "2010-01-01")).toHaveLength(1));

  it.each([
    ["a rule that never comes", "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30"],
    ["more often than daily", "FREQ=HOURLY"],
    ["a part that is none", "FREQ=DAILY;BYMOON=1"],
    ["a value that is none", "FREQ=WEEKLY;BYDAY=XX"],
    ["a part twice", "FREQ=DAILY;FREQ=WEEKLY"],
    ["no frequency", "INTERVAL=2"],
    ["both ends", "FREQ=DAILY;COUNT=2;UNTIL=20260701"],
    ["nothing", ""],
    ["rubbish", "every tuesday"],
  ])("refuses %s", (_, rule) => expect(detailOf(rule)).not.toBe(""));

  it("clamps months only", () => {
    expect(detailOf("FREQ=WEEKLY;BYDAY=TU", true)).toContain("month_end");
    expect(detailOf("FREQ=MONTHLY;BYMONTHDAY=-1", true)).toContain("month_end");
  });
});
