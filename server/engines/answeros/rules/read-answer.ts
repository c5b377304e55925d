import type { Brand, Extraction, Mention, Observation, Sentiment } from "../schema/tracking.ts";
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
 * Extracts the brands of an answer, by their `brandNames`: a pure function of both. The sentiment is the source's own label if there is
 * one; otherwise that of the sentences that mention the brand, by AFINN.
 */
export function readAnswer(
  answer: Answer,
  names: readonly BrandName[],
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
  const mentioned = extractMentions(text, names);
  // A brand that is not in the whole text is in no sentence.
  const named = names.filter(({ id }) => mentioned.some((mention) => mention.brand_id === id));
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
  names: readonly BrandName[],
  tools: AnswerTools,
): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  for (const sentence of sentences) {
    const named = extractMentions(sentence, names);
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

/** A name of a brand, normalised for searching. */
export interface BrandName {
  readonly id: string;
  readonly name: string;
}

type BrandMention = Omit<Mention, "sentiment">;

/**
 * Mentions of brands in a text: whole words, ignoring case and accents, longest name first, and never inside
 * a longer mention (`Crumb` is not mentioned by `Crumb & Co`).
 */
export function extractMentions(text: string, names: readonly BrandName[]): BrandMention[] {
  const folded = fold(text);
  const taken = new Uint8Array(folded.text.length);
  const places = new Map<string, number[]>();
  for (const { id, name } of names) {
    for (const at of wholeWordsAt(folded.text, name)) {
      if (taken.subarray(at, at + name.length).some((flag) => flag === 1)) continue;
      taken.fill(1, at, at + name.length);
      const offsets = places.get(id) ?? [];
      offsets.push(folded.offsets[at] ?? 0);
      places.set(id, offsets);
    }
  }
  return [...places]
    .map(([id, offsets]) => ({ id, offsets: offsets.sort((a, b) => a - b) }))
    .sort((a, b) => (a.offsets[0] ?? 0) - (b.offsets[0] ?? 0) || (a.id < b.id ? -1 : 1))
    .map(({ id, offsets }, index) => ({
      brand_id: id,
      first_offset: offsets[0] ?? 0,
      count: offsets.length,
      order: index + 1,
    }));
}

/**
 * Names of all brands, folded, longest first; a name shared by two brands belongs to the first one. Folding a thousand names takes
 * long: once for all answers.
 */
export function brandNames(brands: readonly Pick<TrackedBrand, "id" | "name" | "aliases">[]): BrandName[] {
  const names = new Map<string, string>();
  for (const { id, name, aliases } of brands) {
    for (const one of [name, ...aliases]) {
      const folded = fold(one).text.trim();
      if (folded !== "" && !names.has(folded)) names.set(folded, id);
    }
  }
  return [...names]
    .map(([name, id]) => ({ id, name }))
    .sort((a, b) => b.name.length - a.name.length || (a.name < b.name ? -1 : 1));
}

const MARKS = /\p{M}/gu;
const WORD = /[\p{L}\p{N}]/u;

/** Lower case without accents and with plain spaces; `offsets` maps each index to that of the original. */
function fold(text: string): { readonly text: string; readonly offsets: readonly number[] } {
  let folded = "";
  const offsets: number[] = [];
  let at = 0;
  for (const char of text) {
    const plain = foldCharacter(char);
    // One original character may fold to none (a combining mark) or to several (a ligature).
    for (let index = 0; index < plain.length; index += 1) offsets.push(at);
    folded += plain;
    at += char.length;
  }
  return { text: folded, offsets };
}

/** Characters that were folded last: normalising each character of a thousand names takes 100 ms, which each commit of answers would. */
const foldedCharacters = new Map<string, string>();
const FOLDED_MAX = 1_000;

function foldCharacter(char: string): string {
  const known = foldedCharacters.get(char);
  if (known !== undefined) return known;
  const plain = char.normalize("NFKD").replaceAll(MARKS, "").toLowerCase();
  const folded = plain.replaceAll(/\s/g, " ").replaceAll("’", "'");
  if (foldedCharacters.size >= FOLDED_MAX) foldedCharacters.clear();
  foldedCharacters.set(char, folded);
  return folded;
}

function wholeWordsAt(text: string, name: string): number[] {
  const places: number[] = [];
  for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + 1)) {
    if (!isWordAt(text, at - 1) && !isWordAt(text, at + name.length)) places.push(at);
  }
  return places;
}

/** Whether there is a letter or digit at an index; surrogate pairs are evaluated as one character. */
function isWordAt(text: string, at: number): boolean {
  if (at < 0 || at >= text.length) return false;
  const unit = text.charCodeAt(at);
  const isTail = unit >= 0xdc00 && unit <= 0xdfff;
  return WORD.test(String.fromCodePoint(text.codePointAt(isTail ? at - 1 : at) ?? 32));
}
