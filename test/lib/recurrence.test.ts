import { describe, expect, it } from "vitest";

import { checkRule, parseRecurrence } from "../../server/lib/recurrence.ts";

const dates = (rule: string, anchor: string, first: string, last: string): string[] | string => {
  const recurrence = parseRecurrence(rule, anchor);
  return recurrence.ok ? recurrence.between(first, last) : recurrence.detail;
};

const numbers = (last: number, name = ""): string =>
  Array.from({ length: last }, (_, at) => `${at + 1}${name}`).join(",");

describe("parseRecurrence", () => {
  it.each([
    // The days around the spring change, which a rule with a time of 01:00 would lose.
    [
      "FREQ=DAILY",
      "2026-03-27",
      "2026-03-28",
      "2026-03-31",
      ["2026-03-28", "2026-03-29", "2026-03-30", "2026-03-31"],
    ],
    ["FREQ=WEEKLY;BYDAY=MO", "2020-01-01", "2026-03-30", "2026-04-06", ["2026-03-30", "2026-04-06"]],
    ["RRULE:FREQ=MONTHLY;BYDAY=-1FR", "2020-01-01", "2026-01-01", "2026-02-28", ["2026-01-30", "2026-02-27"]],
    [
      "freq=yearly;bymonth=12;bymonthday=24,31",
      "2020-06-01",
      "2026-01-01",
      "2027-01-05",
      ["2026-12-24", "2026-12-31"],
    ],
    ["FREQ=DAILY;INTERVAL=3", "2026-01-01", "2026-01-02", "2026-01-08", ["2026-01-04", "2026-01-07"]],
    ["FREQ=WEEKLY;BYDAY=MO;COUNT=2", "2026-01-01", "2026-01-01", "2026-12-31", ["2026-01-05", "2026-01-12"]],
    // The last day belongs to the rule, with or without a time.
    ["FREQ=DAILY;UNTIL=20260103", "2026-01-02", "2026-01-01", "2026-01-31", ["2026-01-02", "2026-01-03"]],
    [
      "FREQ=DAILY;UNTIL=20260103T000000Z",
      "2026-01-02",
      "2026-01-01",
      "2026-01-31",
      ["2026-01-02", "2026-01-03"],
    ],
    ["FREQ=YEARLY", "2024-02-29", "2025-01-01", "2028-12-31", ["2028-02-29"]],
    ["FREQ=DAILY", "2026-05-01", "2026-01-01", "2026-01-31", []],
    ["FREQ=DAILY", "2026-05-01", "2026-05-03", "2026-05-02", []],
  ])("%s from %s", (...[rule, anchor, first, last, expected]) => {
    expect(dates(rule, anchor, first, last)).toEqual(expected);
  });

  it.each([
    ["", /is not supported/],
    ["garbage", /GARBAGE is not supported/],
    ["BYDAY=MO", /FREQ is required/],
    ["FREQ=HOURLY", /FREQ=HOURLY/],
    ["FREQ=DAILY;BYHOUR=9", /BYHOUR/],
    // The package would take each of these for "every day".
    ["FREQ=DAILY;BYMONTH=13", /BYMONTH=13/],
    ["FREQ=DAILY;FOO=1", /FOO/],
    ["FREQ=YEARLY;BYEASTER=1", /BYEASTER/],
    ["FREQ=WEEKLY;BYDAY=XX", /BYDAY=XX/],
    ["FREQ=DAILY;INTERVAL=0", /INTERVAL=0/],
    ["FREQ=DAILY;FREQ=WEEKLY", /Duplicate part/],
    ["FREQ=DAILY;COUNT=2;UNTIL=20260101", /cannot be combined/],
    ["FREQ=WEEKLY;BYMONTHDAY=13", /BYMONTHDAY/],
    // The pattern of a list took years for it.
    [`FREQ=WEEKLY;BYDAY=${"MO,".repeat(90)}X`, /is not allowed/],
    ["FREQ=MONTHLY;BYWEEKNO=3", /BYWEEKNO/],
    ["FREQ=WEEKLY;BYDAY=1MO", /numbered BYDAY/],
    ["FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30", /./],
    ["FREQ=DAILY;UNTIL=20250101", /no day/],
    ["FREQ=DAILY;constructor=1", /CONSTRUCTOR/],
    // Positions that no set of days has: the package would look for them for seconds.
    ["FREQ=DAILY;BYDAY=TU,MO;BYSETPOS=1", /BYSETPOS cannot be combined with FREQ=DAILY/],
    ["FREQ=WEEKLY;BYDAY=TU,WE;BYSETPOS=1,-8", /BYSETPOS must be at most 7 with FREQ=WEEKLY/],
    ["FREQ=MONTHLY;BYDAY=MO,TU;BYSETPOS=32", /BYSETPOS must be at most 31 with FREQ=MONTHLY/],
    // Days that are too far away, or too many, to be worked out.
    ["FREQ=YEARLY;BYWEEKNO=53;BYDAY=MO;BYMONTH=6", /too far apart/],
    ["FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30", /too far apart/],
    ["FREQ=DAILY;BYMONTHDAY=13;BYDAY=FR;COUNT=9999", /too far apart/],
    // Rounds of many days: two thousand rounds of this year took eight seconds.
    [`FREQ=YEARLY;BYDAY=${numbers(53, "MO")};BYSETPOS=300`, /selects none of the days/],
    [`FREQ=YEARLY;BYDAY=${numbers(53, "MO")};COUNT=9999`, /too far apart/],
    [`FREQ=MONTHLY;BYMONTHDAY=${numbers(31)};COUNT=9999`, /too far apart/],
    // Months and years, of which each takes as long as many days: two thousand of them took 200 ms in one turn.
    ["FREQ=MONTHLY;COUNT=501", /too far apart/],
    ["FREQ=YEARLY;COUNT=251", /too far apart/],
    ["FREQ=YEARLY;BYWEEKNO=1;COUNT=251", /too far apart/],
    ["FREQ=WEEKLY;BYDAY=MO,TU,WE;BYSETPOS=4,7", /selects none of the days/],
    ["FREQ=MONTHLY;BYDAY=1MO,-1FR;BYSETPOS=3", /selects none of the days/],
  ])("refuses %j", (rule, message) => {
    expect(dates(rule, "2026-01-01", "2026-01-01", "2026-12-31")).toMatch(message);
  });

  // The package throws when it is asked for a later span of such a rule: that must show when the rule is written.
  it("can work out every span of a rule that it has taken", () => {
    for (const rule of [
      "FREQ=DAILY;BYDAY=MO;COUNT=200",
      "FREQ=WEEKLY;BYDAY=MO,TU;COUNT=1000",
      "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=20,23",
      "FREQ=YEARLY;BYDAY=MO,TU,WE,TH,FR,SA,SU;BYSETPOS=366",
      "FREQ=YEARLY;BYWEEKNO=53",
      "FREQ=YEARLY;BYMONTHDAY=31;BYSETPOS=7",
      "FREQ=YEARLY;BYMONTH=2;BYDAY=5FR",
      "FREQ=MONTHLY;BYDAY=-1FR",
      "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29",
      "FREQ=DAILY;BYMONTHDAY=13;BYDAY=FR",
      "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1",
    ]) {
      const recurrence = parseRecurrence(rule, "2000-01-01");
      if (!recurrence.ok) throw new Error(`${rule}: ${recurrence.detail}`);
      for (let year = 1999; year < 2100; year += 1) {
        expect(() => recurrence.between(`${year}-05-01`, `${year}-07-01`), rule).not.toThrow();
      }
    }
  });

  it("can work out two years of rules whose rounds have many days", () => {
    const days = "MO,TU,WE,TH,FR,SA,SU";
    for (const rule of [
      `FREQ=YEARLY;BYMONTH=${numbers(12)};BYMONTHDAY=${numbers(31)};BYDAY=${days}`,
      `FREQ=YEARLY;BYWEEKNO=${numbers(53)};BYDAY=${days}`,
      `FREQ=MONTHLY;BYMONTHDAY=${numbers(31)};BYDAY=${days},1MO,1TU,1WE,2MO,2TU,2WE,3MO,3TU,3WE,4MO,4TU,4WE`,
      `FREQ=WEEKLY;BYDAY=${Array.from({ length: 12 }, () => days).join(",")}`,
    ]) {
      expect(dates(rule, "2000-01-01", "2026-03-01", "2028-02-28").length, rule).toBeGreaterThan(700);
    }
  });

  it("gives nothing for an unreasonable span", () => {
    expect(dates("FREQ=DAILY", "2020-01-01", "2020-01-01", "2099-01-01")).toEqual([]);
  });
});

describe("checkRule", () => {
  it("tells the parts in capitals, and the end of the last day", () => {
    expect(checkRule(" rrule:freq=weekly;byday=mo;until=20260103 ")).toEqual({
      ok: true,
      rule: "FREQ=WEEKLY;BYDAY=MO;UNTIL=20260103T235959Z",
      isCounted: false,
      parts: new Map([
        ["FREQ", "WEEKLY"],
        ["BYDAY", "MO"],
        ["UNTIL", "20260103T235959Z"],
      ]),
    });
    expect(checkRule("FREQ=DAILY;COUNT=2")).toMatchObject({ ok: true, isCounted: true });
  });
});
