import { expect, it } from "vitest";

import { runsOf, similarityTo } from "../../../server/engines/reviews/rules/similarity.ts";

const ONE = "Great bread, fast delivery and lovely packaging. Will order again!";
const OTHER = "Great bread, fast delivery and lovely packaging. Will definitely order again!";

it("A17: shares six runs of three words", () => {
  expect([runsOf(ONE).size, runsOf(OTHER).size]).toEqual([8, 9]);
  expect([...runsOf(ONE)].filter((run) => runsOf(OTHER).has(run))).toHaveLength(6);
  expect(similarityTo(runsOf(ONE), OTHER)).toBeCloseTo(0.545455, 6);
});

it.each([
  ["the same words", "GREAT bread; fast delivery and lovely packaging – will order again", ONE, 1],
  ["what two customers write alike", "Very good bread", "very good bread!", 0],
  ["no words", "!!!", ONE, 0],
  ["no words in both", "!!!", "!!!", 0],
  ["other words", ONE, "Something else altogether.", 0],
])("%s", (_, text, other, expected) => expect(similarityTo(runsOf(text), other)).toBe(expected));
