import { z } from "zod";

import { wilson } from "../../../lib/wilson.ts";
import type { BrandSums, Sums } from "../schema/tracking.ts";
import { noBrandSums } from "./tally.ts";

/** Figures over fewer cases are marked: their interval is too wide to act on. */
export const ENOUGH = 30;

export const Metric = z.strictObject({
  value: z.number().nullable().meta({ description: "Null if the denominator is 0, never 0" }),
  numerator: z.number(),
  denominator: z.number(),
  ci95: z
    .strictObject({ lower: z.number(), upper: z.number() })
    .nullable()
    .meta({ description: "Wilson interval; only for proportions" }),
  definition: z.string(),
  low_confidence: z.boolean().meta({ description: `True for fewer than ${ENOUGH} cases` }),
});
export type Metric = z.output<typeof Metric>;

interface Definition {
  readonly text: string;
  readonly of: (brand: BrandSums, all: Sums) => readonly [numerator: number, denominator: number];
  /** Factor of the quotient. Default: 1. */
  readonly scale?: number;
  /** Not a proportion: it has no Wilson interval. */
  readonly isMean?: true;
}

/**
 * The definition of every figure. Seven trackers reported 38 to 312 citations for one site in the same period because
 * each
 * defines the term differently, so each figure here states its numerator and denominator.
 */
const DEFINITIONS = {
  visibility: {
    text: "Answers that mention the brand / all answers",
    of: (brand, all) => [brand.answers, all.answers],
  },
  sov_answers: {
    text: "Answers that mention the brand / answers that mention any tracked brand",
    of: (brand, all) => [brand.answers, all.branded_answers],
  },
  sov_mentions: {
    text: "Mentions of the brand / mentions of all tracked brands; each occurrence of a name counts",
    of: (brand, all) => [brand.mentions, all.mentions],
  },
  citation_rate: {
    text: "Answers that cite a domain of the brand / answers with at least one citation",
    of: (brand, all) => [brand.cited_answers, all.cited_answers],
  },
  citation_rate_all: {
    text: "Answers that cite a domain of the brand / all answers",
    of: (brand, all) => [brand.cited_answers, all.answers],
  },
  citation_share: {
    text:
      "Pairs of an answer and a domain of the brand that it cites / all pairs of an answer and a domain that it cites; " +
      "several URLs of a domain count once per answer",
    of: (brand, all) => [brand.cited_pairs, all.pairs],
  },
  avg_position: {
    text: "Mean position of the brand among the brands in order of first mention, over answers that mention it; 1 is first",
    of: (brand) => [brand.order_sum, brand.answers],
    isMean: true,
  },
  first_mention_rate: {
    text: "Answers that mention the brand before any other tracked one / all answers",
    of: (brand, all) => [brand.first, all.answers],
  },
  sentiment: {
    text: "100 · (answers with positive sentiment for the brand + half of the neutral ones) / answers that mention it",
    of: (brand) => [brand.positive + brand.neutral / 2, brand.answers],
    scale: 100,
    isMean: true,
  },
  visibility_index: {
    text:
      "100 · √(appearances / answers) · (0.25 · citation quality + 0.75 · mention quality); an appearance is an answer " +
      "that mentions or cites the brand; quality is the mean over appearances of 1 / position of its first citation, " +
      "and of 1 / its position among the brands",
    of: (brand, all) => [indexNumerator(brand, all), all.answers === 0 ? 0 : 1],
    scale: 100,
    isMean: true,
  },
  pawc: {
    text:
      "Mean share of an answer's words in sentences that cite the brand, weighted by e^(−position / sentences) (GEO, " +
      "eq. 3), over answers with citations as [n]",
    of: (brand, all) => [brand.pawc, all.pawc_answers],
    isMean: true,
  },
} as const satisfies Readonly<Record<string, Definition>>;

export type MetricName = keyof typeof DEFINITIONS;
export const METRICS = [
  "visibility",
  "sov_answers",
  "sov_mentions",
  "citation_rate",
  "citation_rate_all",
  "citation_share",
  "avg_position",
  "first_mention_rate",
  "sentiment",
  "visibility_index",
  "pawc",
] as const satisfies readonly MetricName[];

export const definitionOf = (name: MetricName): string => DEFINITIONS[name].text;

/** One figure of a brand. Values are rounded to six decimals, so that the order of addition has no effect. */
export function metricOf(name: MetricName, sums: Sums, brandId: string): Metric {
  const definition: Definition = DEFINITIONS[name];
  const [numerator, denominator] = definition.of(sums.brands[brandId] ?? noBrandSums(), sums);
  const cases = name === "visibility_index" ? sums.answers : denominator;
  const isEmpty = denominator === 0;
  const interval = isEmpty || definition.isMean ? null : wilson(numerator, denominator);
  return {
    value: isEmpty ? null : round((numerator / denominator) * (definition.scale ?? 1)),
    numerator: round(numerator),
    denominator,
    ci95: interval === null ? null : { lower: round(interval.lower), upper: round(interval.upper) },
    definition: definition.text,
    low_confidence: cases < ENOUGH,
  };
}

/** All figures of a brand from sums. */
export const metricsOf = (sums: Sums, brandId: string): Record<MetricName, Metric> => ({
  visibility: metricOf("visibility", sums, brandId),
  sov_answers: metricOf("sov_answers", sums, brandId),
  sov_mentions: metricOf("sov_mentions", sums, brandId),
  citation_rate: metricOf("citation_rate", sums, brandId),
  citation_rate_all: metricOf("citation_rate_all", sums, brandId),
  citation_share: metricOf("citation_share", sums, brandId),
  avg_position: metricOf("avg_position", sums, brandId),
  first_mention_rate: metricOf("first_mention_rate", sums, brandId),
  sentiment: metricOf("sentiment", sums, brandId),
  visibility_index: metricOf("visibility_index", sums, brandId),
  pawc: metricOf("pawc", sums, brandId),
});

function indexNumerator(brand: BrandSums, all: Sums): number {
  if (all.answers === 0 || brand.appearances === 0) return 0;
  const quality = 0.25 * brand.citation_quality + 0.75 * brand.mention_quality;
  return Math.sqrt(brand.appearances / all.answers) * (quality / brand.appearances);
}

const round = (value: number): number => Math.round(value * 1e6) / 1e6;
