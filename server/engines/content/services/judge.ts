import { sha256Hex } from "../../../core/ids.ts";
import { keyphraseOf, recommendedCount } from "../../../lib/text/keyphrase.ts";
import type { TextModel } from "../../../lib/text/model.ts";
import { readText } from "../../../lib/text/read.ts";
import { readabilityOf, readingMinutes } from "../../../lib/text/readability.ts";
import { measureTitle } from "../../../lib/text/title-width.ts";
import { SCORE_VERSION } from "../schema.ts";
import { round2 } from "../rules/check.ts";
import { seoFacts } from "../rules/seo-facts.ts";
import type { SeoFacts } from "../rules/seo-facts.ts";
import { bandOf, judge, keyphraseDensity, readabilityScore, seoScore } from "../rules/seo-score.ts";
import type { DraftContent } from "../schema/draft.ts";
import type { Analysis } from "../schema/score.ts";

/** Input of the score: a text and its appearance in search engines. */
export interface Submission {
  readonly body: string;
  readonly format: "markdown" | "html";
  readonly locale: string;
  /** Its current or future URL; null if unknown. */
  readonly url: string | null;
  readonly seoTitle: string;
  readonly description: string;
  readonly slug: string;
  readonly cornerstone: boolean;
  readonly keyphrase: string | null;
  readonly robots: {
    readonly noindex: boolean;
    readonly nosnippet: boolean;
    readonly max_snippet: number | null;
  };
  readonly canonical: string | null;
}

/** Only known from the store; both null for a text that is scored without one. */
export interface Neighbours {
  usedElsewhere(stems: readonly string[]): Promise<number>;
  brokenLinks(text: TextModel): Promise<number>;
}

export type Judged = Omit<Analysis, "input_hash" | "parity" | "aeo">;

/** Scores a text by the 28 checks. The same input, store data and ICU version give the same result. */
export async function judgeText(
  submission: Submission,
  neighbours: Neighbours | null,
): Promise<{ readonly judged: Judged; readonly text: TextModel; readonly facts: SeoFacts }> {
  const { body, format, locale, url } = submission;
  const text = await readText({ body, format, locale, base_url: url ?? undefined });
  return { ...(await judgeModel(text, submission, neighbours)), text };
}

/** The same for an analysed text. */
export async function judgeModel(
  text: TextModel,
  submission: Submission,
  neighbours: Neighbours | null,
): Promise<{ readonly judged: Judged; readonly facts: SeoFacts }> {
  const { robots } = submission;
  const phrase = submission.keyphrase === null ? null : keyphraseOf(submission.keyphrase, text.language);
  const facts = seoFacts(text, {
    seoTitle: submission.seoTitle,
    titlePx: submission.seoTitle === "" ? 0 : await measureTitle(submission.seoTitle),
    description: submission.description,
    slug: submission.slug,
    cornerstone: submission.cornerstone,
    isIndexable: !robots.noindex,
    isSnippetAllowed: !robots.nosnippet && robots.max_snippet !== 0,
    canonical: canonicalOf(submission),
    keyphrase: phrase === null || phrase.stems.length === 0 ? null : phrase,
    usedElsewhere:
      neighbours === null || phrase === null ? null : await neighbours.usedElsewhere(phrase.stems),
    brokenLinks: neighbours === null ? null : await neighbours.brokenLinks(text),
  });
  return { judged: summarise(text, facts), facts };
}

function summarise(text: TextModel, facts: SeoFacts): Judged {
  const { counts, language } = text;
  const checks = judge(facts);
  const density = keyphraseDensity(facts);
  const seo = seoScore(checks, density);
  const readability = readabilityScore(facts, checks);
  return {
    score_version: SCORE_VERSION,
    text_model: text.text_model,
    icu: text.icu,
    locale: language.locale,
    seo,
    seo_band: bandOf(seo),
    readability,
    readability_band: readability === null ? null : bandOf(readability),
    checks,
    formulas: readabilityOf(counts),
    counts: {
      words: counts.words,
      sentences: counts.sentences,
      paragraphs: counts.paragraphs,
      syllables: counts.syllables,
      polysyllables: counts.polysyllables,
      reading_minutes: readingMinutes(counts.words, language.code),
    },
    keyphrase: keyphraseSummary(facts, density),
  };
}

function keyphraseSummary({ keyphrase, words }: SeoFacts, density: number | null): Judged["keyphrase"] {
  if (keyphrase === null) return null;
  const { min, max } = recommendedCount(words, keyphrase.length);
  return {
    count: keyphrase.count,
    density: round2(density ?? 0),
    recommended_min: min,
    recommended_max: max,
  };
}

/** A missing canonical URL counts as self-referencing. */
function canonicalOf({ canonical, url }: Submission): SeoFacts["meta"]["canonical"] {
  if (canonical === null) return "own";
  if (!URL.canParse(canonical)) return "invalid";
  return url === null || new URL(canonical).href === new URL(url).href ? "own" : "elsewhere";
}

/** The scored part of a draft's content, at its future URL. */
export const submissionOf = (content: DraftContent, url: string | null): Submission => ({
  body: content.body,
  format: content.body_format,
  locale: content.locale,
  url,
  seoTitle: content.seo.title ?? content.title,
  description: content.seo.description ?? "",
  slug: content.slug,
  cornerstone: content.cornerstone,
  keyphrase: content.seo.focus_keyphrase,
  robots: content.seo.robots,
  canonical: content.seo.canonical_url,
});

/** SHA-256 of the scored input. */
export const hashSubmission = (submission: Submission): string => sha256Hex(JSON.stringify(submission));
