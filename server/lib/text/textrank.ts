import { commonOf } from "./shingles.ts";

const DAMPING = 0.85;
const ROUNDS_MAX = 100;
const CLOSE_ENOUGH = 1e-6;
/** The work grows with the square of it; later parts of a text are not weighed. */
const SENTENCES_MAX = 500;

/**
 * TextRank over sentences (Mihalcea and Tarau 2004): how much each is like the others, as a vote. `stems` are the stems
 * of each sentence; scores come in the same order. Sentences beyond the five-hundredth get 0.
 */
export function rankSentences(stems: readonly (readonly string[])[]): number[] {
  const sets = stems.slice(0, SENTENCES_MAX).map((own) => new Set(own));
  const count = sets.length;
  const weights = sets.map((left, i) => sets.map((right, j) => (i === j ? 0 : likeness(left, right))));
  const sums = weights.map((row) => row.reduce((sum, weight) => sum + weight, 0));
  let scores = sets.map(() => 1 / count);
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const next = scores.map((_, i) => {
      let votes = 0;
      for (let j = 0; j < count; j += 1) {
        const weight = weights[j]?.[i] ?? 0;
        if (weight > 0) votes += ((scores[j] ?? 0) * weight) / (sums[j] ?? 1);
      }
      return (1 - DAMPING) / count + DAMPING * votes;
    });
    const moved = Math.max(0, ...next.map((score, i) => Math.abs(score - (scores[i] ?? 0))));
    scores = next;
    if (moved < CLOSE_ENOUGH) break;
  }
  return [...scores, ...stems.slice(SENTENCES_MAX).map(() => 0)];
}

/** Places of the `count` best scores, ties to the earlier one, in reading order. */
export function bestPlaces(scores: readonly number[], count: number): number[] {
  return scores
    .map((score, place) => ({ score, place }))
    .sort((a, b) => b.score - a.score || a.place - b.place)
    .slice(0, count)
    .map(({ place }) => place)
    .sort((a, b) => a - b);
}

function likeness(left: ReadonlySet<string>, right: ReadonlySet<string>): number {
  if (left.size < 2 || right.size < 2) return 0;
  return commonOf(left, right) / (Math.log(left.size) + Math.log(right.size));
}
