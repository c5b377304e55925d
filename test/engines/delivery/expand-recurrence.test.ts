import { expect, it } from "vitest";

import { recurringDates } from "../../../server/engines/delivery/rules/expand-blocks.ts";
import { parseRecurrence } from "../../../server/lib/recurrence.ts";

const dates = (rule: string, first: string, last: string): string[] | string => {
  const recurrence = parseRecurrence(rule, "2026-01-05");
  return recurrence.ok ? recurrence.between(first, last) : recurrence.detail;
};

it("gives the same dates kept by month as worked out anew", () => {
  for (const rule of ["FREQ=DAILY;INTERVAL=3", "FREQ=MONTHLY;BYDAY=-1FR", "FREQ=WEEKLY;BYDAY=MO;COUNT=9"]) {
    for (const [first, last] of [
      ["2026-01-31", "2026-04-02"],
      ["2026-02-01", "2026-03-01"],
      ["2025-12-30", "2026-02-28"],
      ["2026-01-31", "2026-12-31"],
      ["2026-01-31", "2026-01-30"],
    ] as const) {
      expect(recurringDates(rule, "2026-01-05", first, last)).toEqual(dates(rule, first, last));
    }
  }
  expect(recurringDates("FREQ=HOURLY", "2026-01-05", "2026-01-05", "2026-02-05")).toEqual([]);
});
