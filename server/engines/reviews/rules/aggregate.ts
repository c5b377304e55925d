import type { Review } from "../schema.ts";
import type {
  AttributeStats,
  Histogram,
  numberFields,
  Stats,
  TargetStats,
  Totals,
} from "../schema/aggregate.ts";
import type { z } from "zod";
import { isShowable } from "./json-ld.ts";

export const NO_STARS: Histogram = [0, 0, 0, 0, 0];
export const NO_STATS: Stats = {
  rating_count: 0,
  review_count: 0,
  rating_sum: 0,
  histogram: NO_STARS,
  verified_count: 0,
  recommend_yes: 0,
  recommend_no: 0,
  incentivised_count: 0,
};

/** Contribution of a review to the sums of its target and store: none unless it is published. */
export function statsOf(review: Review | null): Stats {
  if (review === null || review.status !== "published") return NO_STATS;
  const { level } = review.verification;
  return {
    rating_count: 1,
    review_count: review.body === "" ? 0 : 1,
    rating_sum: review.rating,
    histogram: starOf(review.rating),
    verified_count: level === "verified_buyer" || level === "verified_purchase" ? 1 : 0,
    recommend_yes: review.recommends === true ? 1 : 0,
    recommend_no: review.recommends === false ? 1 : 0,
    incentivised_count: review.incentive.type === "none" ? 0 : 1,
  };
}

/** The same for reviews that are not on the product's page: markup must not count them. */
export const elsewhereOf = (review: Review | null): Stats =>
  review === null || isShowable(review) ? NO_STATS : statsOf(review);

/** One in the place of a star. */
export const starOf = (rating: number): Histogram => [
  rating === 1 ? 1 : 0,
  rating === 2 ? 1 : 0,
  rating === 3 ? 1 : 0,
  rating === 4 ? 1 : 0,
  rating === 5 ? 1 : 0,
];

export const addStars = (a: Histogram, b: Histogram, sign: 1 | -1): Histogram => [
  a[0] + sign * b[0],
  a[1] + sign * b[1],
  a[2] + sign * b[2],
  a[3] + sign * b[3],
  a[4] + sign * b[4],
];

/** Adds or subtracts sums. */
export const addStats = (a: Stats, b: Stats, sign: 1 | -1): Stats => ({
  rating_count: a.rating_count + sign * b.rating_count,
  review_count: a.review_count + sign * b.review_count,
  rating_sum: a.rating_sum + sign * b.rating_sum,
  histogram: addStars(a.histogram, b.histogram, sign),
  verified_count: a.verified_count + sign * b.verified_count,
  recommend_yes: a.recommend_yes + sign * b.recommend_yes,
  recommend_no: a.recommend_no + sign * b.recommend_no,
  incentivised_count: a.incentivised_count + sign * b.incentivised_count,
});

/** Countable answers of a review: none unless it is published. */
export function attributesOf(review: Review | null): AttributeStats {
  if (review === null || review.status !== "published") return {};
  return Object.fromEntries(
    Object.entries(review.attributes).map(([key, value]): [string, AttributeStats[string]] => [
      key,
      typeof value === "number"
        ? { count: 1, sum: value, options: {} }
        : { count: 1, sum: 0, options: { [value]: 1 } },
    ]),
  );
}

/** The same for answers; empty counts are removed, and the keys are sorted. */
export function addAttributes(a: AttributeStats, b: AttributeStats, sign: 1 | -1): AttributeStats {
  const [before, more] = [new Map(Object.entries(a)), new Map(Object.entries(b))];
  const keys = [...new Set([...before.keys(), ...more.keys()])].sort();
  return Object.fromEntries(
    keys.flatMap((key): [string, AttributeStats[string]][] => {
      const left = before.get(key) ?? NO_ANSWERS;
      const right = more.get(key) ?? NO_ANSWERS;
      const count = left.count + sign * right.count;
      if (count === 0) return [];
      return [
        [
          key,
          { count, sum: left.sum + sign * right.sum, options: addOptions(left.options, right.options, sign) },
        ],
      ];
    }),
  );
}

const NO_ANSWERS = { count: 0, sum: 0, options: {} };

function addOptions(
  a: Readonly<Record<string, number>>,
  b: Readonly<Record<string, number>>,
  sign: 1 | -1,
): Record<string, number> {
  // An option may have the name of a member of every object.
  const sums = new Map(Object.entries(a));
  for (const [name, count] of Object.entries(b)) sums.set(name, (sums.get(name) ?? 0) + sign * count);
  return Object.fromEntries(
    [...sums].filter(([, count]) => count !== 0).sort(([x], [y]) => (x < y ? -1 : 1)),
  );
}

type Numbers = z.output<z.ZodObject<typeof numberFields>>;

/** The displayed numbers. The average is the arithmetic mean of published ratings; weighted values have other names. */
export function numbersOf(stats: Stats, totals: Pick<Totals, "stats">): Numbers {
  const { rating_count: count, rating_sum: sum, histogram } = stats;
  const answered = stats.recommend_yes + stats.recommend_no;
  return {
    rating_count: count,
    review_count: stats.review_count,
    histogram: {
      "1": histogram[0],
      "2": histogram[1],
      "3": histogram[2],
      "4": histogram[3],
      "5": histogram[4],
    },
    rating_sum: sum,
    rating_mean: mean(sum, count, 4),
    rating_value: mean(sum, count, 1),
    verified_share: mean(stats.verified_count, count, 4),
    recommended_share: mean(stats.recommend_yes, answered, 4),
    incentivised_share: mean(stats.incentivised_count, count, 4),
    ranking_score: rankingScore(sum, count, storeMean(totals.stats)),
    star_lower_bound: count === 0 ? null : starLowerBound(histogram),
  };
}

/** Averages and options of custom attributes. */
export const shownAttributes = (attributes: AttributeStats) =>
  Object.fromEntries(
    Object.entries(attributes).map(([key, { count, sum, options }]) => [
      key,
      { count, average: Object.keys(options).length > 0 ? null : mean(sum, count, 2), options },
    ]),
  );

/** Whether two records of a target are equal. */
export const sameStats = (a: TargetStats, b: TargetStats): boolean =>
  JSON.stringify(tidy(a)) === JSON.stringify(tidy(b));

const tidy = ({ id, target, stats, elsewhere, attributes, last_published_at }: TargetStats) => ({
  id,
  target: [target.type, target.id],
  stats: addStats(NO_STATS, stats, 1),
  elsewhere: addStats(NO_STATS, elsewhere ?? NO_STATS, 1),
  attributes: addAttributes({}, attributes, 1),
  last_published_at,
});

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
