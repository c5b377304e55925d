import { keyphraseOf } from "./keyphrase.ts";
import type { Keyphrase } from "./keyphrase.ts";
import type { Language } from "./model.ts";

/** A direct answer: a sentence that covers most of a question, in the part of a text that contains 44 % of verified citations. */
export const DIRECT_ANSWER = { coverage: 0.6, words: { min: 8, max: 40 }, opening: 0.3 } as const;

/** Words of a paragraph that answers a question on its own: shorter it lacks its reasons, longer it is not quoted whole. */
export const ANSWER_WORDS = { min: 20, max: 80 } as const;

/** Whether a heading asks: it ends in a question mark, or opens as an English question does ("How do I store bread"). */
export function isQuestion(text: string, language: Language): boolean {
  const plain = text.trim();
  if (/[?？؟]$/u.test(plain) || (language.code === "el" && plain.endsWith(";"))) return true;
  return language.code === "en" && OPENING.test(plain);
}

// "How to …" and "What is …" ask; "Where we deliver" and "When bread sings" do not.
const OPENING =
  /^(?:how (?:to|much|many|long|often|far|do|does|did|can|should|is|are|will)|(?:what|which|why|when|where|who)(?:'s|’s)?\s(?:is|are|was|were|do|does|did|can|could|should|would|will|has|have|makes?)|what['’]s|why not)\b/i;

/** Words of English questions that answers do not repeat: "How long does it keep?" is answered by "it keeps". */
const ASKING =
  /\bhow (?:long|much|many|often|far|soon|big|old)\b|\b(?:do|does|did|can|could|should|shall|will|would|may|might|must|how|what|when|where|which|who|whom|whose|why)\b/gi;

/** The subject of a question; the whole question if nothing else is left of it. */
export function askedOf(question: string, language: Language): Keyphrase {
  const whole = keyphraseOf(question, language);
  if (language.code !== "en") return whole;
  const { stems } = keyphraseOf(question.replaceAll(ASKING, " "), language);
  return stems.length === 0 ? whole : { text: question, stems };
}
