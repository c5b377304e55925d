import { z } from "zod";

import { Id, Instant } from "../../../core/schema.ts";
import { Target } from "./parts.ts";

const Count = z.int().nonnegative();

/** Reviews per star, one star first. */
export const Histogram = z.tuple([Count, Count, Count, Count, Count]);
export type Histogram = z.output<typeof Histogram>;

/**
 * Sums over published reviews, from which every average is computed. Integers, so that addition and subtraction are
 * exact.
 */
export const Stats = z.strictObject({
  rating_count: Count,
  /** Reviews with a text. */
  review_count: Count,
  rating_sum: Count,
  histogram: Histogram,
  verified_count: Count,
  recommend_yes: Count,
  recommend_no: Count,
  incentivised_count: Count,
});
export type Stats = z.output<typeof Stats>;

/** Answers to custom attributes. */
export const AttributeStats = z.record(
  z.string(),
  z.strictObject({ count: Count, sum: z.int(), options: z.record(z.string(), Count) }),
);
export type AttributeStats = z.output<typeof AttributeStats>;

/** Updated in the commit of every change, one document per target. */
export const TargetStats = z.strictObject({
  id: Id,
  target: Target,
  stats: Stats,
  /** Of these, reviews from another system that are not on the product's own page: excluded from its markup. */
  elsewhere: Stats.optional(),
  attributes: AttributeStats,
  last_published_at: Instant.nullable(),
});
export type TargetStats = z.output<typeof TargetStats>;

/** The same over the whole store, with the number of reviews per status. */
export const Totals = z.strictObject({
  id: Id,
  stats: Stats,
  statuses: z.record(z.string(), Count),
});
export type Totals = z.output<typeof Totals>;

/** Decisions of a day (UTC) that are in effect, by rating: the source of the suppression report. */
export const DayTally = z.strictObject({
  id: Id,
  published: Histogram,
  rejected: Histogram,
  spam: Histogram,
  removed: Histogram,
});
export type DayTally = z.output<typeof DayTally>;

const Share = z.number().min(0).max(1).nullable();

/** The numbers of one target or group, as returned. */
export const numberFields = {
  rating_count: Count.meta({ description: "Published ratings" }),
  review_count: Count.meta({ description: "Published ratings with a text" }),
  histogram: z.strictObject({ "1": Count, "2": Count, "3": Count, "4": Count, "5": Count }),
  rating_sum: Count,
  rating_mean: z.number().nullable().meta({ description: "Arithmetic mean with four decimals" }),
  rating_value: z
    .number()
    .nullable()
    .meta({ description: "The mean rounded half up to one decimal: the number to display" }),
  verified_share: Share,
  recommended_share: Share.meta({ description: "Share of those who answered" }),
  incentivised_share: Share,
  ranking_score: z.number().meta({ description: "For sorting products, never to be displayed as a rating" }),
  star_lower_bound: z.number().nullable(),
};

export const Aggregate = z.strictObject({
  target: Target,
  ...numberFields,
  attributes: z.record(
    z.string(),
    z.strictObject({
      count: Count,
      average: z.number().nullable().meta({ description: "Mean of a scale with two decimals" }),
      options: z.record(z.string(), Count),
    }),
  ),
  last_published_at: Instant.nullable(),
  group_id: Id.nullable(),
});
export type Aggregate = z.output<typeof Aggregate>;
