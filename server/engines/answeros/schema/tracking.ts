import { z } from "zod";

import { Id, Instant, LanguageTag, LocalDate, resourceFields } from "../../../core/schema.ts";
import { ANSWEROS_LIMITS } from "../schema.ts";

export const Domain = z
  .string()
  .trim()
  .toLowerCase()
  // Those of citations have none either.
  .overwrite((domain) => domain.replace(/^www\./, ""))
  .regex(/^[a-z0-9][a-z0-9-]{0,62}(\.[a-z0-9-]{1,63})+$/, "Expected a domain such as crumb.example.")
  .max(253);

export const EngineName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9_-]{0,39}$/, "Expected a lower-case name such as chatgpt.")
  .meta({ description: "Answer engine: builtin, a provider of the AI service, or any name for uploads" });

export const Brand = z.strictObject({
  ...resourceFields,
  name: z.string().trim().min(2).max(100),
  aliases: z.array(z.string().trim().min(2).max(100)).max(ANSWEROS_LIMITS.aliases),
  domains: z.array(Domain).max(ANSWEROS_LIMITS.aliases),
  own: z.boolean(),
});
export type Brand = z.output<typeof Brand>;

export const Prompt = z.strictObject({
  ...resourceFields,
  text: z.string().trim().min(3).max(500),
  topic: z
    .string()
    .trim()
    .toLowerCase()
    .regex(/^[a-z0-9][a-z0-9_-]{0,39}$/, "Lower-case letters, digits, - and _."),
  locale: LanguageTag,
  engines: z.array(EngineName).min(1).max(6),
  cadence: z.enum(["manual", "daily", "weekly"]),
  prompt_version: z.int().positive().meta({ description: "Incremented with every change of the text" }),
  active: z.boolean(),
  last_run_at: Instant.nullable(),
  next_run_at: Instant.nullable(),
});
export type Prompt = z.output<typeof Prompt>;

export const Run = z.strictObject({
  ...resourceFields,
  prompt_id: Id,
  prompt_version: z.int().positive(),
  prompt_text: z.string(),
  topic: z.string(),
  locale: LanguageTag,
  engine: EngineName,
  model: z.string().nullable(),
  samples: z.int().min(3).max(ANSWEROS_LIMITS.samples),
  done: z.int().nonnegative().meta({ description: "Number of samples observed so far" }),
  status: z.enum(["queued", "done", "failed"]),
  error: z.strictObject({ code: z.string(), detail: z.string() }).nullable(),
  attempts: z.int().nonnegative(),
  not_before: Instant.nullable().meta({ description: "Time of the next attempt" }),
  finished_at: Instant.nullable(),
});
export type Run = z.output<typeof Run>;

export const Citation = z.strictObject({
  n: z.int().positive().meta({ description: "Its number in the text, as in [1]" }),
  url: z.string(),
  domain: z.string(),
  title: z.string().max(300).nullable(),
  position: z.int().positive().meta({ description: "Position in the list of sources, starting at 1" }),
});
export type Citation = z.output<typeof Citation>;

export const Sentiment = z.enum(["positive", "neutral", "negative"]);
export type Sentiment = z.output<typeof Sentiment>;

export const Observation = z.strictObject({
  id: Id,
  created_at: Instant,
  origin: z.enum(["run", "import"]),
  run_id: Id.nullable(),
  prompt_id: Id,
  prompt_version: z.int().positive(),
  topic: z.string(),
  locale: LanguageTag,
  engine: EngineName,
  model: z.string().max(100).nullable(),
  sample: z.int().positive(),
  at: Instant,
  answer_text: z.string().max(ANSWEROS_LIMITS.answerChars),
  citations: z.array(Citation).max(ANSWEROS_LIMITS.citationsPerAnswer),
  sentiment: Sentiment.nullable().meta({
    description: "Label provided by the source; null: derived from the text",
  }),
  hash: z.string(),
});
export type Observation = z.output<typeof Observation>;

export const Mention = z.strictObject({
  brand_id: Id,
  first_offset: z.int().nonnegative(),
  count: z.int().positive(),
  order: z.int().positive().meta({ description: "1: the first brand that the answer mentions" }),
  sentiment: Sentiment,
});
export type Mention = z.output<typeof Mention>;

/** Data derived from an observation with the current brands: the observation itself never changes. */
export const Extraction = z.strictObject({
  extraction_version: z.int().positive().meta({ description: "Revision of the brands it was computed with" }),
  mentions: z.array(Mention),
  pawc: z
    .record(z.string(), z.number())
    .nullable()
    .meta({ description: "Position-adjusted share of words by domain; null if the text has no [n]" }),
  pawc_variant: z.enum(["paper", "code"]),
});
export type Extraction = z.output<typeof Extraction>;

/** Revision of the brands: aggregates of an older one are recomputed. */
export const BrandRevision = z.strictObject({
  id: z.literal("brands"),
  revision: z.int().positive(),
  at: Instant,
});
export type BrandRevision = z.output<typeof BrandRevision>;

/** Whether a prompt's answers currently cite the store, from which gained and lost events are derived. */
export const Standing = z.strictObject({
  id: Id,
  cited: z.boolean(),
  at: Instant,
  without: z.int().nonnegative(),
});
export type Standing = z.output<typeof Standing>;

const count = z.int().nonnegative();

export const BrandSums = z.strictObject({
  answers: count,
  mentions: count,
  first: count,
  order_sum: count,
  positive: count,
  neutral: count,
  cited_answers: count,
  cited_pairs: count,
  appearances: count,
  mention_quality: z.number().nonnegative(),
  citation_quality: z.number().nonnegative(),
  pawc: z.number().nonnegative(),
});
export type BrandSums = z.output<typeof BrandSums>;

/** Sums over answers, from which every figure is computed; adding two gives the sums over both. */
export const Sums = z.strictObject({
  answers: count,
  cited_answers: count,
  pairs: count,
  branded_answers: count,
  mentions: count,
  pawc_answers: count,
  brands: z.record(z.string(), BrandSums),
  domains: z.record(z.string(), z.strictObject({ answers: count, citations: count, pawc: z.number() })),
  urls: z.record(z.string(), z.strictObject({ answers: count })),
  urls_left_out: count,
});
export type Sums = z.output<typeof Sums>;

/** Sums of one day and engine: of one version of a prompt, or of a topic. */
export const Aggregate = z.strictObject({
  id: Id,
  kind: z.enum(["prompt", "topic"]),
  day: LocalDate,
  engine: EngineName,
  topic: z.string(),
  prompt_id: Id.nullable(),
  prompt_version: z.int().nullable(),
  extraction_version: z.int().positive(),
  sums: Sums,
});
export type Aggregate = z.output<typeof Aggregate>;
