import { expect, it } from "vitest";

import { keyphraseChecks } from "../../../server/engines/content/rules/keyphrase-checks.ts";
import { densityOf, recommendedCount } from "../../../server/lib/text/keyphrase.ts";
import { factsWith, GOOD } from "./facts.ts";

const statusOf = (id: string, facts = GOOD) =>
  keyphraseChecks(facts).find((check) => check.id === id)?.status;
const title = (hasAll: boolean, startsInFirstHalf: boolean) => ({ title: { hasAll, startsInFirstHalf } });
const heads = (all: number, reflecting: number) => ({ subheadings: { all, reflecting } });
const images = (all: number, withAlt: number, reflecting: number) => ({
  images: { all, withAlt, reflecting },
});

it.each([
  ["k1", title(true, true), "good"],
  ["k1", title(true, false), "ok"],
  ["k1", title(false, true), "bad"],
  ["k2", { introduction: "sentence" }, "good"],
  ["k2", { introduction: "paragraph" }, "ok"],
  ["k2", { introduction: "none" }, "bad"],
  ["k4", heads(0, 0), "bad"],
  ["k4", heads(1, 1), "good"],
  ["k4", heads(1, 0), "bad"],
  ["k4", heads(10, 3), "good"],
  ["k4", heads(100, 29), "bad"],
  ["k4", heads(4, 3), "good"],
  ["k4", heads(100, 76), "bad"],
  ["k5", { descriptionSentences: 0 }, "bad"],
  ["k5", { descriptionSentences: 2 }, "good"],
  ["k5", { descriptionSentences: 3 }, "bad"],
  ["k6", { length: 2, inSlug: 2 }, "good"],
  ["k6", { length: 2, inSlug: 1 }, "ok"],
  ["k6", { length: 4, inSlug: 2 }, "ok"],
  ["k6", { length: 4, inSlug: 3 }, "good"],
  ["k6", { length: 4, inSlug: 0 }, "bad"],
  ["k7", images(0, 0, 0), "na"],
  ["k7", images(4, 4, 1), "good"],
  ["k7", images(4, 4, 0), "ok"],
  ["k7", images(4, 0, 0), "bad"],
  ["k7", images(5, 5, 1), "ok"],
  ["k7", images(5, 5, 2), "good"],
  ["k7", images(5, 5, 4), "good"],
  ["k7", images(5, 5, 5), "ok"],
  ["k7", images(10, 10, 3), "good"],
  ["k7", images(10, 10, 2), "ok"],
  ["k7", images(8, 8, 6), "good"],
  ["k7", images(8, 8, 7), "ok"],
  ["k8", { usedElsewhere: null }, "na"],
  ["k8", { usedElsewhere: 0 }, "good"],
  ["k8", { usedElsewhere: 1 }, "ok"],
  ["k8", { usedElsewhere: 2 }, "bad"],
] as const)("%s with %j is %s", (id, members, status) => {
  expect(statusOf(id, factsWith("keyphrase", members))).toBe(status);
});

it("k4 asks for no subheading up to 300 words", () => {
  const facts = factsWith("keyphrase", heads(0, 0));
  expect(statusOf("k4", { ...facts, words: 300 })).toBe("good");
  expect(statusOf("k4", { ...facts, words: 301 })).toBe("bad");
});

// A5
it.each([
  [2, 345, 3, 0.9855, "good", 2, 6],
  [5, 500, 2, 1.3667, "good", 2, 10],
  [12, 400, 1, 3.1, "ok", 2, 11],
])(
  "A5: %i in %i words of a phrase of %i has density %f, %s, recommended %i to %i",
  (...[count, words, length, kd, status, min, max]) => {
    expect(densityOf(count, words, length)).toBeCloseTo(kd, 4);
    expect(recommendedCount(words, length)).toEqual({ min, max });
    expect(statusOf("k3", { ...factsWith("keyphrase", { count, length }), words })).toBe(status);
  },
);

it.each([
  // L = 1: density is 103.33 · count / words.
  [49, 1, "good"],
  [50, 1, "good"],
  [50, 2, "bad"],
  [51, 2, "good"],
  [99, 2, "good"],
  [99, 3, "bad"],
  [99, 0, "bad"],
  [100, 1, "bad"],
  [100, 2, "good"],
  [1_000, 4, "bad"],
  [1_000, 5, "good"],
  [1_000, 29, "good"],
  [1_000, 30, "ok"],
  [1_000, 33, "ok"],
  [1_000, 34, "bad"],
])("k3 in %i words with %i hits is %s", (words, count, status) => {
  expect(statusOf("k3", { ...factsWith("keyphrase", { count, length: 1 }), words })).toBe(status);
});

it("counts a text without a keyphrase as about nothing", () => {
  const checks = keyphraseChecks({ ...GOOD, keyphrase: null });
  expect(checks.map(({ status }) => status)).toEqual(["bad", "bad", "bad", "bad", "bad", "bad", "na", "na"]);
  expect(checks[0]?.fix).toBe("Set seo.focus_keyphrase.");
});
