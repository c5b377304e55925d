import { describe, expect, it } from "vitest";

import { isAnomaly, withReview } from "../../../server/engines/reviews/rules/detect-anomaly.ts";

const NOW = Date.parse("2026-06-01T09:00:00.000Z");
const HOUR = 3_600_000;
const recent = (
  count: number,
  rating: (at: number) => number,
  verified: (at: number) => boolean = () => false,
) =>
  Array.from({ length: count }, (_, at) => ({
    at: new Date(NOW - at * 60_000).toISOString(),
    rating: rating(at),
    verified: verified(at),
  }));
const busy = Object.fromEntries(
  Array.from({ length: 28 }, (_, at) => [
    new Date(NOW - (at + 1) * 24 * HOUR).toISOString().slice(0, 10),
    10,
  ]),
);

describe("a wave of reviews", () => {
  it.each([
    ["five are no wave", recent(5, () => 1), {}, false],
    ["six of one star by nobody known are", recent(6, () => 1), {}, true],
    ["of five stars as well", recent(6, () => 5), {}, true],
    ["mixed stars are not", recent(10, (at) => 1 + (at % 5)), {}, false],
    [
      "buyers are not",
      recent(
        10,
        () => 1,
        (at) => at % 4 === 0,
      ),
      {},
      false,
    ],
    ["on a target that has ten a day it takes more", recent(10, () => 1), busy, false],
    ["eleven there are one", recent(11, () => 1), busy, true],
    ["70 % of one star", recent(10, (at) => (at < 7 ? 1 : 3)), {}, true],
    ["69 % are not", recent(13, (at) => (at < 9 ? 1 : 3)), {}, false],
  ])("%s", (_, last, days, expected) => expect(isAnomaly(last, days, NOW)).toBe(expected));

  it("forgets what is older than a day, and days older than four weeks", () => {
    const old = { at: new Date(NOW - 24 * HOUR).toISOString(), rating: 1, verified: false };
    const pulse = {
      id: "pls_1",
      target: { type: "product" as const, id: "x" },
      recent: [old],
      days: { "2026-01-01": 9, "2026-05-31": 2 },
      hold_until: null,
    };
    const next = withReview(pulse, { at: "2026-06-01T09:00:00.000Z", rating: 5, verified: true }, NOW);
    expect(next.recent).toHaveLength(1);
    expect(next.days).toEqual({ "2026-05-31": 2, "2026-06-01": 1 });
  });
});
