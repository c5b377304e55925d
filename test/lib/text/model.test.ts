import { describe, expect, it } from "vitest";

import { densityOf, recommendedCount } from "../../../server/lib/text/keyphrase.ts";
import { readabilityOf, readingMinutes } from "../../../server/lib/text/readability.ts";
import type { Readability } from "../../../server/lib/text/readability.ts";
import { readText } from "../../../server/lib/text/read.ts";
import { jaccard, shinglesOf } from "../../../server/lib/text/shingles.ts";
import { bestPlaces, rankSentences } from "../../../server/lib/text/textrank.ts";
import { measureTitle } from "../../../server/lib/text/title-width.ts";
import { loadLanguage } from "../../../server/lib/text/language.ts";
import { wilson } from "../../../server/lib/wilson.ts";

const read = (body: string, more: object = {}) =>
  readText({ body, format: "markdown", locale: "en-GB", ...more });
const twoPlaces = (all: Readability) => Object.values(all).map((value) => Number(value?.toFixed(2)));

// Vectors of the content design, by their number. Words and sentences are ICU's: they are pinned to what Node 20 brings.
describe("readability", () => {
  it("A1: Flesch of plain counts", () => {
    const counts = {
      words: 13,
      sentences: 1,
      syllables: 24,
      polysyllables: 0,
      letters: 1,
      characters: 1,
      paragraphs: 1,
    };
    const all = readabilityOf(counts, "en");
    expect(all.flesch_reading_ease).toBeCloseTo(37.46, 2);
    expect(all.flesch_kincaid_grade).toBeCloseTo(11.26, 2);
  });

  it.each([
    ["A2", "The cat sat on the mat.", [1, 6, 6, 0, 17], [116.15, -1.45, 2.4, 3.13, -4.07, -5.09]],
    [
      "A3",
      "Our sourdough is baked every morning. We use only flour, water and salt. Order before noon for same day delivery.",
      [3, 20, 30, 1, 90],
      [73.17, 4.71, 4.67, 6.43, 6.22, 3.1],
    ],
  ])("%s", async (_, text, [sentences, words, syllables, polysyllables, letters], scores) => {
    const { counts } = await read(text);
    expect(counts).toMatchObject({ sentences, words, syllables, polysyllables, letters });
    // Two decimals of a binary float: 116.145 shows as 116.14 or .15, so closeness is what counts.
    for (const [at, score] of twoPlaces(readabilityOf(counts, "en")).entries()) {
      expect(Math.abs(score - (scores[at] ?? 0))).toBeLessThanOrEqual(0.011);
    }
  });

  it("A4: an abbreviation ends no sentence, unless a capital follows what may", async () => {
    const { counts, sentences } = await read("Dr. Smith paid £3.50 for a loaf at 9 a.m. He liked it.");
    expect(sentences.map(({ text }) => text)).toEqual([
      "Dr. Smith paid £3.50 for a loaf at 9 a.m.",
      "He liked it.",
    ]);
    expect(counts.words).toBe(13);
    expect(readabilityOf(counts, "en").flesch_reading_ease).toBeCloseTo(109.13, 2);
  });

  it("knows nothing of an empty text, and says so", async () => {
    const { counts } = await read("");
    expect(Object.values(readabilityOf(counts, "en"))).toEqual(
      [null, null, null, 3.1291, null, null].map(() => null),
    );
  });

  it("is never clamped", async () => {
    const { counts } = await read(
      "Incomprehensibility characteristically institutionalises interdisciplinarity.",
    );
    expect(readabilityOf(counts, "en").flesch_reading_ease).toBeLessThan(-300);
  });

  it.each([
    [345, 2],
    [1140, 5],
    [1141, 6],
    [0, 0],
  ])("A11: %i English words take %i minutes", (words, minutes) =>
    expect(readingMinutes(words, "en")).toBe(minutes),
  );
});

describe("sentences", () => {
  const cases: readonly [string, string[]][] = [
    ["We said no. Then we left.", ["We said no.", "Then we left."]],
    ["Ask for No. 5 at the till. Thanks.", ["Ask for No. 5 at the till.", "Thanks."]],
    ["Bread, rolls, etc. are baked daily. Come in.", ["Bread, rolls, etc. are baked daily.", "Come in."]],
    ["Bread, rolls, etc. We bake daily.", ["Bread, rolls, etc.", "We bake daily."]],
    ["See e.g. the U.K. market. It grows.", ["See e.g. the U.K. market.", "It grows."]],
    ["Crumb Ltd. sells to Mr. Hill vs. others. Yes.", ["Crumb Ltd. sells to Mr. Hill vs. others.", "Yes."]],
    ["Open! Really? Yes.", ["Open!", "Really?", "Yes."]],
    ["Order by 5 Dec. We post it the same day.", ["Order by 5 Dec.", "We post it the same day."]],
    ["", []],
  ];
  it.each(cases)("%s", async (text, expected) => {
    expect((await loadLanguage("en")).sentences(text)).toEqual(expected);
  });
});

