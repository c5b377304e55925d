import type { Language } from "./model.ts";

export interface Keyword {
  /** Lower case, as it is written where it first occurs. */
  readonly text: string;
  readonly score: number;
  readonly count: number;
}

/** Longer runs are sentences rather than terms. */
const WORDS_MAX = 3;
/** Two words that occur together twice are a term; a single word says less. */
const REPEATS_MIN = 2;
const REPEATS_MIN_SINGLE = 3;

interface Found {
  readonly text: string;
  readonly stems: readonly string[];
  readonly place: number;
  count: number;
}

/**
 * Terms that a text repeats: up to three content words in a row, whatever their inflection. The score is the number of
 * occurrences times that of words (as in C-value, Frantzi et al. 2000, without its logarithm); a part of a longer term counts only
 * where it occurs outside of it. Best first; ties to the earlier one.
 */
export function keywordsOf(texts: readonly string[], language: Language, count = 10): Keyword[] {
  const found = new Map<string, Found>();
  for (const run of texts.flatMap((text) => runsOf(text, language))) {
    for (let start = 0; start < run.length; start += 1) {
      for (let end = start + 1; end <= Math.min(run.length, start + WORDS_MAX); end += 1) {
        const words = run.slice(start, end);
        const key = words.map(({ stem }) => stem).join(" ");
        const before = found.get(key);
        if (before !== undefined) before.count += 1;
        else {
          const text = words.map(({ word }) => word).join(" ");
          found.set(key, { text, stems: words.map(({ stem }) => stem), place: found.size, count: 1 });
        }
      }
    }
  }
  const terms = [...found.values()].filter(
    ({ stems, count: times }) => times >= (stems.length > 1 ? REPEATS_MIN : REPEATS_MIN_SINGLE),
  );
  const longer = new Map<string, number>();
  for (const { stems, count: times } of terms) {
    for (const part of partsOf(stems)) longer.set(part, Math.max(longer.get(part) ?? 0, times));
  }
  return terms
    .flatMap((term) => {
      const own = term.count - (longer.get(term.stems.join(" ")) ?? 0);
      const isTerm = own >= (longer.has(term.stems.join(" ")) ? REPEATS_MIN_SINGLE : 1);
      return isTerm ? [{ ...term, score: term.count * term.stems.length }] : [];
    })
    .sort((a, b) => b.score - a.score || a.place - b.place)
    .slice(0, count)
    .map(({ text, score, count: times }) => ({ text, score, count: times }));
}

/** Shorter runs inside a run. */
const partsOf = (stems: readonly string[]): string[] =>
  stems.flatMap((_, start) =>
    Array.from({ length: stems.length - start }, (__, size) =>
      stems.slice(start, start + size + 1).join(" "),
    ).filter((part) => part !== stems.join(" ")),
  );

interface Word {
  readonly word: string;
  readonly stem: string;
}

/** Content words in a row, in lower case. */
function runsOf(text: string, language: Language): Word[][] {
  const runs: Word[][] = [];
  // Words do not reach across punctuation, except inside a word (apostrophes, decimal points).
  for (const part of text.split(/[^\p{L}\p{N}\p{M}\s'’.-]+|\.(?=\s|$)|\s-+\s/u)) {
    let run: Word[] = [];
    for (const word of [...language.words(part), ""]) {
      const stem = word === "" ? null : language.stem(word);
      if (stem !== null && /\p{L}{2}/u.test(word)) {
        run.push({ word: word.toLocaleLowerCase(language.locale), stem });
        continue;
      }
      if (run.length > 0) runs.push(run);
      run = [];
    }
  }
  return runs;
}
