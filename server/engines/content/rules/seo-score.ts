import { densityOf } from "../../../lib/text/keyphrase.ts";
import type { Check, CheckId, CheckStatus } from "../schema/score.ts";
import { keyphraseChecks } from "./keyphrase-checks.ts";
import { READING_FROM_WORDS, readingChecks } from "./reading-checks.ts";
import type { SeoFacts, Followed } from "./seo-facts.ts";
import { lengthsOf, structureChecks } from "./structure-checks.ts";
import { toCheck, round2 } from "./check.ts";
import { DESCRIPTION_CHARS } from "../../../lib/text/description.ts";
import { TITLE_PX } from "../../../lib/text/title-width.ts";

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

/** Checks l1 to l3: links to the own site and to others. */
export const linkChecks = ({ links: { internal, outbound, broken } }: SeoFacts): Check[] => [
  checkLinks("l1", "Internal links", internal, "Link to other pages of the shop."),
  checkLinks("l2", "Outbound links", outbound, "Link to a source that readers can trust."),
  toCheck({
    id: "l3",
    name: "Broken internal links",
    status: broken === null ? "na" : broken === 0 ? "good" : "bad",
    value: broken,
    threshold: "none",
    fix: "Fix or remove the broken links.",
  }),
];

const checkLinks = (id: "l1" | "l2", name: string, { all, followed }: Followed, fix: string): Check =>
  toCheck({
    id,
    name,
    status: followed > 0 ? "good" : all > 0 ? "ok" : "bad",
    value: all === followed ? all : `${all}, ${all - followed} of them nofollow`,
    threshold: "at least 1 without nofollow",
    fix: all > 0 ? "Remove nofollow from links that you endorse." : fix,
  });

const SLUG_MAX = 75;

/** Checks m1 to m4: what a results page shows, and whether it is allowed to. */
export const metaChecks = ({ meta }: SeoFacts): Check[] => [
  checkTitle(meta),
  checkDescription(meta),
  toCheck({
    id: "m3",
    name: "Length of the slug",
    status: meta.slugChars <= SLUG_MAX ? "good" : "bad",
    value: meta.slugChars,
    threshold: `at most ${SLUG_MAX} characters`,
    fix: "Shorten the slug to the words that matter.",
  }),
  checkIndexing(meta),
];

function checkTitle({ titlePx }: SeoFacts["meta"]): Check {
  const isMissing = titlePx === 0;
  return toCheck({
    id: "m1",
    name: "Width of the SEO title",
    status: isMissing || titlePx > TITLE_PX.max ? "bad" : titlePx >= TITLE_PX.min ? "good" : "ok",
    value: round2(titlePx),
    threshold: `${TITLE_PX.min} to ${TITLE_PX.max} px in Arial 20 px`,
    fix: isMissing
      ? "Write a title."
      : titlePx > TITLE_PX.max
        ? "Shorten the SEO title: its end would be truncated."
        : "Lengthen the SEO title: it is short.",
  });
}

function checkDescription({ descriptionChars: chars }: SeoFacts["meta"]): Check {
  return toCheck({
    id: "m2",
    name: "Length of the meta description",
    status:
      chars === 0 ? "bad" : chars >= DESCRIPTION_CHARS.min && chars <= DESCRIPTION_CHARS.max ? "good" : "ok",
    value: chars,
    threshold: `${DESCRIPTION_CHARS.min} to ${DESCRIPTION_CHARS.max} characters`,
    fix:
      chars === 0
        ? "Write a meta description."
        : chars < DESCRIPTION_CHARS.min
          ? "Lengthen the meta description."
          : "Shorten the meta description: its end would be truncated.",
  });
}

function checkIndexing({ isIndexable, isSnippetAllowed, canonical }: SeoFacts["meta"]): Check {
  const fault = !isIndexable
    ? "noindex"
    : !isSnippetAllowed
      ? "nosnippet"
      : canonical === "own"
        ? null
        : `canonical ${canonical}`;
  return toCheck({
    id: "m4",
    name: "Indexable by search engines",
    status: fault === null ? "good" : fault === "canonical elsewhere" ? "ok" : "bad",
    value: fault ?? "open",
    threshold: "indexable, snippets allowed, its own canonical URL",
    fix:
      fault === "noindex" || fault === "nosnippet"
        ? `Remove ${fault} if the text is meant to be found by search engines.`
        : "Set the canonical URL to the page itself, if the page is the original.",
  });
}