describe("stems", () => {
  it.each([
    ["en", "The baker's ovens are baking loaves", ["baker", "oven", "bake", "loav"]],
    ["en", "Café’s crème brûlée", ["cafe", "creme", "brule"]],
    ["de", "Die Häuser und der Bäcker", ["haus", "back"]],
    ["fr", "Les boulangeries et le pain", ["boulanger", "pain"]],
    ["xx-nonsense-tag-that-is-none", "The loaves", ["loav"]],
  ])("%s: %s", async (locale, text, stems) =>
    expect((await loadLanguage(locale)).stems(text)).toEqual(stems),
  );

  it("counts a syllable for every word, figures too", async () => {
    const language = await loadLanguage("en");
    expect(["2026", "brr", "delivery"].map(language.syllables)).toEqual([1, 1, 4]);
  });
});

describe("keyphrase", () => {
  it.each([
    [2, 345, 3, 0.9855, { min: 2, max: 6 }],
    [5, 500, 2, 1.3667, { min: 2, max: 10 }],
    [12, 400, 1, 3.1, { min: 2, max: 11 }],
  ])("A5: %i in %i words of %i content words", (count, words, content, ...[density, range]) => {
    expect(densityOf(count, words, content)).toBeCloseTo(density, 4);
    expect(recommendedCount(words, content)).toEqual(range);
  });
});

describe("figures of the text", () => {
  it.each([
    ["Sourdough bread delivery in London | Crumb", 400.4],
    ["Bread", 53.6],
  ])("A9: %s is %f px wide", async (title, width) => expect(await measureTitle(title)).toBe(width));

  it.each([
    [0, 0, 0, 0],
    [1, 1, 0.206549, 1],
    [2, 2, 0.34238, 1],
    [100, 101, 0.946033, 0.99825],
    [209, 259, 0.754538, 0.85039],
    [118, 143, 0.754649, 0.878687],
    [0, 3, 0, 0.561497],
  ])("A12: Wilson of %i in %i", (successes, trials, lower, upper) => {
    const interval = wilson(successes, trials);
    expect(interval.lower).toBeCloseTo(lower, 6);
    expect(interval.upper).toBeCloseTo(upper, 6);
  });

  it("A13: the order of helpful votes", () => {
    const votes: [number, number][] = [
      [9, 10],
      [5, 5],
      [45, 50],
      [1, 1],
      [60, 100],
    ];
    const bounds = votes.map(([up, all]) => wilson(up, all).lower);
    expect(bounds.map((bound) => bound.toFixed(4))).toEqual([
      "0.5958",
      "0.5655",
      "0.7864",
      "0.2065",
      "0.5020",
    ]);
  });

  it("A17: Jaccard of shingles", async () => {
    const language = await loadLanguage("en");
    const [left, right] = [
      "Great bread, fast delivery and lovely packaging. Will order again!",
      "Great bread, fast delivery and lovely packaging. Will definitely order again!",
    ].map((text) => shinglesOf(language.words(text)));
    expect([left?.size, right?.size]).toEqual([8, 9]);
    expect(jaccard(left ?? new Set(), right ?? new Set())).toBeCloseTo(0.545455, 6);
  });

  it("A32: TextRank picks two sentences", async () => {
    const { sentences } = await read(
      "Crumb bakes sourdough bread in Hackney every morning. The sourdough bread is made with organic flour, water and salt. Our ovens are heated with wood. Customers can order sourdough bread online before noon. Orders placed before noon are delivered the next morning. Parking is available nearby.",
    );
    const scores = rankSentences(sentences.map(({ stems }) => stems));
    const expected = [0.180407, 0.146254, 0.025, 0.219804, 0.120201, 0.025];
    for (const [at, score] of scores.entries()) expect(score).toBeCloseTo(expected[at] ?? 0, 6);
    expect(bestPlaces(scores, 2)).toEqual([0, 3]);
  });
});
