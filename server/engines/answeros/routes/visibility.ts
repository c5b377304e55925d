import { z } from "zod";

import { invalidParameter } from "../../../lib/errors.ts";
import { addDays } from "../../../lib/local-time.ts";
import { defineRoute, ok } from "../../../core/route.ts";
import { Id, LocalDate } from "../../../core/schema.ts";
import type { Tx } from "../../../core/tx.ts";
import { brands, prompts } from "../repository.ts";
import { Metric, metricsOf } from "../rules/metrics.ts";
import { noSums } from "../rules/tally.ts";
import { WindowQuery } from "../schema.ts";
import { EngineName, Prompt } from "../schema/tracking.ts";
import type { Brand } from "../schema/tracking.ts";
import { IDS } from "./examples.ts";
import { windowOf } from "./parts.ts";
import { extractionOf, readAggregates, sumUp } from "./read-sums.ts";
import type { AggregateFilter } from "./read-sums.ts";

const Metrics = z.strictObject({
  visibility: Metric,
  sov_answers: Metric.optional(),
  sov_mentions: Metric.optional(),
  citation_rate: Metric,
  citation_rate_all: Metric,
  citation_share: Metric,
  avg_position: Metric,
  first_mention_rate: Metric,
  sentiment: Metric,
  visibility_index: Metric,
  pawc: Metric,
});
type Metrics = z.output<typeof Metrics>;

const Row = z.strictObject({
  brand_id: Id,
  name: z.string(),
  own: z.boolean(),
  metrics: Metrics,
  previous: Metrics.nullable().meta({
    description: "The same metric for the preceding period; null unless requested",
  }),
});
const Extracted = z.strictObject({
  version: z.int().meta({ description: "Revision of the brands" }),
  is_current: z.boolean().meta({ description: "False while a job is recomputing stored answers" }),
});
const Visibility = z.strictObject({
  from: LocalDate,
  to: LocalDate,
  answers: z.int(),
  previous: z.strictObject({ from: LocalDate, to: LocalDate, answers: z.int() }).nullable(),
  brands: z.array(Row).meta({ description: "The store's own brand first" }),
  extraction: Extracted,
});

const exampleMetric = {
  value: 0.6,
  numerator: 3,
  denominator: 5,
  ci95: { lower: 0.230724, upper: 0.882379 },
  definition: "Answers that mention the brand / all answers",
  low_confidence: true,
};

const getVisibility = defineRoute({
  id: "answeros.visibility.get",
  method: "GET",
  path: "/visibility",
  summary: "Show the visibility of brands in answers",
  description:
    "Every metric has its numerator, denominator, definition and, for a proportion, its 95 % Wilson interval; null " +
    "if the denominator is 0. Only one version of a prompt is counted: prompt_version. Default: the newest. At most " +
    "92 days.",
  query: z.object({
    ...WindowQuery,
    brand_id: Id.optional().meta({ description: "One brand. Default: all" }),
    engine: EngineName.optional(),
    topic: Prompt.shape.topic.optional(),
    prompt_id: Id.optional().meta({ description: "Cannot be combined with topic" }),
    prompt_version: z.coerce.number().pipe(z.int().positive()).optional(),
    compare: z.literal("previous").optional(),
    definition: z
      .enum(["answers", "mentions"])
      .optional()
      .meta({ description: "Share of voice by answers or by mentions. Default: both" }),
  }),
  data: Visibility,
  example: {
    query: { from: "2026-05-25", to: "2026-06-01" },
    data: {
      from: "2026-05-25",
      to: "2026-06-01",
      answers: 5,
      previous: null,
      brands: [
        {
          brand_id: IDS.brand,
          name: "Crumb",
          own: true,
          metrics: {
            visibility: exampleMetric,
            sov_answers: exampleMetric,
            sov_mentions: exampleMetric,
            citation_rate: exampleMetric,
            citation_rate_all: exampleMetric,
            citation_share: exampleMetric,
            avg_position: { ...exampleMetric, ci95: null },
            first_mention_rate: exampleMetric,
            sentiment: { ...exampleMetric, ci95: null },
            visibility_index: { ...exampleMetric, ci95: null },
            pawc: { ...exampleMetric, ci95: null },
          },
          previous: null,
        },
      ],
      extraction: { version: 3, is_current: true },
    },
  },
  handle: async ({ query }, { tx, now }) => {
    if (query.prompt_id !== undefined && query.topic !== undefined) {
      throw invalidParameter("topic", "Cannot be combined with prompt_id.");
    }
    const { from, to, days } = windowOf(query, now);
    const filters = { ...query, version: await versionOf(tx, query) };
    const sums = await sumsOfWindow(tx, { ...filters, from, to });
    const before = { from: addDays(from, -days), to: addDays(from, -1) };
    const earlier = query.compare === undefined ? null : await sumsOfWindow(tx, { ...filters, ...before });
    const tracked = (await tx.peekAll(brands)).map(({ value }) => value);
    const shown = tracked.filter(({ id }) => query.brand_id === undefined || id === query.brand_id);
    if (query.brand_id !== undefined && shown.length === 0)
      throw invalidParameter("brand_id", "No brand with this id.");
    const of = (brand: Brand, all: typeof sums): Metrics =>
      chosen(metricsOf(all, brand.id), query.definition);
    return ok({
      from,
      to,
      answers: sums.answers,
      previous: earlier === null ? null : { ...before, answers: earlier.answers },
      brands: shown.sort(ownFirst).map((brand) => ({
        brand_id: brand.id,
        name: brand.name,
        own: brand.own,
        metrics: of(brand, sums),
        previous: earlier === null ? null : of(brand, earlier),
      })),
      extraction: await extractionOf(tx),
    });
  },
});

interface VisibilityFilter extends Omit<AggregateFilter, "kind"> {
  readonly version: number | null;
}

async function sumsOfWindow(tx: Tx, { version, ...filters }: VisibilityFilter) {
  if (filters.prompt_id === undefined) return sumUp(await readAggregates(tx, { ...filters, kind: "topic" }));
  const aggregates = await readAggregates(tx, { ...filters, kind: "prompt" });
  const ofVersion = aggregates.filter(({ prompt_version: one }) => one === version);
  return ofVersion.length === 0 ? noSums() : sumUp(ofVersion);
}

/** The counted version of the prompt: series of two texts are never combined. */
async function versionOf(
  tx: Tx,
  query: { readonly prompt_id?: string | undefined; readonly prompt_version?: number | undefined },
): Promise<number | null> {
  if (query.prompt_id === undefined) {
    if (query.prompt_version !== undefined) throw invalidParameter("prompt_version", "Requires prompt_id.");
    return null;
  }
  const prompt = await tx.get(prompts, query.prompt_id);
  if (prompt === null) throw invalidParameter("prompt_id", "No prompt with this id.");
  return query.prompt_version ?? prompt.value.prompt_version;
}

function chosen(all: ReturnType<typeof metricsOf>, definition: "answers" | "mentions" | undefined): Metrics {
  const { sov_answers, sov_mentions, ...rest } = all;
  return {
    ...rest,
    ...(definition === "mentions" ? {} : { sov_answers }),
    ...(definition === "answers" ? {} : { sov_mentions }),
  };
}

const ownFirst = (a: Brand, b: Brand): number => Number(b.own) - Number(a.own) || (a.name < b.name ? -1 : 1);

export const visibilityRoutes = [getVisibility];
