import type { Brand, Extraction, Mention, Observation, Sentiment } from "../schema/tracking.ts";
import { extractMentions, findMentions, namesByLength } from "./extract-mentions.ts";
import { pawc } from "./pawc.ts";
import type { PawcVariant } from "./pawc.ts";

/** Language tools and a word list; both are loaded on first use. */
export interface AnswerTools {
  sentences(text: string): readonly string[];
  /** Sentiment of a text: positive above 0, negative below (AFINN). */
  sentiment(text: string): number;
}

/** The fields of a brand used to detect mentions and citations. */
export type TrackedBrand = Pick<Brand, "id" | "name" | "aliases" | "domains">;

type Answer = Pick<Observation, "answer_text" | "citations" | "sentiment">;

/**
 * Extracts the brands of an answer: a pure function of both. The sentiment is the source's own label if there is
 * one; otherwise that of the sentences that mention the brand, by AFINN.
 */
export function readAnswer(
  answer: Answer,
  brands: readonly TrackedBrand[],
  tools: AnswerTools,
  variant: PawcVariant = "paper",
): Omit<Extraction, "extraction_version"> {
  const { answer_text: text, citations } = answer;
  const sentences = tools.sentences(text);
  const shares = citations.length === 0 ? null : pawc(sentences, variant);
  const byDomain = shares === null ? null : new Map<string, number>();
  for (const { n, domain } of citations) {
    const share = shares?.get(n);
    if (share !== undefined) byDomain?.set(domain, (byDomain.get(domain) ?? 0) + share);
  }
  const mentioned = extractMentions(text, brands);
  // A brand that is not in the whole text is in no sentence.
  const named = brands.filter(({ id }) => mentioned.some((mention) => mention.brand_id === id));
  const felt = answer.sentiment === null ? sentimentSums(sentences, named, tools) : new Map<string, number>();
  const mentions = mentioned.map((mention): Mention => ({
    ...mention,
    sentiment: answer.sentiment ?? labelOf(felt.get(mention.brand_id) ?? 0),
  }));
  return {
    mentions,
    pawc: byDomain === null ? null : Object.fromEntries(byDomain),
    pawc_variant: variant,
  };
}

/** Sentiment of the sentences that mention each brand. */
function sentimentSums(
  sentences: readonly string[],
  brands: readonly TrackedBrand[],
  tools: AnswerTools,
): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  const names = namesByLength(brands);
  for (const sentence of sentences) {
    const named = findMentions(sentence, names);
    if (named.length === 0) continue;
    const sentiment = tools.sentiment(sentence);
    for (const { brand_id: id } of named) sums.set(id, (sums.get(id) ?? 0) + sentiment);
  }
  return sums;
}

const labelOf = (sentiment: number): Sentiment =>
  sentiment > 0 ? "positive" : sentiment < 0 ? "negative" : "neutral";

/** The brand's own domain or a subdomain. */
export const ownsDomain = ({ domains }: Pick<Brand, "domains">, domain: string): boolean =>
  domains.some((own) => domain === own || domain.endsWith(`.${own}`));
