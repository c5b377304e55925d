import { densityOf } from "../../../lib/text/keyphrase.ts";
import type { Check, CheckId, CheckStatus } from "../schema/score.ts";
import { keyphraseChecks } from "./keyphrase-checks.ts";
import { linkChecks } from "./link-checks.ts";
import { metaChecks } from "./meta-checks.ts";
import { READING_FROM_WORDS, readingChecks } from "./reading-checks.ts";
import type { SeoFacts } from "./seo-facts.ts";
import { lengthsOf, structureChecks } from "./structure-checks.ts";

/** The 28 checks, in the order of their ids. */
export const judge = (facts: SeoFacts): Check[] => [
  ...keyphraseChecks(facts),
  ...structureChecks(facts),
  ...metaChecks(facts),
  ...linkChecks(facts),
  ...readingChecks(facts),
];

const POINTS: Readonly<Record<CheckStatus, number>> = { good: 1, ok: 0.5, bad: 0, na: 0 };
/** Maxima for a text that overuses its keyphrase, that is short, and that is thin: other checks cannot make up for it. */
const STUFFED_DENSITY = 4;
const STUFFED_MAX = 60;
const SHORT_MAX = 49;
const THIN_MAX = 30;

/** SEO score v2: `round(100 · Σ weight · points / Σ weight)` over applicable checks, up to the maximum for what the text lacks. */
export function seoScore(facts: SeoFacts, checks: readonly Check[]): number {
  const { words, kind, cornerstone } = facts;
  const { short, thin } = lengthsOf(kind, cornerstone);
  const density = keyphraseDensity(facts);
  return Math.min(
    weighted(checks) ?? 0,
    density !== null && density > STUFFED_DENSITY ? STUFFED_MAX : 100,
    words < thin ? THIN_MAX : words < short ? SHORT_MAX : 100,
  );
}

/** Checks of readability, including those of structure. */
const READING: ReadonlySet<CheckId> = new Set(["s4", "s5", "r1", "r2", "r3", "r4", "r5"]);

/** The same mean over the readability checks; null for a text that is too short to be judged. */
export const readabilityScore = (facts: SeoFacts, checks: readonly Check[]): number | null =>
  facts.reading.sentences === 0 || facts.words < READING_FROM_WORDS
    ? null
    : weighted(checks.filter(({ id }) => READING.has(id)));

/** The keyphrase density by the facts; null without a keyphrase. */
export const keyphraseDensity = ({ keyphrase, words }: SeoFacts): number | null =>
  keyphrase === null ? null : densityOf(keyphrase.count, words, keyphrase.length);

/** 80 and more is good, 50 and more is fair. */
export const bandOf = (score: number): "good" | "ok" | "bad" =>
  score >= 80 ? "good" : score >= 50 ? "ok" : "bad";

function weighted(checks: readonly Check[]): number | null {
  const applying = checks.filter(({ status }) => status !== "na");
  const whole = applying.reduce((sum, { weight }) => sum + weight, 0);
  const reached = applying.reduce((sum, { weight, status }) => sum + weight * POINTS[status], 0);
  return whole === 0 ? null : Math.round((100 * reached) / whole);
}
