import type { Histogram } from "../schema/aggregate.ts";

/** Weight of the store's mean for a target with few ratings (IMDb's form of a Bayesian mean). */
const PRIOR_WEIGHT = 10;
/** Below this number of ratings, a store has no meaningful mean. */
const STORE_RATINGS_MIN = 50;
const PRIOR_MEAN = 3.5;
/** One-sided 95 %. */
const Z = 1.645;

/** `sum / count` with `decimals`, rounded half up with integers; null for none. */
export function mean(sum: number, count: number, decimals: number): number | null {
  if (count === 0) return null;
  const scale = 10 ** decimals;
  return Math.floor((2 * sum * scale + count) / (2 * count)) / scale;
}

/** The prior of the ranking score: the mean of the store, once it has enough ratings. */
export const storeMean = ({
  rating_sum,
  rating_count,
}: {
  rating_sum: number;
  rating_count: number;
}): number => (rating_count < STORE_RATINGS_MIN ? PRIOR_MEAN : rating_sum / rating_count);

/** (C·m + Σr) / (C + n): for sorting products, never displayed as their rating. */
export const rankingScore = (sum: number, count: number, storeAverage: number): number =>
  round((PRIOR_WEIGHT * storeAverage + sum) / (PRIOR_WEIGHT + count));

/** Lower bound of the expected mean (Evan Miller, "Ranking items with star ratings"), 1 to 5. */
export function starLowerBound(histogram: Histogram): number {
  const count = histogram.reduce((all, own) => all + own, 0);
  const stars = histogram.length;
  const weigh = (power: number): number =>
    histogram.reduce((all, own, at) => all + ((at + 1) ** power * (own + 1)) / (count + stars), 0);
  const expected = weigh(1);
  return round(expected - Z * Math.sqrt((weigh(2) - expected ** 2) / (count + stars + 1)));
}

const round = (value: number): number => Math.round(value * 1e6) / 1e6;
