import type { TextCounts } from "./model.ts";

/** The six formulas, never clamped and not rounded; null where the text has nothing to count or the language has no such formula. */
export interface Readability {
  readonly flesch_reading_ease: number | null;
  readonly flesch_kincaid_grade: number | null;
  readonly gunning_fog: number | null;
  readonly smog: number | null;
  readonly coleman_liau: number | null;
  readonly automated_readability: number | null;
}

/**
 * Reading ease = constant − a · words per sentence − b · syllables per word: Flesch (1948) for English, Amstad (1978) for German,
 * Kandel & Moles (1958) for French. From 0 (hard) to 100 (easy), and beyond.
 */
const READING_EASE: Readonly<Record<string, readonly [constant: number, a: number, b: number]>> = {
  en: [206.835, 1.015, 84.6],
  de: [180, 1, 58.5],
  fr: [207, 1.015, 73.6],
};

/** The other five were made for English: Kincaid (1975), Gunning (1952), McLaughlin (1969), Coleman & Liau (1975), Smith & Senter (1967). */
export function readabilityOf(counts: TextCounts, code: string): Readability {
  const { words, sentences, syllables, polysyllables, letters, characters } = counts;
  const ease = READING_EASE[code];
  const english = (value: number): number | null => (code === "en" ? known(value) : null);
  return {
    flesch_reading_ease:
      ease === undefined
        ? null
        : known(ease[0] - ease[1] * (words / sentences) - ease[2] * (syllables / words)),
    flesch_kincaid_grade: english(0.39 * (words / sentences) + 11.8 * (syllables / words) - 15.59),
    gunning_fog: english(0.4 * (words / sentences + 100 * (polysyllables / words))),
    smog: english(3.1291 + 1.043 * Math.sqrt(polysyllables * (30 / sentences))),
    coleman_liau: english(0.0588 * (letters / words) * 100 - 0.296 * (sentences / words) * 100 - 15.8),
    automated_readability: english(4.71 * (characters / words) + 0.5 * (words / sentences) - 21.43),
  };
}

const known = (value: number): number | null => (Number.isFinite(value) ? value : null);

/** Words a minute by language, as yoastseo documents them; English where we know nothing. */
const WORDS_PER_MINUTE: Readonly<Record<string, number>> = {
  en: 228,
  de: 179,
  fr: 195,
  es: 218,
  it: 188,
  nl: 202,
};

/** Whole minutes of reading, rounded up; `code` is the language alone, as in `en`. */
export const readingMinutes = (words: number, code: string): number =>
  Math.ceil(words / (WORDS_PER_MINUTE[code] ?? 228));
