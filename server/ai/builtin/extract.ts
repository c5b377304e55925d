import type { AiInput } from "../../core/ai.ts";
import { DESCRIPTION_CHARS } from "../../lib/text/description.ts";
import { coverage, keyphraseOf } from "../../lib/text/keyphrase.ts";
import type { Sentence, TextModel } from "../../lib/text/model.ts";
import { keywordsOf } from "../../lib/text/keywords.ts";
import { bestPlaces, rankSentences } from "../../lib/text/textrank.ts";
import { needsModel } from "./made.ts";
import type { Made } from "./made.ts";

const SUMMARY_SENTENCES = 3;

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

/**
 * The sentences that say most, as many as fill the length that results show; where none fit, the best ones cut at a word. Throws
 * 422 `needs_model` for a text that is shorter.
 */
export function metaDescription({ keyphrase = "" }: AiInput, model: TextModel): Made {
  const { language } = model;
  const prose = proseOf(model);
  const asked = keyphraseOf(keyphrase, language);
  const scores = rankSentences(prose.map(({ stems }) => stems));
  const ranked = prose.map(({ text, stems }, place) => ({
    text,
    place,
    score: (scores[place] ?? 0) * (1 + coverage(asked, stems)),
  }));
  const best = [...ranked].sort((a, b) => b.score - a.score).slice(0, DESCRIPTION_SENTENCES);
  const whole = combinationsOf(best, 3)
    .map((sentences) => ({
      text: inOrder(sentences),
      score: sentences.reduce((sum, { score }) => sum + score, 0) / sentences.length,
    }))
    .filter(({ text }) => text.length >= DESCRIPTION_CHARS.min && text.length <= DESCRIPTION_CHARS.max)
    .sort((a, b) => b.score - a.score);
  if (whole[0] !== undefined) return { text: whole[0].text };
  for (let count = 1; count <= best.length; count += 1) {
    const cut = cutAtWord(inOrder(best.slice(0, count)), DESCRIPTION_CHARS.max - 1);
    const text = /\p{P}$/u.test(cut) ? cut : `${cut}…`;
    if (text.length >= DESCRIPTION_CHARS.min) return { text };
  }
  throw needsModel(`a meta description of a text that has fewer than ${DESCRIPTION_CHARS.min} characters`);
}

/** Sentences that a description is chosen from. */
const DESCRIPTION_SENTENCES = 12;

const inOrder = (sentences: readonly { readonly text: string; readonly place: number }[]): string =>
  [...sentences]
    .sort((a, b) => a.place - b.place)
    .map(({ text }) => text)
    .join(" ");

/** All choices of one to `size` items. */
function combinationsOf<T>(items: readonly T[], size: number): T[][] {
  if (size === 0) return [];
  return items.flatMap((item, at) => [
    [item],
    ...combinationsOf(items.slice(at + 1), size - 1).map((others) => [item, ...others]),
  ]);
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
  if (found.length === 0) throw needsModel("keywords of a text that repeats no term");
  return {
    text: found.map(({ text }) => text).join("\n"),
    items: found.map(({ text, score }) => ({ text, score })),
  };
}

/** Sentences of running text: headings and table cells say nothing alone. */
const proseOf = ({ blocks }: TextModel): Sentence[] =>
  blocks.filter(({ kind }) => kind !== "heading" && kind !== "cell").flatMap(({ sentences }) => sentences);

/** The longest beginning of whole words that fits; what joins it to the lost rest is dropped. */
export function cutAtWord(text: string, chars: number): string {
  if (text.length <= chars) return text;
  const cut = text.slice(0, chars + 1);
  const end = cut.search(/\s\S*$/);
  return (end > 0 ? cut.slice(0, end) : text.slice(0, chars)).replace(/[\s,;:–—-]+$/u, "");
}
