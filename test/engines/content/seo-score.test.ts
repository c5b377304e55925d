import { expect, it } from "vitest";

import { WEIGHTS } from "../../../server/engines/content/rules/check.ts";
import {
  bandOf,
  judge,
  keyphraseDensity,
  readabilityScore,
  seoScore,
} from "../../../server/engines/content/rules/seo-score.ts";
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
  expect(seoScore(all, 1)).toBe(100);
});

it("A7: leaves out what does not apply: 69 of 93 is 74", () => {
  const checks = withStatuses(
    { k1: "ok", k3: "bad", k7: "na", s1: "ok", s8: "na", m2: "bad", l2: "bad", r1: "ok", r4: "na" },
    "good",
  );
  expect(seoScore(checks, 1)).toBe(74);
  expect(bandOf(74)).toBe("ok");
});

it("A8: all ok is 50", () => expect(seoScore(withStatuses({}, "ok"), null)).toBe(50));

it("caps a text that is stuffed", () => {
  expect([seoScore(all, 4), seoScore(all, 4.01), seoScore(withStatuses({}, "ok"), 5)]).toEqual([100, 60, 50]);
});

it.each([
  [100, "good"],
  [80, "good"],
  [79, "ok"],
  [50, "ok"],
  [49, "bad"],
])("%i is %s", (score, band) => expect(bandOf(score)).toBe(band));

it("scores nothing where nothing applies, and no reading where nothing is to be read", () => {
  expect(seoScore(withStatuses({}, "na"), null)).toBe(0);
  expect(readabilityScore(factsWith("reading", { sentences: 0 }), all)).toBeNull();
  expect(readabilityScore(GOOD, withStatuses({ r2: "bad" }, "good"))).toBe(84);
  expect(keyphraseDensity({ ...GOOD, keyphrase: null })).toBeNull();
});
