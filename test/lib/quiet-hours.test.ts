import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { localAt } from "../../server/lib/local-time.ts";
import { afterQuietHours } from "../../server/lib/quiet-hours.ts";

const NIGHT = { from: "21:00", to: "08:00" };
const ms = (instant: string): number => Date.parse(instant);

describe("quiet hours", () => {
  it.each([
    ["before them", "2025-06-10T19:59:59Z", "2025-06-10T19:59:59Z"],
    ["as they begin", "2025-06-10T20:00:00Z", "2025-06-11T07:00:00Z"],
    ["after midnight", "2025-06-11T01:00:00Z", "2025-06-11T07:00:00Z"],
    ["as they end", "2025-06-11T07:00:00Z", "2025-06-11T07:00:00Z"],
    ["in the night of the spring change", "2025-03-30T00:30:00Z", "2025-03-30T07:00:00Z"],
    ["in the night of the autumn change", "2025-10-26T00:30:00Z", "2025-10-26T08:00:00Z"],
  ])("%s", (_, from, to) => {
    expect(afterQuietHours(ms(from), NIGHT, "Europe/London")).toBe(ms(to));
  });

  it("may lie within a day, and may be none", () => {
    const noon = { from: "12:00", to: "14:00" };
    expect(afterQuietHours(ms("2025-01-10T12:30:00Z"), noon, "UTC")).toBe(ms("2025-01-10T14:00:00Z"));
    const none = { from: "12:00", to: "12:00" };
    expect(afterQuietHours(ms("2025-01-10T12:00:00Z"), none, "UTC")).toBe(ms("2025-01-10T12:00:00Z"));
  });

  it("lead, whatever the instant and the zone, to a moment that is not quiet, at most eleven hours later", () => {
    const zones = fc.constantFrom(
      "Europe/London",
      "America/New_York",
      "Australia/Lord_Howe",
      "Asia/Kathmandu",
    );
    const instants = fc.integer({ min: ms("2024-01-01T00:00:00Z"), max: ms("2027-01-01T00:00:00Z") });
    fc.assert(
      fc.property(instants, zones, (at, zone) => {
        const moved = afterQuietHours(at, NIGHT, zone);
        const [, time = ""] = localAt(moved, zone).split("T");
        expect(time >= "08:00" && time < "21:00").toBe(true);
        expect(moved - at).toBeLessThanOrEqual(12 * 3_600_000);
        expect(moved).toBeGreaterThanOrEqual(at);
      }),
    );
  });
});

it.each([
  ["by day", "2026-06-01T12:00:00.000Z", "Europe/London", NIGHT, "2026-06-01T12:00:00.000Z"],
  ["in the evening", "2026-06-01T20:00:00.000Z", "Europe/London", NIGHT, "2026-06-02T07:00:00.000Z"],
  ["a minute before", "2026-06-01T19:59:00.000Z", "Europe/London", NIGHT, "2026-06-01T19:59:00.000Z"],
  ["in the small hours", "2026-06-01T03:00:00.000Z", "Europe/London", NIGHT, "2026-06-01T07:00:00.000Z"],
  ["at eight sharp", "2026-06-01T07:00:00.000Z", "Europe/London", NIGHT, "2026-06-01T07:00:00.000Z"],
  [
    "where it is afternoon",
    "2026-06-01T20:00:00.000Z",
    "America/New_York",
    NIGHT,
    "2026-06-01T20:00:00.000Z",
  ],
  [
    "over the night of the spring change",
    "2026-03-28T23:00:00.000Z",
    "Europe/London",
    NIGHT,
    "2026-03-29T07:00:00.000Z",
  ],
  [
    "a siesta",
    "2026-06-01T11:30:00.000Z",
    "Europe/London",
    { from: "12:00", to: "14:00" },
    "2026-06-01T13:00:00.000Z",
  ],
  [
    "equal times are none",
    "2026-06-01T03:00:00.000Z",
    "Europe/London",
    { from: "08:00", to: "08:00" },
    "2026-06-01T03:00:00.000Z",
  ],
])("%s", (_, at, zone, ...[hours, expected]) =>
  expect(new Date(afterQuietHours(Date.parse(at), hours, zone)).toISOString()).toBe(expected),
);
