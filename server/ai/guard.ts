import type { AiRequest } from "../kernel/ai.ts";
import { allergenSentences, missingSentences, unsupportedClaims } from "../kernel/text/facts.ts";
import type { Claim } from "../kernel/text/facts.ts";
import { loadLanguage } from "../kernel/text/language.ts";
import type { Written } from "./provider.ts";

/**
 * What a text claims beyond its input and the facts, and what it lost of the sentences about allergens that a rewriting
 * must keep. Whoever wrote it, it is looked at the same way.
 */
export async function checkClaims({ operation, input }: AiRequest, written: Written): Promise<Claim[]> {
  const language = await loadLanguage(input.locale ?? "en");
  const { text, title, keyphrase, brand, question, author_name: author, facts = [], passages = [] } = input;
  const stars = input.rating === undefined ? [] : [`${input.rating} stars of 5 stars`];
  const given = [text, title, keyphrase, brand, question, author].filter((source) => source !== undefined);
  const sources = [...given, ...facts, ...passages.map((passage) => passage.text), ...stars];
  const items = (written.items ?? []).flatMap((item) => [item.text, item.answer ?? ""]);
  // Items are part of the text wherever a provider keeps to its order; where it does not, they are looked at as well.
  const output = [written.text, ...items.filter((item) => !written.text.includes(item))].join("\n");
  const locked = operation === "rewrite" ? await lockedIn(input) : [];
  return [...unsupportedClaims(output, sources, language), ...missingSentences(output, locked)];
}

/** Sentences that a rewriting must keep: those that the caller names, and all about allergens. */
export async function lockedIn({ text, locale = "en", locked = [] }: AiRequest["input"]): Promise<string[]> {
  const language = await loadLanguage(locale);
  const own = text.split(/\n{2,}/).flatMap((paragraph) => allergenSentences(language.sentences(paragraph)));
  return [...new Set([...locked, ...own])];
}
