/** Compared values: days since the last order (less is better), orders and spend of the last 24 months. */
export interface RfmFigures {
  readonly recency: number;
  readonly frequency: number;
  readonly monetary: number;
}

/** Minimum values that score 2, 3, 4 and 5; for recency the maximum. */
export interface RfmCuts {
  readonly members: number;
  readonly recency: readonly number[];
  readonly frequency: readonly number[];
  readonly monetary: readonly number[];
}

export const SEGMENTS = [
  "champions",
  "loyal",
  "potential_loyal",
  "new",
  "promising",
  "needs_attention",
  "about_to_sleep",
  "at_risk",
  "cant_lose",
  "hibernating",
] as const;
export type Segment = (typeof SEGMENTS)[number];

export interface Rfm {
  readonly r: number;
  readonly f: number;
  readonly m: number;
  readonly segment: Segment;
}

/**
 * The score thresholds of a population. The score of a value is 1 + ⌊5 · (members strictly worse) / N⌋, so members
 * with equal values have equal scores; four thresholds per value are sufficient, whatever the size of the store.
 */
export function rfmCuts(population: readonly RfmFigures[]): RfmCuts {
  return {
    members: population.length,
    // Negated, so that more is always better.
    recency: cutsOf(population.map(({ recency }) => -recency)).map((cut) => -cut),
    frequency: cutsOf(population.map(({ frequency }) => frequency)),
    monetary: cutsOf(population.map(({ monetary }) => monetary)),
  };
}

const SCORES = 5;

function cutsOf(values: readonly number[]): number[] {
  const sorted = Float64Array.from(values).sort();
  const cuts: number[] = [];
  let worse = 0;
  for (let at = 0; at < sorted.length; at += 1) {
    const value = sorted[at] ?? 0;
    if (at > 0 && value !== sorted[at - 1]) worse = at;
    const score = 1 + Math.floor((SCORES * worse) / sorted.length);
    while (cuts.length < score - 1) cuts.push(value);
  }
  return cuts;
}

/** Scores of a member; null without orders, and if the store is too small for meaningful scores. */
export function rfmOf(figures: RfmFigures | null, cuts: RfmCuts | null, minMembers: number): Rfm | null {
  if (figures === null || cuts === null || cuts.members < minMembers) return null;
  const r = 1 + cuts.recency.filter((cut) => figures.recency <= cut).length;
  const f = 1 + cuts.frequency.filter((cut) => figures.frequency >= cut).length;
  const m = 1 + cuts.monetary.filter((cut) => figures.monetary >= cut).length;
  return { r, f, m, segment: GRID[r - 1]?.[f - 1] ?? "hibernating" };
}

/** By recency (rows 1 to 5) and frequency (columns 1 to 5). */
const GRID: readonly (readonly Segment[])[] = [
  ["hibernating", "hibernating", "at_risk", "at_risk", "cant_lose"],
  ["hibernating", "hibernating", "at_risk", "at_risk", "cant_lose"],
  ["about_to_sleep", "about_to_sleep", "needs_attention", "loyal", "loyal"],
  ["promising", "potential_loyal", "potential_loyal", "loyal", "loyal"],
  ["new", "potential_loyal", "potential_loyal", "champions", "champions"],
];
