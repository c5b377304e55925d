import { describe, expect, it } from "vitest";

import { toEpochMs } from "../../../server/lib/local-time.ts";
import { lastWorkingDay, stepFrom } from "../../../server/engines/subscriptions/rules/calendar.ts";

describe("calendar", () => {
  it("A11 a time that the spring change skips, and one that comes twice in autumn", () => {
    const at = (date: string): string => new Date(toEpochMs(date, "01:30", "Europe/London")).toISOString();
    expect([at("2025-03-30"), at("2025-10-26")]).toEqual([
      "2025-03-30T01:30:00.000Z",
      "2025-10-26T00:30:00.000Z",
    ]);
  });

  it("counts months from the anchor, and clamps", () => {
    const month = { unit: "month" as const, count: 1 };
    expect([1, 2, 12, -2].map((steps) => stepFrom("2024-01-31", month, steps, 31))).toEqual([
      "2024-02-29",
      "2024-03-31",
      "2025-01-31",
      "2023-11-30",
    ]);
  });

  it.each([
    ["2026-05-10", "2026-05-29"],
    ["2026-06-30", "2026-06-30"],
    ["2026-02-01", "2026-02-27"],
  ])("the last working day of the month of %s is %s", (date, last) =>
    expect(lastWorkingDay(date)).toBe(last),
  );
});
