import { describe, expect, it } from "vitest";

import {
  businessDaysBefore,
  isBusinessDay,
  isTimeZone,
  lastOfMonth,
  localAt,
  nextBusinessDay,
  toEpochMs,
} from "../../../server/engines/catering/rules/calendar.ts";
import { noHolidays } from "./make.ts";

describe("wall clocks", () => {
  it.each([
    ["A11 in the spring gap", "2025-03-30", "01:30", "2025-03-30T01:30:00.000Z"],
    ["A11 in the autumn fold", "2025-10-26", "01:30", "2025-10-26T00:30:00.000Z"],
    ["in summer", "2026-06-19", "12:30", "2026-06-19T11:30:00.000Z"],
  ])("%s", (_, date, time, expected) =>
    expect(new Date(toEpochMs(date, time, "Europe/London")).toISOString()).toBe(expected),
  );

  it("reads them back", () =>
    expect(localAt(Date.parse("2026-06-19T23:30:00Z"), "Europe/London")).toBe("2026-06-20T00:30"));
});

describe("business days", () => {
  const easter = new Set(["2026-04-03", "2026-04-06"]);

  it("steps over weekends and holidays, in both directions", () => {
    expect(businessDaysBefore("2026-04-07", 1, easter)).toBe("2026-04-02");
    expect(businessDaysBefore("2026-04-07", 0, easter)).toBe("2026-04-07");
    expect(nextBusinessDay("2026-04-03", 1, easter)).toBe("2026-04-07");
    expect(nextBusinessDay("2026-04-06", -1, easter)).toBe("2026-04-02");
    expect(isBusinessDay("2026-04-03", noHolidays)).toBe(true);
    expect(isBusinessDay("2026-04-04", noHolidays)).toBe(false);
  });

  it("knows the last day of a month", () =>
    expect([lastOfMonth("2028-02-01"), lastOfMonth("2026-06-30")]).toEqual(["2028-02-29", "2026-06-30"]));

  it("takes zones by name only", () =>
    expect(["Europe/London", "UTC", "+01:00", "Mars/Base", ""].map(isTimeZone)).toEqual([
      true,
      true,
      false,
      false,
      false,
    ]));
});
