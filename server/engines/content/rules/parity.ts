import type { Check } from "../schema/score.ts";

/**
 * Published formulas of another analyser, so that a store that used it can compare. They are facts about its
 * arithmetic; none of its code is used.
 */

/** Mean of points out of nine in percent; single scores may be far below zero. */
export const meanOfNine = (points: readonly number[]): number =>
  points.length === 0
    ? 0
    : Math.round((100 * points.reduce((sum, one) => sum + one, 0)) / (9 * points.length));

const NINE = { good: 9, ok: 6, bad: 3 } as const;
/** Points for a density of more than 4. */
const STUFFED = -50;

/** Our checks in points on that scale. */
export const pointsOf = (checks: readonly Check[], density: number | null): number[] =>
  checks.flatMap(({ id, status }) => {
    if (status === "na") return [];
    return [id === "k3" && density !== null && density > 4 ? STUFFED : NINE[status]];
  });

/**
 * Languages for which that analyser has all of its reading checks; for others a bad one counts more and fewer are
 * tolerated.
 */
const FULL = new Set(["en", "de", "fr", "es", "it", "nl", "pt", "pl", "sv", "ru"]);

/**
 * Readability by penalties: bad 3 (4 for partly supported languages), ok 2; more than 6 (4) is 30, more than 4 (2) is
 * 60.
 */
export function readingPenalty(checks: readonly Check[], language: string): 30 | 60 | 90 {
  const isFull = FULL.has(language);
  const penalty = checks.reduce((sum, { status }) => {
    if (status === "bad") return sum + (isFull ? 3 : 4);
    return sum + (status === "ok" ? 2 : 0);
  }, 0);
  const [poor, fair] = isFull ? [6, 4] : [4, 2];
  return penalty > poor ? 30 : penalty > fair ? 60 : 90;
}
