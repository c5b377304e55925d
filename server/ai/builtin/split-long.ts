import type { Language } from "../../lib/text/model.ts";
import { upperFirst } from "./titles.ts";

const WORDS_MAX = 25;
/** Shorter halves read worse than the whole. */
const WORDS_MIN = 4;

/** After ", and" a new clause begins with its own subject; "flour, water, and salt" is none. */
const JOINTS =
  /; |, (?:and|but) (?=(?:I|we|you|he|she|it|they|this|that|these|those|there|our|your|their|the|a|an)\b)|, which (?=(?:is|are|was|were|has|have|can|will|makes?|means?|gives?|keeps?|takes?)\b)/gi;

/**
 * Splits a sentence of more than 25 words at the joint nearest to its middle ("; ", ", and", ", but", ", which" before a
 * clause), and its halves again; one without a joint stays whole.
 */
export function splitLong(sentence: string, language: Language): string {
  if (language.words(sentence).length <= WORDS_MAX) return sentence;
  const joints = [...sentence.matchAll(JOINTS)]
    .map((match) => ({ match, off: Math.abs(match.index - sentence.length / 2) }))
    .sort((a, b) => a.off - b.off);
  for (const { match } of joints) {
    const joint = match[0];
    const left = sentence.slice(0, match.index);
    const rest = sentence.slice(match.index + joint.length);
    const right = beginRight(joint, rest);
    const isEnough = [left, right].every((half) => language.words(half).length >= WORDS_MIN);
    if (isEnough) return `${splitLong(`${left}.`, language)} ${splitLong(right, language)}`;
  }
  return sentence;
}

function beginRight(joint: string, rest: string): string {
  if (/but/i.test(joint)) return `But ${rest}`;
  return /which/i.test(joint) ? `${pronounFor(rest)} ${rest}` : upperFirst(rest);
}

/** "which are made" goes on as "These are made", "which is made" as "This is made". */
const pronounFor = (rest: string): string =>
  /^(?:are|were|have|make|mean|give|keep|take)\b/i.test(rest) ? "These" : "This";
