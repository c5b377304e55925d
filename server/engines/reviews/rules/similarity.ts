import { jaccard, shinglesOf } from "../../../lib/text/shingles.ts";

/** Similarity from which a review counts as a copy of another. */
export const DUPLICATE_FROM = 0.8;

/** Three-word shingles of a text in lower case without punctuation; a shorter text is one shingle. */
export const runsOf = (text: string): ReadonlySet<string> =>
  shinglesOf(text.normalize("NFKC").match(/[\p{L}\p{N}']+/gu) ?? []);

/** The highest Jaccard similarity of a text to any other, 0 to 1. */
export function similarityTo(text: string, others: readonly string[]): number {
  const own = runsOf(text);
  return own.size === 0 ? 0 : Math.max(0, ...others.map((other) => jaccard(own, runsOf(other))));
}
