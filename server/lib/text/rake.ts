import type { Language } from "./model.ts";

export interface Keyword {
  /** Lower case, as it is written where it first occurs. */
  readonly text: string;
  readonly score: number;
  readonly count: number;
}

/** Longer runs are sentences rather than terms. */
const WORDS_MAX = 4;

/**
 * RAKE (Rose et al. 2010): runs of words between stop words and punctuation, each word weighed by degree over
 * frequency, each run by the sum of its words. Best first; ties to the more frequent, then the earlier one.
 */
export function keywordsOf(texts: readonly string[], language: Language, count = 10): Keyword[] {
  const phrases = texts.flatMap((text) => phrasesOf(text, language));
  const frequency = new Map<string, number>();
  const degree = new Map<string, number>();
  for (const phrase of phrases) {
    for (const word of phrase) {
      frequency.set(word, (frequency.get(word) ?? 0) + 1);
      degree.set(word, (degree.get(word) ?? 0) + phrase.length);
    }
  }
  const found = new Map<string, { score: number; count: number; place: number }>();
  for (const [place, phrase] of phrases.entries()) {
    const text = phrase.join(" ");
    const before = found.get(text);
    if (before !== undefined) {
      before.count += 1;
      continue;
    }
    const score = phrase.reduce((sum, word) => sum + (degree.get(word) ?? 0) / (frequency.get(word) ?? 1), 0);
    found.set(text, { score, count: 1, place });
  }
  return [...found]
    .sort(([, a], [, b]) => b.score - a.score || b.count - a.count || a.place - b.place)
    .slice(0, count)
    .map(([text, { score, count: times }]) => ({ text, score, count: times }));
}

function phrasesOf(text: string, language: Language): string[][] {
  const phrases: string[][] = [];
  // Words do not reach across punctuation, except inside a word (apostrophes, decimal points).
  for (const part of text.split(/[^\p{L}\p{N}\p{M}\s'’.-]+|\.(?=\s|$)|\s-+\s/u)) {
    let run: string[] = [];
    for (const word of [...language.words(part), ""]) {
      const isContent = word !== "" && language.stem(word) !== null && /\p{L}/u.test(word);
      if (isContent) {
        run.push(word.toLocaleLowerCase(language.locale));
        continue;
      }
      if (run.length > 0 && run.length <= WORDS_MAX) phrases.push(run);
      run = [];
    }
  }
  return phrases;
}
