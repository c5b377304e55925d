import type { Language, Sentence } from "./model.ts";

/** What one wants to be found by, taken apart. */
export interface Keyphrase {
  readonly text: string;
  /** Stems of its content words, each once; none for a phrase of stop words, which matches nothing. */
  readonly stems: readonly string[];
}

export const keyphraseOf = (text: string, language: Language): Keyphrase => ({
  text,
  stems: [...new Set(language.stems(text))],
});

/** Share of the phrase's stems that are among `stems`, 0 to 1; 0 for an empty phrase. */
export function coverage(phrase: Keyphrase, stems: Iterable<string>): number {
  if (phrase.stems.length === 0) return 0;
  const there = new Set(stems);
  return phrase.stems.filter((stem) => there.has(stem)).length / phrase.stems.length;
}

export const coversAll = (phrase: Keyphrase, stems: Iterable<string>): boolean =>
  coverage(phrase, stems) === 1;

/**
 * How often the phrase occurs: in each sentence as often as the rarest of its stems does, in whatever order. Words with
 * others between them count; words of different sentences do not.
 */
export function countMatches(phrase: Keyphrase, sentences: readonly Pick<Sentence, "stems">[]): number {
  if (phrase.stems.length === 0) return 0;
  let count = 0;
  for (const { stems } of sentences) {
    count += Math.min(...phrase.stems.map((stem) => stems.filter((other) => other === stem).length));
  }
  return count;
}

/** Longer phrases weigh more: 0.7 + L/3 for L content words. */
const lengthFactor = (contentWords: number): number => 0.7 + contentWords / 3;

/** Keyphrase density in per cent of the words, weighed by the phrase's length; 0 for no words. */
export const densityOf = (count: number, words: number, contentWords: number): number =>
  words === 0 ? 0 : ((100 * count) / words) * lengthFactor(contentWords);

/** Between how many and how many times a phrase should occur in so many words (density 0.5 to 3). */
export function recommendedCount(words: number, contentWords: number): { min: number; max: number } {
  const factor = 100 * lengthFactor(contentWords);
  return {
    min: Math.max(2, Math.ceil((0.5 * words) / factor)),
    max: Math.max(2, Math.floor((3 * words) / factor)),
  };
}

/**
 * Where the whole phrase begins in a text: 0 is the first character, 1 the end; null where it does not occur as one,
 * word for word by stem. Stop words between its words do not part it.
 */
export function phrasePosition(phrase: Keyphrase, text: string, language: Language): number | null {
  const wanted = language.stems(phrase.text);
  if (wanted.length === 0 || text.length === 0) return null;
  const places = contentPlaces(text, language);
  for (let start = 0; start + wanted.length <= places.length; start += 1) {
    if (wanted.every((stem, offset) => places[start + offset]?.stem === stem)) {
      return (places[start]?.at ?? 0) / text.length;
    }
  }
  return null;
}

function contentPlaces(text: string, language: Language): { stem: string; at: number }[] {
  const places: { stem: string; at: number }[] = [];
  let from = 0;
  for (const word of language.words(text)) {
    const at = text.indexOf(word, from);
    from = at + word.length;
    const stem = language.stem(word);
    if (stem !== null) places.push({ stem, at });
  }
  return places;
}
