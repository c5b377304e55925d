import { jaccard, shinglesOf } from "../../../lib/text/shingles.ts";

/** From here on a review passes for a copy of another. */
export const DUPLICATE_FROM = 0.8;

/** Runs of three words of a text, in lower case without punctuation; of shorter texts the whole is the one run. */
export const runsOf = (text: string): ReadonlySet<string> =>
  shinglesOf(text.normalize("NFKC").match(/[\p{L}\p{N}']+/gu) ?? []);

/** The highest Jaccard similarity of a text to any of others, 0 to 1. */
export function similarityTo(text: string, others: readonly string[]): number {
  const own = runsOf(text);
  return own.size === 0 ? 0 : Math.max(0, ...others.map((other) => jaccard(own, runsOf(other))));
}
