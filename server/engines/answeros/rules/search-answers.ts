import type MiniSearch from "minisearch";

import type { Language } from "../../../lib/text/model.ts";

/** An indexed approved question and answer. */
export interface Entry {
  readonly id: string;
  readonly text: string;
  readonly answer: string;
}

/** Searches answers. Created once per set of entries; a question that consists of stop words matches nothing. */
export interface AnswerIndex {
  readonly find: (question: string, limit: number) => readonly Hit[];
}

export interface Hit {
  readonly id: string;
  /** BM25+; only comparable within one search. */
  readonly score: number;
  /** Share of the query's words in the question or answer, 0 to 1. */
  readonly coverage: number;
  /** The sentence of the answer that matches best. */
  readonly passage: string;
}

/** Words of the question have more weight than those of the answer. */
const BOOST = { text: 2, answer: 1 };
/** Below this coverage the best match is irrelevant. */
export const COVERED_FROM = 0.5;

/** Builds the index. `Engine` is the class of minisearch, injected so that it is loaded on first use. */
export function indexAnswers(
  entries: readonly Entry[],
  language: Language,
  Engine: typeof MiniSearch,
): AnswerIndex {
  const index = new Engine<Entry>({
    fields: ["text", "answer"],
    tokenize: (text) => language.stems(text),
    processTerm: (term) => term,
  });
  index.addAll(entries);
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  return {
    find(question, limit) {
      const stems = [...new Set(language.stems(question))];
      if (stems.length === 0) return [];
      const hits = index.search(question, { boost: BOOST, combineWith: "OR" });
      return hits
        .flatMap(({ id, score, queryTerms }) => {
          const entry = byId.get(String(id));
          if (entry === undefined) return [];
          return [
            {
              id: entry.id,
              score: Math.round(score * 1e6) / 1e6,
              coverage: Math.round((new Set(queryTerms).size / stems.length) * 1e6) / 1e6,
              passage: bestSentence(entry.answer, stems, language),
            },
          ];
        })
        .sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1))
        .slice(0, limit);
    },
  };
}

/** The sentence with most of the query's stems; of two, the earlier one. */
function bestSentence(answer: string, wantedStems: readonly string[], language: Language): string {
  const scored = language.sentences(answer).map((sentence, place) => {
    const stems = new Set(language.stems(sentence));
    return { sentence, place, count: wantedStems.filter((stem) => stems.has(stem)).length };
  });
  return scored.sort((a, b) => b.count - a.count || a.place - b.place)[0]?.sentence ?? answer;
}
