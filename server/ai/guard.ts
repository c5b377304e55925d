import type { AiRequest } from "../core/ai.ts";
import { allergenSentences, missingSentences, unsupportedClaims } from "../lib/text/facts.ts";
import type { Claim } from "../lib/text/facts.ts";
import { loadLanguage } from "../lib/text/language.ts";
import { readText } from "../lib/text/read.ts";
import type { Made } from "./builtin/made.ts";

/**
 * What a text claims beyond its input and the facts, and what it lost of the sentences about allergens that a rewriting
 * must keep. From any author, it is looked at the same way: as its readers see it, with the addresses of its links.
 */
export async function findClaims({
  operation,
  input,
  written,
}: Pick<AiRequest, "operation" | "input"> & { readonly written: Made }): Promise<Claim[]> {
  const language = await loadLanguage(input.locale ?? "en");
  const { title, keyphrase, brand, question, author_name: author, facts = [], passages = [] } = input;
  const stars = input.rating === undefined ? [] : [`${input.rating} stars of 5 stars`];
  const given = [title, keyphrase, brand, question, author].filter((source) => source !== undefined);
  const text = await seen(input.text, input);
  const sources = [
    text,
    input.text,
    ...given,
    ...facts,
    ...passages.map((passage) => passage.text),
    ...stars,
  ];
  const items = (written.items ?? []).flatMap((item) => [item.text, item.answer ?? ""]);
  // Items are part of the text wherever a provider keeps to its order; where it does not, they are looked at as well.
  const more = items.filter((item) => !written.text.includes(item));
  const isHtml = operation === "rewrite" && input.format === "html";
  const shown = await seen(written.text, { ...input, format: isHtml ? "html" : "markdown" });
  const locked = operation === "rewrite" ? await findLocked(input) : [];
  const claims = unsupportedClaims([shown, ...more].join("\n"), sources, language);
  return [...claims, ...missingSentences(shown, locked)];
}

/** Sentences that a rewriting must keep: those that the caller names, and all about allergens. */
export async function findLocked(input: AiRequest["input"]): Promise<string[]> {
  const { sentences } = await modelOf(input.text, input);
  return [...new Set([...(input.locked ?? []), ...allergenSentences(sentences.map(({ text }) => text))])];
}

async function seen(body: string, input: AiRequest["input"]): Promise<string> {
  const { text, links } = await modelOf(body, input);
  return [text, ...links.map(({ href }) => href)].join("\n");
}

const modelOf = (body: string, { format = "markdown", locale = "en" }: AiRequest["input"]) =>
  readText({ body, format, locale });
