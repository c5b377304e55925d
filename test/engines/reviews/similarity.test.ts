import { expect, it } from "vitest";

import { runsOf, similarityTo } from "../../../server/engines/reviews/rules/similarity.ts";

const ONE = "Great bread, fast delivery and lovely packaging. Will order again!";
const OTHER = "Great bread, fast delivery and lovely packaging. Will definitely order again!";

it("A17: shares six runs of three words", () => {
  expect([runsOf(ONE).size, runsOf(OTHER).size]).toEqual([8, 9]);
  expect([...runsOf(ONE)].filter((run) => runsOf(OTHER).has(run))).toHaveLength(6);
  expect(similarityTo(ONE, [OTHER])).toBeCloseTo(0.545455, 6);
});

it.each([
  ["the same words", "GREAT bread; fast delivery and lovely packaging – will order again", [ONE], 1],
  ["nothing to compare", ONE, [], 0],
  ["no words", "!!!", [ONE, "!!!"], 0],
  ["the closest of many", ONE, ["Something else altogether.", ONE], 1],
])("%s", (_, text, others, expected) => expect(similarityTo(text, others)).toBe(expected));
