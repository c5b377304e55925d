import { automatedReadability } from "automated-readability";
import { colemanLiau } from "coleman-liau";
import { flesch } from "flesch";
import { fleschKincaid } from "flesch-kincaid";
import { gunningFog } from "gunning-fog";
import { smogFormula } from "smog-formula";

import type { TextCounts } from "./model.ts";

/** The six formulas, never clamped and not rounded; null where the text has nothing to count. */
export interface Readability {
  readonly flesch_reading_ease: number | null;
  readonly flesch_kincaid_grade: number | null;
  readonly gunning_fog: number | null;
  readonly smog: number | null;
  readonly coleman_liau: number | null;
  readonly automated_readability: number | null;
}

/** Readability of English text; elsewhere the formulas mean nothing, and callers leave them out. */
export function readabilityOf(counts: TextCounts): Readability {
  const {
    words: word,
    sentences: sentence,
    syllables: syllable,
    polysyllables,
    letters,
    characters,
  } = counts;
  return {
    flesch_reading_ease: known(flesch({ word, sentence, syllable })),
    flesch_kincaid_grade: known(fleschKincaid({ word, sentence, syllable })),
    gunning_fog: known(gunningFog({ word, sentence, complexPolysillabicWord: polysyllables })),
    smog: known(smogFormula({ sentence, polysillabicWord: polysyllables })),
    coleman_liau: known(colemanLiau({ word, sentence, letter: letters })),
    automated_readability: known(automatedReadability({ word, sentence, character: characters })),
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
