import type { AiInput } from "../../core/ai.ts";
import { allergenSentences } from "../../lib/text/facts.ts";
import { coverage, keyphraseOf } from "../../lib/text/keyphrase.ts";
import type { TextModel } from "../../lib/text/model.ts";
import type { Made } from "./made.ts";

/** Share of the question's stems that a passage must hold: below it, saying nothing is the better answer. */
const COVERAGE_MIN = 0.34;

/**
 * The sentences of the passage that best covers the question, word for word. Nothing where no passage does. A sentence
 * about allergens is never left out of the passage that is quoted.
 */
export function answer({ question, passages, text, count = 2 }: AiInput, { language }: TextModel): Made {
  const asked = keyphraseOf(question ?? text, language);
  const isBare = question === undefined || question === text;
  const offered = passages ?? (isBare ? [] : [{ id: "text", text }]);
  const ranked = offered
    .map((passage, place) => ({ ...passage, place, score: coverage(asked, language.stems(passage.text)) }))
    .sort((a, b) => b.score - a.score || a.place - b.place);
  const [best] = ranked;
  if (best === undefined || best.score < COVERAGE_MIN) return { text: "", items: [] };
  const sentences = language.sentences(best.text);
  const locked = new Set(allergenSentences(sentences));
  const places = sentences
    .map((sentence, place) => ({ place, score: coverage(asked, language.stems(sentence)) }))
    .sort((a, b) => b.score - a.score || a.place - b.place)
    .slice(0, count)
    .map(({ place }) => place);
  const chosen = sentences.filter((sentence, place) => places.includes(place) || locked.has(sentence));
  return { text: chosen.join(" "), items: [{ text: chosen.join(" "), score: best.score, origin: best.id }] };
}
