import { describe, expect, it } from "vitest";

import { findAnomaly, withReview } from "../../../server/engines/reviews/rules/detect-anomaly.ts";

const NOW = Date.parse("2026-06-01T09:00:00.000Z");
const HOUR = 3_600_000;
const PULSE = {
  id: "pls_1",
  target: { type: "product" as const, id: "x" },
  recent: [],
  days: {},
  hold_until: null,
};
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
  ])("%s", (_, last, days, expected) => {
    const found = findAnomaly({ ...PULSE, recent: last, days }, NOW);
    expect(found !== null).toBe(expected);
  });

  it("of one star among many others is one, unless verified customers say the same", () => {
    const usual = recent(
      40,
      (at) => 3 + (at % 3),
      (at) => at % 2 === 0,
    );
    const days = Object.fromEntries(Object.keys(busy).map((day, at) => [day, at % 3 === 0 ? 80 : 10]));
    const unverified = Object.fromEntries(Object.keys(busy).map((day) => [day, [0, 0, 5, 5, 5]]));
    const burst = recent(11, () => 1);
    const judge = (last: typeof usual) => findAnomaly({ ...PULSE, recent: last, days, unverified }, NOW);
    expect(judge([...usual, ...burst])).toEqual({ rating: 1 });
    expect(judge([...usual, ...burst.slice(1)])).toBeNull();
    // The usual number of unverified reviews of five stars.
    expect(judge([...usual, ...recent(4, () => 5)])).toBeNull();
    expect(
      judge([
        ...recent(
          8,
          () => 1,
          () => true,
        ),
        ...burst,
      ]),
    ).toBeNull();
  });

  it("forgets what is older than a day, and days older than four weeks", () => {
    const old = { at: new Date(NOW - 24 * HOUR).toISOString(), rating: 1, verified: false };
    const pulse = { ...PULSE, recent: [old], days: { "2026-01-01": 9, "2026-05-31": 2 } };
    const next = withReview(pulse, { at: "2026-06-01T09:00:00.000Z", rating: 5, verified: true }, NOW);
    expect(next.recent).toHaveLength(1);
    expect(next.days).toEqual({ "2026-05-31": 2, "2026-06-01": 1 });
    expect(next.unverified).toEqual({ "2026-06-01": [0, 0, 0, 0, 0] });
    const again = { at: "2026-06-01T09:00:00.000Z", rating: 5, verified: false };
    expect(withReview(next, again, NOW).unverified).toEqual({ "2026-06-01": [0, 0, 0, 0, 1] });
  });
});
