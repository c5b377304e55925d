import { composed } from "../../../lib/text/marks.ts";
import { jaccard, shinglesOf } from "../../../lib/text/shingles.ts";

/** Similarity from which a review counts as a copy of another. */
export const DUPLICATE_FROM = 0.8;

/** Three-word shingles of a text in lower case without punctuation; a shorter text is one shingle. */
export const runsOf = (text: string): ReadonlySet<string> =>
  shinglesOf(composed(text, "NFKC").match(/[\p{L}\p{N}']+/gu) ?? []);

/** Of shorter texts two customers write the same, such as "Very good". */
const RUNS_MIN = 3;

/** Jaccard similarity of the shingles of a text to another text, 0 to 1; 0 for a text that is too short to be a copy. */
export const similarityTo = (own: ReadonlySet<string>, other: string): number =>
  own.size < RUNS_MIN ? 0 : jaccard(own, runsOf(other));
