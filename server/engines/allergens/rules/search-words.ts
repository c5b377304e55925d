import { withoutMarks } from "../../../lib/text/marks.ts";

/** Words of a title that can be looked for, in their order, each once: case and accents do not count. */
export const searchWords = (text: string): string[] => [...new Set(wordsOf(text))];

const wordsOf = (text: string): readonly string[] =>
  withoutMarks(text)
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? [];

const STEM_CHARS = 3;

/** The prefix by which a word is indexed: its first three characters, or all of a shorter one. */
export const stemOf = (word: string): string => Array.from(word).slice(0, STEM_CHARS).join("");

/** True when every word of the query begins a word of the title; one of less than three characters is a whole word. */
export function matchesWords(title: string, wanted: readonly string[]): boolean {
  const words = searchWords(title);
  return wanted.every((word) =>
    words.some((candidate) =>
      Array.from(word).length < STEM_CHARS ? candidate === word : candidate.startsWith(word),
    ),
  );
}

/** Equal for titles of the same words in the same order: case, accents and punctuation do not count. */
export const titleKey = (title: string): string => wordsOf(title).join(" ");
