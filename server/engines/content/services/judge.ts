import type { TaskOwner } from "../../../lib/worker-tasks.ts";
import { sha256Hex } from "../../../core/ids.ts";
import { recommendedCount } from "../../../lib/text/keyphrase.ts";
import { SCORE_VERSION } from "../schema.ts";
import { round2 } from "../rules/check.ts";
import type { ReadSubmission, Submission } from "./read-submission.ts";
import type { SeoFacts } from "../rules/seo-facts.ts";
import { bandOf, judge, keyphraseDensity, readabilityScore, seoScore } from "../rules/seo-score.ts";
import type { DraftContent, DraftKind } from "../schema/draft.ts";
import type { Analysis } from "../schema/score.ts";
import { readForScore } from "./text-tasks.ts";

/** Only known from the store; both null for a text that is scored without one. */
export interface Neighbours {
  usedElsewhere(stems: readonly string[]): Promise<number>;
  brokenLinks(hrefs: readonly string[], locale: string): Promise<number>;
}

export type Judged = Omit<Analysis, "input_hash" | "parity" | "aeo">;

/** Scores a text by the 28 checks. The same input, store data and ICU version give the same result. */
export async function judgeText(
  owner: TaskOwner,
  submission: Submission,
  neighbours: Neighbours | null,
): Promise<{ readonly judged: Judged; readonly facts: SeoFacts }> {
  return judgeRead(await readForScore(owner, submission), neighbours);
}

/** The same for a text that was read. */
export async function judgeRead(
  { base, facts: read, internalHrefs, keyphraseStems }: ReadSubmission,
  neighbours: Neighbours | null,
): Promise<{ readonly judged: Judged; readonly facts: SeoFacts }> {
  const facts = neighbours === null ? read : await complete(read);
  const checks = judge(facts);
  const density = keyphraseDensity(facts);
  const seo = seoScore(facts, checks);
  const readability = readabilityScore(facts, checks);
  return {
    facts,
    judged: {
      score_version: SCORE_VERSION,
      ...base,
      seo,
      seo_band: bandOf(seo),
      readability,
      readability_band: readability === null ? null : bandOf(readability),
      checks,
      keyphrase: keyphraseSummary(facts, density),
    },
  };

  async function complete(known: SeoFacts): Promise<SeoFacts> {
    if (neighbours === null) return known;
    const { keyphrase, links } = known;
    const broken = await neighbours.brokenLinks(internalHrefs, base.locale);
    return {
      ...known,
      keyphrase:
        keyphrase === null
          ? null
          : { ...keyphrase, usedElsewhere: await neighbours.usedElsewhere(keyphraseStems) },
      links: { ...links, broken },
    };
  }
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

/** The scored part of a draft's content, at its future URL. */
export const submissionOf = (kind: DraftKind, content: DraftContent, url: string | null): Submission => ({
  kind,
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
