import { z } from "zod";

import { Id, Instant, LanguageTag, LocalDate, resourceFields, urlUpTo } from "../../core/schema.ts";

/** Limits of the engine. */
export const ANSWEROS_LIMITS = {
  htmlChars: 200_000,
  questions: 1_000,
  trackedQuestions: 20,
  brands: 50,
  aliases: 20,
  prompts: 500,
  samples: 10,
  observationsPerCall: 500,
  /** Observations of one prompt version and engine on one day. */
  observationsPerDay: 200,
  answerChars: 20_000,
  citationsPerAnswer: 50,
  windowDays: 92,
  logLinesPerCall: 5_000,
  fileChars: 100_000,
  jsonLdChars: 50_000,
} as const;

const PAGE_TYPES = [
  "product",
  "recipe",
  "article",
  "local_business",
  "faq",
  "qa",
  "catering",
  "menu",
  "other",
] as const;
export const PageType = z.enum(PAGE_TYPES);
export type PageType = z.output<typeof PageType>;

/** The source of a page in the store; `draft` is one of /v1/content. */
export const PageSource = z.strictObject({
  type: z.enum(["product", "article", "menu", "recipe", "store", "draft"]),
  id: Id,
});

export const HttpUrl = urlUpTo(1_000, {
  protocol: /^https?$/,
  error: "Expected an absolute http or https URL.",
});

export const PageMeta = z.strictObject({
  title: z.string().nullable(),
  description: z.string().nullable(),
  noindex: z.boolean(),
  nosnippet: z.boolean(),
  max_snippet: z.int().nullable(),
  canonical: z.string().nullable(),
  date_published: z.string().nullable(),
  date_modified: z.string().nullable(),
  word_count: z.int().nonnegative(),
});

export const Page = z.strictObject({
  ...resourceFields,
  url: HttpUrl.nullable(),
  source: PageSource.nullable(),
  page_type: PageType,
  locale: LanguageTag,
  /** Name of the page's subject: the dish, the store. Null: the page's own H1 or title. */
  entity: z.string().max(200).nullable(),
  /** SHA-256 of the last fetched HTML; null before the first fetch. */
  html_hash: z.string().nullable(),
  meta: PageMeta.nullable(),
  tracked_question_ids: z.array(Id).max(ANSWEROS_LIMITS.trackedQuestions),
  status: z
    .enum(["queued", "ready", "failed"])
    .meta({ description: "queued: it will be fetched; failed: it could not be fetched, see error" }),
  error: z.strictObject({ code: z.string(), detail: z.string() }).nullable(),
  fetched_at: Instant.nullable(),
  latest_score: z
    .strictObject({ id: Id, total: z.int(), band: z.enum(["good", "fair", "poor"]), computed_at: Instant })
    .nullable(),
});
export type Page = z.output<typeof Page>;

/** Content of the last fetched page, in a separate document: too large for lists. */
export const PageContent = z.strictObject({
  id: Id,
  html: z.string().max(ANSWEROS_LIMITS.htmlChars),
  robots_txt: z.string().max(50_000).nullable(),
  x_robots_tag: z.string().max(500).nullable(),
});
export type PageContent = z.output<typeof PageContent>;

export const Band = z.enum(["good", "fair", "poor"]);
export type Band = z.output<typeof Band>;

export const Check = z.strictObject({
  id: z.string(),
  component: z.enum(["access", "answerability", "evidence", "freshness", "coverage", "structured_data"]),
  title: z.string(),
  points: z.number().nonnegative(),
  max: z.number().positive(),
  status: z.enum(["good", "ok", "bad", "na"]),
  evidence: z.string().meta({ description: "What the check measured" }),
  fix: z.string().nullable().meta({ description: "Recommendation; null if no points were lost" }),
});
export type Check = z.output<typeof Check>;

export const Penalty = z.strictObject({
  id: z.enum(["keyword_stuffing", "repeated_answers"]),
  points: z.int().positive(),
  evidence: z.string(),
  fix: z.string(),
});
export type Penalty = z.output<typeof Penalty>;

const component = z.number().min(0).meta({ description: "Points of all applicable checks" });

/** Content of a score, whether stored or not. */
export const scoreFields = {
  total: z.int().min(0).max(100),
  band: Band,
  gate: z
    .enum(["noindex", "nosnippet"])
    .nullable()
    .meta({ description: "Reason why the total is limited to 20: answers must not show the page" }),
  components: z.strictObject({
    access: component,
    answerability: component,
    evidence: component,
    freshness: component,
    coverage: component,
    structured_data: component,
  }),
  checks: z.array(Check),
  penalties: z.array(Penalty),
  score_version: z
    .int()
    .positive()
    .meta({ description: "Version of the rules: totals of different versions are not comparable" }),
  text_model: z.int().positive(),
  computed_at: Instant,
};

export const Score = z.strictObject({
  ...resourceFields,
  page_id: Id,
  page_type: PageType,
  ...scoreFields,
  previous_total: z.int().nullable(),
});
export type Score = z.output<typeof Score>;

/** The newest score of a page, with the sort keys of its lists. */
export const LatestScore = z.strictObject({
  id: Id,
  score_id: Id,
  page_type: PageType,
  band: Band,
  total: z.int(),
  delta: z.int(),
  computed_at: Instant,
});
export type LatestScore = z.output<typeof LatestScore>;

/** Query parameters of everything that is counted by day. */
export const WindowQuery = {
  from: LocalDate.optional().meta({ description: "First day in UTC. Default: 29 days before to" }),
  to: LocalDate.optional().meta({ description: "Last day in UTC, inclusive. Default: today" }),
};
