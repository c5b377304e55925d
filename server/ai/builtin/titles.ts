import type { AiInput } from "../../core/ai.ts";
import type { TextModel } from "../../lib/text/model.ts";
import { keywordsOf } from "../../lib/text/keywords.ts";
import { measureTitle, TITLE_PX } from "../../lib/text/title-width.ts";
import { needsModel } from "./made.ts";
import type { Made } from "./made.ts";

/**
 * Titles with the keyphrase first (else the title, else the text's own best keyword), of the width that a page of results
 * shows. They promise nothing: no figure, no superlative.
 */
export async function titleSuggestions(input: AiInput, model: TextModel): Promise<Made> {
  const { brand, count = 5 } = input;
  const subject = upperFirst(subjectOf(input, model));
  if (subject === "")
    throw needsModel("titles of a text that has no title, no keyphrase and repeats no term");
  const known = new Set(model.language.stems(subject));
  // A heading that has the subject in it, in whatever order, says nothing more.
  const headings = [input.title ?? "", ...model.headings.map(({ text }) => text)].filter((text) => {
    const stems = model.language.stems(text);
    return stems.length > 0 && !stems.some((stem) => known.has(stem));
  });
  const own = model.language.code === "en" ? ENGLISH.map((template) => template(subject)) : [];
  const wanted = [
    brand === undefined ? subject : `${subject} | ${brand}`,
    ...headings.map((text) => `${subject}: ${text}`),
    ...own.flatMap((title) => (brand === undefined ? [title] : [`${title} | ${brand}`, title])),
  ];
  const fitting: string[] = [];
  for (const title of new Set(wanted)) {
    const width = fitting.length < count ? await measureTitle(title) : 0;
    if (width >= TITLE_PX.min && width <= TITLE_PX.max) fitting.push(title);
  }
  if (fitting.length === 0) throw needsModel("a title of the length that a page of results shows");
  return { text: fitting.join("\n"), items: fitting.map((text) => ({ text })) };
}

const ENGLISH: readonly ((subject: string) => string)[] = [
  (subject) => `${subject}: what to know`,
  (subject) => `${subject} at a glance`,
];

const subjectOf = ({ keyphrase, title }: AiInput, { blocks, language }: TextModel): string =>
  keyphrase?.trim() ||
  title?.trim() ||
  (keywordsOf(
    blocks.map(({ text }) => text),
    language,
    1,
  )[0]?.text ??
    "");

export const upperFirst = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
