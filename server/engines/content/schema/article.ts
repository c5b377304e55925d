import { z } from "zod";

import { Id, Instant, LanguageTag, LocalDate, Metadata, resourceFields } from "../../../core/schema.ts";
import { CONTENT_LIMITS } from "../schema.ts";
import { HttpUrl } from "./draft.ts";
import { analysisFields } from "./score.ts";

export const ArticleStatus = z.enum(["active", "redirected", "gone", "blocked", "error"]);
export type ArticleStatus = z.output<typeof ArticleStatus>;
export const ArticleSource = z.enum(["draft", "import", "sitemap"]);

const Percent = z.int().min(0).max(100);

const LastCheck = z.strictObject({
  at: Instant,
  http_status: z.int().nullable().meta({ description: "Null if there was no response" }),
  hash: z.string().nullable().meta({ description: "SHA-256 of the text, for detecting changes" }),
  word_count: z.int().nonnegative().nullable(),
  indexable: z.boolean().nullable(),
  canonical: z.string().nullable(),
});

const ArticleScores = z.strictObject({
  seo: Percent,
  readability: Percent.nullable(),
  technical: Percent,
  version: z.int().positive(),
  computed_at: Instant,
});

export const Decay = z.strictObject({
  pct: z
    .number()
    .meta({ description: "Change of weekly clicks compared with the best four weeks of a year" }),
  best_weekly_clicks: z.number(),
  recent_weekly_clicks: z.number(),
  since: LocalDate,
});
export type Decay = z.output<typeof Decay>;

export const articleFields = {
  focus_keyphrase: z.string().trim().min(1).max(120).nullable(),
  locale: LanguageTag,
  refresh_due_at: Instant,
  metadata: Metadata,
};

export const Article = z.strictObject({
  ...resourceFields,
  url: HttpUrl.meta({ description: "Normalised: lower-case host, no fragment, sorted query without utm_*" }),
  title: z.string(),
  source: ArticleSource,
  draft_id: Id.nullable(),
  ...articleFields,
  status: ArticleStatus,
  last_check: LastCheck.nullable(),
  scores: ArticleScores.nullable(),
  score_history: z
    .array(z.strictObject({ at: Instant, seo: Percent, technical: Percent, version: z.int().positive() }))
    .meta({ description: "The last twelve checks, newest first" }),
  metrics: z
    .strictObject({
      until: LocalDate,
      clicks: z.int(),
      impressions: z.int(),
      ctr: z.number().nullable(),
      position: z.number().nullable(),
    })
    .nullable()
    .meta({ description: "The last 28 days with data" }),
  decay: Decay.nullable(),
  cannibalises: z
    .array(Id)
    .meta({ description: "Other live texts with the same keyphrase, as of the last review" }),
  links: z.strictObject({
    internal_out: z.int().nonnegative().nullable(),
    internal_in: z.int().nonnegative().nullable(),
    broken: z.int().nonnegative().nullable(),
  }),
});
export type Article = z.output<typeof Article>;

export const MetricDay = z.strictObject({
  date: LocalDate,
  clicks: z.int().nonnegative().max(1e9),
  impressions: z.int().nonnegative().max(1e9),
  ctr: z.number().min(0).max(1).nullable().default(null),
  position: z.number().min(0).max(1_000).nullable().default(null),
});
export type MetricDay = z.output<typeof MetricDay>;

/** Details of an article that its list omits. */
export const ArticleMetrics = z.strictObject({
  id: Id,
  /** Ids (existing or not) of the articles for the pages it links to. */
  targets: z.array(Id),
  days: z.array(MetricDay).max(CONTENT_LIMITS.metricDays),
});

export const TechnicalAudit = z.strictObject({
  id: z.enum([
    "is-crawlable",
    "document-title",
    "meta-description",
    "http-status-code",
    "link-text",
    "crawlable-anchors",
    "robots-txt",
    "image-alt",
    "hreflang",
    "canonical",
  ]),
  passed: z.boolean().nullable().meta({ description: "Null: not applicable" }),
  weight: z.number(),
  detail: z.string().nullable(),
});
export type TechnicalAudit = z.output<typeof TechnicalAudit>;

/** One check of a tracked article and its result. */
export const Inspection = z.strictObject({
  ...resourceFields,
  article_id: Id,
  status: z.enum(["queued", "done", "failed"]),
  started_at: Instant.nullable(),
  finished_at: Instant.nullable(),
  /** Every requested URL, the article's own first. */
  hops: z.array(z.strictObject({ url: z.string(), status: z.int().nullable() })),
  error: z.strictObject({ code: z.string(), detail: z.string() }).nullable(),
  outcome: ArticleStatus.nullable(),
  result: z
    .strictObject({
      ...analysisFields,
      title: z.string(),
      description: z.string(),
      technical: Percent,
      audits: z.array(TechnicalAudit),
      changed: z.boolean().meta({ description: "Whether the text has changed since the previous check" }),
    })
    .nullable(),
});
export type Inspection = z.output<typeof Inspection>;

export const KeyphraseUse = z.strictObject({
  /** Id of the draft or article. */
  id: Id,
  kind: z.enum(["draft", "article"]),
  title: z.string(),
  url: z.string().nullable(),
  phrase: z.string(),
  stems: z.array(z.string()),
  stem_key: z.string(),
  is_live: z.boolean(),
  /** The draft of an article, the article of a draft: the same text does not compete with itself. */
  twin_id: Id.nullable(),
});
export type KeyphraseUse = z.output<typeof KeyphraseUse>;

export const ImportRow = z.strictObject({
  url: z.string(),
  keyphrase: z.string().nullable(),
  title: z.string().nullable(),
});
export type ImportRow = z.output<typeof ImportRow>;

export const UrlImport = z.strictObject({
  ...resourceFields,
  kind: z.enum(["sitemap", "csv"]),
  sitemap_url: z.string().nullable(),
  status: z.enum(["queued", "running", "done", "failed"]),
  counts: z.strictObject({ rows: z.int(), created: z.int(), known: z.int(), refused: z.int() }),
  errors: z
    .array(z.strictObject({ row: z.int(), detail: z.string() }))
    .meta({ description: "The first fifty rejected rows" }),
  error: z.string().nullable(),
  check: z.boolean().meta({ description: "Whether each new article is also fetched" }),
  finished_at: Instant.nullable(),
});
export type UrlImport = z.output<typeof UrlImport>;

/** Pending rows of an import; stored separately so that the import remains small. */
export const ImportRows = z.strictObject({ id: Id, at: z.int().nonnegative(), rows: z.array(ImportRow) });
export type ImportRows = z.output<typeof ImportRows>;
