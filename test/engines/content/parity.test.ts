import { expect, it } from "vitest";

import { meanOfNine, pointsOf, readingPenalty } from "../../../server/engines/content/rules/parity.ts";
import { judge } from "../../../server/engines/content/rules/seo-score.ts";
import type { Check, CheckStatus } from "../../../server/engines/content/schema/score.ts";
import { GOOD } from "./facts.ts";

it.each([
  [[3, 6, 9], 67],
  [[9, 9, -50, 3, 8], -47],
  [[], 0],
])("A6: %j is %i", (points, mean) => expect(meanOfNine(points)).toBe(mean));

it("gives 9, 6 and 3 points, and -50 for a stuffed text", () => {
  const checks = judge(GOOD);
  expect(pointsOf(checks, 1)).toEqual(checks.map(() => 9));
  expect(pointsOf(checks, 4.1).filter((points) => points === -50)).toHaveLength(1);
});

const [first] = judge(GOOD);
const all = (statuses: readonly CheckStatus[]): Check[] =>
  statuses.flatMap((status) => (first === undefined ? [] : [{ ...first, status }]));

it.each([
  ["en", ["good", "na"], 90],
  ["en", ["ok", "ok"], 90],
  ["en", ["bad", "ok"], 60],
  ["en", ["bad", "bad"], 60],
  ["en", ["bad", "bad", "ok"], 30],
  ["xx", ["ok"], 90],
  ["xx", ["bad"], 60],
  ["xx", ["bad", "ok"], 30],
] as const)("%s with %j reads %i", (language, statuses, score) =>
  expect(readingPenalty(all(statuses), language)).toBe(score),
);
