import type { AiInput } from "../../core/ai.ts";
import type { TextModel } from "../../lib/text/model.ts";
import { keywordsOf } from "../../lib/text/rake.ts";
import { measureTitle } from "../../lib/text/title-width.ts";
import type { Made } from "./made.ts";

/** Pixels that a page of results shows of a title. */
const WIDTH_MAX = 600;

/**
 * Titles with the keyphrase first (the text's own best keyword where none is given), none wider than a search result
 * shows. They promise nothing: no figure, no superlative.
 */
export async function titleSuggestions(input: AiInput, model: TextModel): Promise<Made> {
  const { brand, count = 5 } = input;
  const subject = upperFirst(subjectOf(input, model));
  if (subject === "") return { text: "", items: [] };
  const headings = [input.title ?? "", ...model.headings.map(({ text }) => text)].filter(
    (text) => text !== "" && !text.toLowerCase().includes(subject.toLowerCase()),
  );
  const own = model.language.code === "en" ? ENGLISH.map((template) => template(subject)) : [];
  const wanted = [
    brand === undefined ? subject : `${subject} | ${brand}`,
    ...headings.map((text) => `${subject}: ${text}`),
    ...own.flatMap((title) => (brand === undefined ? [title] : [`${title} | ${brand}`, title])),
  ];
  const fitting: string[] = [];
  for (const title of new Set(wanted)) {
    if (fitting.length < count && (await measureTitle(title)) <= WIDTH_MAX) fitting.push(title);
  }
  return { text: fitting.join("\n"), items: fitting.map((text) => ({ text })) };
}

const ENGLISH: readonly ((subject: string) => string)[] = [
  (subject) => `${subject}: what to know`,
  (subject) => `${subject}: questions and answers`,
  (subject) => `${subject} explained`,
  (subject) => `${subject} at a glance`,
];

const subjectOf = ({ keyphrase }: AiInput, { blocks, language }: TextModel): string =>
  keyphrase?.trim() ||
  (keywordsOf(
    blocks.map(({ text }) => text),
    language,
    1,
  )[0]?.text ??
    "");

export const upperFirst = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
