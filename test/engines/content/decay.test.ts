import { expect, it } from "vitest";

import { decayOf, weeklyClicks } from "../../../server/engines/content/rules/decay.ts";
import { addDays } from "../../../server/lib/local-time.ts";

/** Clicks of weeks, the oldest first, on the first day of each. */
const days = (weeks: readonly number[]) =>
  weeks.flatMap((clicks, week) =>
    Array.from({ length: 7 }, (_, day) => ({
      date: addDays("2026-01-05", week * 7 + day),
      clicks: day === 0 ? clicks : 0,
      impressions: 0,
      ctr: null,
      position: null,
    })),
  );

it("needs eight weeks", () => {
  expect(decayOf([])).toBeNull();
  expect(decayOf(days([40, 40, 40, 40, 1, 1, 1]))).toBeNull();
  expect(decayOf(days([40, 40, 40, 40, 1, 1, 1, 1]))).toMatchObject({ pct: -97.5 });
});

it("decays at -30 % of the best four weeks, from ten clicks a week on", () => {
  expect(decayOf(days([10, 10, 10, 10, 7, 7, 7, 7]))).toMatchObject({
    pct: -30,
    best_weekly_clicks: 10,
    recent_weekly_clicks: 7,
    since: "2026-02-02",
  });
  expect(decayOf(days([10, 10, 10, 10, 7, 7, 7, 8]))).toBeNull();
  expect(decayOf(days([9, 9, 10, 10, 1, 1, 1, 1]))).toBeNull();
  expect(decayOf(days([5, 5, 5, 5, 20, 20, 20, 20]))).toBeNull();
});

it("declines since the latest of equal best weeks", () => {
  expect(decayOf(days([40, 40, 40, 40, 40, 40, 40, 40, 10, 10, 10, 10]))).toMatchObject({
    best_weekly_clicks: 40,
    since: "2026-03-02",
  });
});

it("looks back over 52 whole weeks that end with the last known day", () => {
  expect(weeklyClicks(days(Array.from({ length: 60 }, (_, week) => week)))).toHaveLength(52);
  expect(weeklyClicks(days([1, 2, 3])).at(-1)).toBe(3);
  expect(weeklyClicks(days([1, 2, 3]).slice(3))).toEqual([2, 3]);
});
