import type { Histogram } from "../schema/aggregate.ts";

/** How strongly the store's mean pulls at a target with few ratings (IMDB's form of a Bayesian mean). */
const PRIOR_WEIGHT = 10;
/** Below so many ratings a store has no mean of its own worth the name. */
const STORE_RATINGS_MIN = 50;
const PRIOR_MEAN = 3.5;
/** One-sided 95 %. */
const Z = 1.645;

/** `sum / count` to `decimals`, half up, by whole numbers; null for none. */
export function mean(sum: number, count: number, decimals: number): number | null {
  if (count === 0) return null;
  const scale = 10 ** decimals;
  return Math.floor((2 * sum * scale + count) / (2 * count)) / scale;
}

/** What the ranking score of a target leans towards: the mean of the store, once it has enough ratings. */
export const storeMean = ({
  rating_sum,
  rating_count,
}: {
  rating_sum: number;
  rating_count: number;
}): number => (rating_count < STORE_RATINGS_MIN ? PRIOR_MEAN : rating_sum / rating_count);

/** (C·m + Σr) / (C + n): for the order of products, never shown as their rating. */
export const rankingScore = (sum: number, count: number, storeAverage: number): number =>
  round((PRIOR_WEIGHT * storeAverage + sum) / (PRIOR_WEIGHT + count));

/** Lower bound of the mean that is to be expected (Evan Miller, "Ranking items with star ratings"), 1 to 5. */
export function starLowerBound(histogram: Histogram): number {
  const count = histogram.reduce((all, own) => all + own, 0);
  const stars = histogram.length;
  const weigh = (power: number): number =>
    histogram.reduce((all, own, at) => all + ((at + 1) ** power * (own + 1)) / (count + stars), 0);
  const expected = weigh(1);
  return round(expected - Z * Math.sqrt((weigh(2) - expected ** 2) / (count + stars + 1)));
}

const round = (value: number): number => Math.round(value * 1e6) / 1e6;
