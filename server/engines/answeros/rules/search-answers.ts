import type MiniSearch from "minisearch";

import { giveWay } from "../../../lib/slices.ts";
import type { Language } from "../../../lib/text/model.ts";

/** An indexed approved question and answer. */
export interface Entry {
  readonly id: string;
  readonly text: string;
  readonly answer: string;
}

/**
 * Searches answers, with pauses; `key`: for whom. Created once per set of entries; a question that consists of stop words matches
 * nothing.
 */
export interface AnswerIndex {
  readonly find: (question: string, limit: number, key: string) => Promise<readonly Hit[]>;
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

/** Builds the index, with pauses: a long answer takes some milliseconds. `key`: for whom. `Engine` is the class of minisearch, injected so that it is loaded on first use. */
export async function indexAnswers(
  entries: readonly Entry[],
  { language, Engine, key }: { language: Language; Engine: typeof MiniSearch; key: string },
): Promise<AnswerIndex> {
  const index = new Engine<Entry>({
    fields: ["text", "answer"],
    tokenize: (text) => language.stems(text),
    processTerm: (term) => term,
  });
  for (const entry of entries) {
    await giveWay(key);
    index.add(entry);
  }
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  return {
    async find(question, limit, caller) {
      const terms = language.stems(question);
      const stems = [...new Set(terms)];
      const best = [...(await matchesOf(index, terms, caller))]
        .map(([id, { score, stems: matched }]) => ({
          id,
          score: roundTo6(score * matched.size),
          coverage: roundTo6(matched.size / stems.length),
        }))
        .sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1))
        .slice(0, limit);
      const hits: Hit[] = [];
      for (const hit of best) {
        await giveWay(caller);
        const answer = byId.get(hit.id)?.answer ?? "";
        hits.push({ ...hit, passage: bestSentence(answer, stems, language) });
      }
      return hits;
    },
  };
}

interface Match {
  score: number;
  readonly stems: Set<string>;
}

/** What any of the stems is in. One search for each, with pauses: all in one take as long as there are long answers. */
async function matchesOf(
  index: MiniSearch<Entry>,
  stems: readonly string[],
  key: string,
): Promise<ReadonlyMap<string, Match>> {
  const matches = new Map<string, Match>();
  for (const stem of stems) {
    await giveWay(key);
    for (const { id, score } of index.search(stem, { boost: BOOST, tokenize: (text) => [text] })) {
      const match = matches.get(String(id)) ?? { score: 0, stems: new Set() };
      match.score += score;
      match.stems.add(stem);
      matches.set(String(id), match);
    }
  }
  return matches;
}

const roundTo6 = (value: number): number => Math.round(value * 1e6) / 1e6;

/** The sentence with most of the query's stems; of two, the earlier one. */
function bestSentence(answer: string, wantedStems: readonly string[], language: Language): string {
  const scored = language.sentences(answer).map((sentence, place) => {
    const stems = new Set(language.stems(sentence));
    return { sentence, place, count: wantedStems.filter((stem) => stems.has(stem)).length };
  });
  return scored.sort((a, b) => b.count - a.count || a.place - b.place)[0]?.sentence ?? answer;
}
