import { expect, it } from "vitest";

import { afterQuietHours } from "../../../server/engines/reviews/rules/quiet-hours.ts";

const NIGHT = { from: "21:00", to: "08:00" };

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
