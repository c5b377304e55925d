import type { Brand, Extraction, Mention, Observation, Sentiment } from "../schema/tracking.ts";
import { extractMentions, findMentions, namesByLength } from "./extract-mentions.ts";
import { pawc } from "./pawc.ts";
import type { PawcVariant } from "./pawc.ts";

/** What the rules need of a language and a word list; both are loaded where they are first used. */
export interface AnswerTools {
  sentences(text: string): readonly string[];
  /** Balance of the words of a text: above 0 good, below bad (AFINN). */
  feeling(text: string): number;
}

/** The part of a brand that mentions and citations are told by. */
export type TrackedBrand = Pick<Brand, "id" | "name" | "aliases" | "domains">;

type Answer = Pick<Observation, "answer_text" | "citations" | "sentiment">;

/**
 * What an answer says about the brands: a pure function of both. The sentiment is the source's own label where it has
 * one; otherwise that of the sentences that name the brand, by AFINN.
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
  const found = extractMentions(text, brands);
  // Whom the whole does not name, no sentence of it does.
  const named = brands.filter(({ id }) => found.some((mention) => mention.brand_id === id));
  const felt = answer.sentiment === null ? feelings(sentences, named, tools) : new Map<string, number>();
  const mentions = found.map((mention): Mention => ({
    ...mention,
    sentiment: answer.sentiment ?? labelOf(felt.get(mention.brand_id) ?? 0),
  }));
  return {
    mentions,
    pawc: byDomain === null ? null : Object.fromEntries(byDomain),
    pawc_variant: variant,
  };
}

/** What the sentences feel like that name each brand. */
function feelings(
  sentences: readonly string[],
  brands: readonly TrackedBrand[],
  tools: AnswerTools,
): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  const names = namesByLength(brands);
  for (const sentence of sentences) {
    const named = findMentions(sentence, names);
    if (named.length === 0) continue;
    const feeling = tools.feeling(sentence);
    for (const { brand_id: id } of named) sums.set(id, (sums.get(id) ?? 0) + feeling);
  }
  return sums;
}

const labelOf = (feeling: number): Sentiment =>
  feeling > 0 ? "positive" : feeling < 0 ? "negative" : "neutral";

/** The brand's own domain or one below it. */
export const ownsDomain = ({ domains }: Pick<Brand, "domains">, domain: string): boolean =>
  domains.some((own) => domain === own || domain.endsWith(`.${own}`));
