import { expect, it } from "vitest";

import { WEIGHTS } from "../../../server/engines/content/rules/check.ts";
import {
  bandOf,
  judge,
  keyphraseDensity,
  readabilityScore,
  seoScore,
} from "../../../server/engines/content/rules/seo-score.ts";
import { judgeText, submissionOf } from "../../../server/engines/content/services/judge.ts";
import type { Check, CheckStatus } from "../../../server/engines/content/schema/score.ts";
import { factsWith, GOOD } from "./facts.ts";

const all = judge(GOOD);
const withStatuses = (statuses: Partial<Record<string, CheckStatus>>, otherwise: CheckStatus): Check[] =>
  all.map((check) => ({ ...check, status: statuses[check.id] ?? otherwise }));

it("has 28 checks, each once, whose weights add up to 100", () => {
  expect(new Set(all.map(({ id }) => id)).size).toBe(28);
  expect(all.reduce((sum, { weight }) => sum + weight, 0)).toBe(100);
  expect(Object.keys(WEIGHTS)).toHaveLength(28);
  expect(all.map(({ status }) => status)).toEqual(all.map(() => "good"));
  expect(seoScore(GOOD, all)).toBe(100);
});

it("A7: leaves out what does not apply: 69 of 93 is 74", () => {
  const checks = withStatuses(
    { k1: "ok", k3: "bad", k7: "na", s1: "ok", s8: "na", m2: "bad", l2: "bad", r1: "ok", r4: "na" },
    "good",
  );
  expect(seoScore(GOOD, checks)).toBe(74);
  expect(bandOf(74)).toBe("ok");
});

it("A8: all ok is 50", () => expect(seoScore(GOOD, withStatuses({}, "ok"))).toBe(50));

it("caps a text that is stuffed", () => {
  // A phrase of two words in 1,200: 28 occurrences are 3.19, 36 are 4.1 of the words as they are weighed.
  const stuffed = (count: number) => factsWith("keyphrase", { count });
  expect([keyphraseDensity(stuffed(35)), keyphraseDensity(stuffed(36))]).toEqual([
    expect.closeTo(3.99, 2),
    expect.closeTo(4.1, 2),
  ]);
  expect([seoScore(stuffed(35), all), seoScore(stuffed(36), all)]).toEqual([100, 60]);
  expect(seoScore(stuffed(36), withStatuses({}, "ok"))).toBe(50);
});

it.each([
  ["post", 200, 100],
  ["post", 199, 49],
  ["post", 100, 49],
  ["post", 99, 30],
  ["product_copy", 100, 100],
  ["product_copy", 99, 49],
  ["product_copy", 49, 30],
  ["category_copy", 10, 100],
] as const)("caps a %s of %i words at %i", (kind, words, score) =>
  // As often as it may occur in so few words.
  expect(seoScore({ ...factsWith("keyphrase", { count: 1 }), kind, words, keyphrase: null }, all)).toBe(
    score,
  ),
);

it("scores four words as thin, and does not judge how they read", async () => {
  const { judged } = await judgeText(
    "test",
    submissionOf(
      "post",
      {
        title: "Our bread is good",
        slug: "our-bread-is-good",
        locale: "en",
        body_format: "markdown",
        body: "Our bread is good.",
        excerpt: "",
        author: null,
        tags: [],
        category: null,
        cover: null,
        seo: {
          title: null,
          description: null,
          focus_keyphrase: "bread",
          synonyms: [],
          secondary_keyphrases: [],
          canonical_url: null,
          robots: { noindex: false, nofollow: false, nosnippet: false, max_snippet: null },
          og: null,
          schema_type: null,
        },
        cornerstone: false,
      },
      null,
    ),
    null,
  );
  expect([judged.seo <= 30, judged.seo_band, judged.readability]).toEqual([true, "bad", null]);
  expect(judged.checks.filter(({ id }) => /^r|s4|s5/.test(id)).map(({ status }) => status)).toEqual(
    Array.from({ length: 7 }, () => "na"),
  );
});

it.each([
  [100, "good"],
  [80, "good"],
  [79, "ok"],
  [50, "ok"],
  [49, "bad"],
])("%i is %s", (score, band) => expect(bandOf(score)).toBe(band));

it("scores nothing where nothing applies, and no reading where nothing is to be read", () => {
  expect(seoScore(GOOD, withStatuses({}, "na"))).toBe(0);
  expect(readabilityScore(factsWith("reading", { sentences: 0 }), all)).toBeNull();
  expect(readabilityScore(GOOD, withStatuses({ r2: "bad" }, "good"))).toBe(84);
  expect(keyphraseDensity({ ...GOOD, keyphrase: null })).toBeNull();
});
