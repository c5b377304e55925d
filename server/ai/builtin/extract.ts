import type { AiInput } from "../../core/ai.ts";
import type { Sentence, TextModel } from "../../lib/text/model.ts";
import { keywordsOf } from "../../lib/text/rake.ts";
import { bestPlaces, rankSentences } from "../../lib/text/textrank.ts";
import type { Made } from "./made.ts";

const SUMMARY_SENTENCES = 3;
const DESCRIPTION_CHARS = 156;

/** The sentences that say most of what the others say (TextRank), in their own order. */
export function summarise({ count = SUMMARY_SENTENCES }: Pick<AiInput, "count">, model: TextModel): Made {
  const sentences = proseOf(model);
  const scores = rankSentences(sentences.map(({ stems }) => stems));
  const items = bestPlaces(scores, count).map((place) => ({
    text: sentences[place]?.text ?? "",
    score: scores[place] ?? 0,
    origin: String(place),
  }));
  return { text: items.map(({ text }) => text).join(" "), items };
}

/** The two best sentences, cut at a word. */
export function metaDescription(_input: AiInput, model: TextModel): Made {
  return { text: cutAtWord(summarise({ count: 2 }, model).text, DESCRIPTION_CHARS) };
}

export function outline(_input: AiInput, { headings }: TextModel): Made {
  const top = Math.min(...headings.map(({ level }) => level));
  return {
    text: headings.map(({ level, text }) => `${"  ".repeat(level - top)}- ${text}`).join("\n"),
    items: headings.map(({ level, text }) => ({ text, level })),
  };
}

/** Headings that ask, each with the paragraph that follows it. */
export function faq({ count }: AiInput, { headings, blocks }: TextModel): Made {
  const items = headings
    .filter((heading) => heading.is_question)
    .flatMap(({ text, block }) => {
      const next = blocks.slice(block + 1).find(({ kind }) => kind === "paragraph" || kind === "heading");
      return next?.kind === "paragraph" ? [{ text, answer: next.text }] : [];
    })
    .slice(0, count);
  return { text: items.map((item) => `### ${item.text}\n\n${item.answer}`).join("\n\n"), items };
}

export function keywords({ count = 10 }: AiInput, { blocks, language }: TextModel): Made {
  const found = keywordsOf(
    blocks.map(({ text }) => text),
    language,
    count,
  );
  return {
    text: found.map(({ text }) => text).join("\n"),
    items: found.map(({ text, score }) => ({ text, score })),
  };
}

/** Sentences of running text: headings and table cells say nothing alone. */
export const proseOf = ({ blocks }: TextModel): Sentence[] =>
  blocks.filter(({ kind }) => kind !== "heading" && kind !== "cell").flatMap(({ sentences }) => sentences);

/** The longest beginning of whole words that fits; what joins it to the lost rest is dropped. */
export function cutAtWord(text: string, chars: number): string {
  if (text.length <= chars) return text;
  const cut = text.slice(0, chars + 1);
  const end = cut.search(/\s\S*$/);
  return (end > 0 ? cut.slice(0, end) : text.slice(0, chars)).replace(/[\s,;:–—-]+$/u, "");
}
