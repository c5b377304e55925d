import { z } from "zod";

import { invalidParameter } from "../../../lib/errors.ts";
import { addDays } from "../../../lib/local-time.ts";
import { ok } from "../../../core/reply.ts";
import { defineRoute } from "../../../core/route.ts";
import { Id, LocalDate } from "../../../core/schema.ts";
import type { Tx } from "../../../core/tx.ts";
import { brands, prompts } from "../repository.ts";
import { definitionOf, Metric, metricOf, METRICS, metricsOf } from "../rules/metrics.ts";
import { splitDays } from "../rules/split-days.ts";
import { WindowQuery } from "../schema.ts";
import { Prompt } from "../schema/tracking.ts";
import type { Aggregate, Brand } from "../schema/tracking.ts";
import { windowOf } from "./parts.ts";
import { EnginesQuery, extractionOf, readAggregates, sumUp } from "./read-sums.ts";
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

const Filters = {
  ...WindowQuery,
  ...EnginesQuery,
  brand_id: Id.optional().meta({ description: "One brand. Default: all" }),
  topic: Prompt.shape.topic.optional(),
  prompt_id: Id.optional().meta({ description: "Cannot be combined with topic" }),
  prompt_version: z.coerce.number().pipe(z.int().positive()).optional(),
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
    ...Filters,
    compare: z.literal("previous").optional(),
    definition: z
      .enum(["answers", "mentions"])
      .optional()
      .meta({ description: "Share of voice by answers or by mentions. Default: both" }),
  }),
  data: Visibility,
  example: {
    query: { from: "2026-05-25", to: "2026-06-01" },
  },
  handle: async ({ query }, { tx, now }) => {
    const { from, to, days } = windowOf(query, now);
    const filters = await filtersOf(tx, query);
    const sums = await sumUp(await aggregatesOf(tx, { ...filters, from, to }), tx.part);
    const before = { from: addDays(from, -days), to: addDays(from, -1) };
    const earlier =
      query.compare === undefined
        ? null
        : await sumUp(await aggregatesOf(tx, { ...filters, ...before }), tx.part);
    const shown = await brandsOf(tx, query.brand_id);
    const of = (brand: Brand, all: typeof sums): Metrics =>
      chosen(metricsOf(all, brand.id), query.definition);
    return ok({
      from,
      to,
      answers: sums.answers,
      previous: earlier === null ? null : { ...before, answers: earlier.answers },
      brands: shown.map((brand) => ({
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

const INTERVALS = ["day", "week", "month"] as const;

const Point = z.strictObject({
  from: LocalDate,
  to: LocalDate,
  answers: z.int(),
  brands: z
    .array(z.strictObject({ brand_id: Id, metric: Metric.omit({ definition: true }) }))
    .meta({ description: "In the order of `brands`" }),
});

const getSeries = defineRoute({
  id: "answeros.visibility.series",
  method: "GET",
  path: "/visibility/series",
  summary: "Show a metric of brands over time",
  description:
    "One point per day, ISO week (from Monday) or month; the first and the last one are cut to the requested days. A " +
    "point without answers has the value null. Otherwise as `GET /visibility`.",
  query: z.object({
    ...Filters,
    metric: z.enum(METRICS).default("visibility"),
    interval: z.enum(INTERVALS).default("week"),
  }),
  data: z.strictObject({
    metric: z.enum(METRICS),
    definition: z.string(),
    interval: z.enum(INTERVALS),
    brands: z.array(Row.pick({ brand_id: true, name: true, own: true })).meta({
      description: "The store's own brand first",
    }),
    points: z.array(Point),
    extraction: Extracted,
  }),
  example: {
    query: { from: "2026-05-25", to: "2026-05-31" },
  },
  handle: async ({ query }, { tx, now }) => {
    const { from, to } = windowOf(query, now);
    const { metric, interval } = query;
    const aggregates = await aggregatesOf(tx, { ...(await filtersOf(tx, query)), from, to });
    const shown = await brandsOf(tx, query.brand_id);
    const points: z.input<typeof Point>[] = [];
    for (const days of splitDays({ from, to }, interval)) {
      const within = aggregates.filter(({ day }) => day >= days.from && day <= days.to);
      const sums = await sumUp(within, tx.part);
      const figure = (brandId: string) => {
        const { definition: _, ...rest } = metricOf(metric, sums, brandId);
        return { brand_id: brandId, metric: rest };
      };
      points.push({ ...days, answers: sums.answers, brands: shown.map(({ id }) => figure(id)) });
    }
    return ok({
      metric,
      definition: definitionOf(metric),
      interval,
      brands: shown.map(({ id, name, own }) => ({ brand_id: id, name, own })),
      points,
      extraction: await extractionOf(tx),
    });
  },
});

interface VisibilityFilter extends Omit<AggregateFilter, "kind"> {
  readonly version: number | null;
}

type Question = Omit<VisibilityFilter, "version" | "from" | "to"> & {
  readonly prompt_version?: number | undefined;
};

async function filtersOf(tx: Tx, query: Question): Promise<Omit<VisibilityFilter, "from" | "to">> {
  if (query.prompt_id !== undefined && query.topic !== undefined) {
    throw invalidParameter("topic", "Cannot be combined with prompt_id.");
  }
  return { ...query, version: await versionOf(tx, query) };
}

async function aggregatesOf(tx: Tx, { version, ...filters }: VisibilityFilter): Promise<Aggregate[]> {
  if (filters.prompt_id === undefined) return readAggregates(tx, { ...filters, kind: "topic" });
  const aggregates = await readAggregates(tx, { ...filters, kind: "prompt" });
  return aggregates.filter(({ prompt_version: one }) => one === version);
}

/** The tracked brands, the own one first, or the requested one; throws 422 if there is none. */
async function brandsOf(tx: Tx, id: string | undefined): Promise<Brand[]> {
  const tracked = (await tx.peekAll(brands)).map(({ value }) => value);
  const shown = tracked.filter((brand) => id === undefined || brand.id === id);
  if (id !== undefined && shown.length === 0) throw invalidParameter("brand_id", "No brand with this id.");
  return shown.sort(ownFirst);
}

/** The counted version of the prompt: series of two texts are never combined. */
async function versionOf(
  tx: Tx,
  query: Pick<Question, "prompt_id" | "prompt_version">,
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

export const visibilityRoutes = [getVisibility, getSeries];
