import { z } from "zod";

import {
  Id,
  Instant,
  LanguageTag,
  LocalDate,
  Metadata,
  resourceFields,
  TimeZone,
  urlUpTo,
} from "../../../core/schema.ts";
import { CONTENT_LIMITS } from "../schema.ts";
import { CheckId } from "./score.ts";

export const DraftStatus = z.enum([
  "draft",
  "in_review",
  "changes_requested",
  "approved",
  "scheduled",
  "published",
  "archived",
]);
export type DraftStatus = z.output<typeof DraftStatus>;

export const DraftKind = z.enum(["post", "page", "product_copy", "category_copy", "recipe"]);
export type DraftKind = z.output<typeof DraftKind>;

export const HttpUrl = urlUpTo(1_000, { protocol: /^https?$/, hostname: z.regexes.hostname }).meta({
  description: "Absolute http or https URL",
});

export const Slug = z
  .string()
  .max(CONTENT_LIMITS.slugChars)
  .regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/, "Expected lower-case letters, digits and single hyphens.");

export const BodyFormat = z.enum(["markdown", "html"]);

/** Text of a body: limited in bytes, since a revision is one document. */
export const Body = z
  .string()
  .max(CONTENT_LIMITS.bodyBytes)
  .refine(
    (body) => Buffer.byteLength(body) <= CONTENT_LIMITS.bodyBytes,
    `Must be at most ${CONTENT_LIMITS.bodyBytes} bytes.`,
  );

const Phrase = z.string().trim().min(1).max(120);

export const Robots = z.strictObject({
  noindex: z.boolean(),
  nofollow: z.boolean(),
  nosnippet: z.boolean(),
  max_snippet: z
    .int()
    .min(-1)
    .max(10_000)
    .nullable()
    .meta({ description: "Characters; null or -1: no limit" }),
});
export type Robots = z.output<typeof Robots>;

export const Seo = z.strictObject({
  title: z.string().trim().max(300).nullable().meta({ description: "Null: same as the title" }),
  description: z.string().trim().max(500).nullable(),
  focus_keyphrase: Phrase.nullable(),
  synonyms: z.array(Phrase).max(CONTENT_LIMITS.keyphrases),
  secondary_keyphrases: z.array(Phrase).max(CONTENT_LIMITS.keyphrases),
  canonical_url: HttpUrl.nullable(),
  robots: Robots,
  og: z
    .strictObject({
      title: z.string().max(300).nullable(),
      description: z.string().max(500).nullable(),
      image: HttpUrl.nullable(),
    })
    .nullable(),
  schema_type: z
    .string()
    .regex(/^[A-Z][A-Za-z]{1,60}$/, "Expected a schema.org type such as Article.")
    .nullable(),
});
export type Seo = z.output<typeof Seo>;

const NO_ROBOTS: Robots = { noindex: false, nofollow: false, nosnippet: false, max_snippet: null };
export const NO_SEO: Seo = {
  title: null,
  description: null,
  focus_keyphrase: null,
  synonyms: [],
  secondary_keyphrases: [],
  canonical_url: null,
  robots: NO_ROBOTS,
  og: null,
  schema_type: null,
};

const Author = z.strictObject({
  id: z.string().trim().min(1).max(120),
  name: z.string().trim().min(1).max(120),
  url: HttpUrl.nullable().default(null),
});

const Cover = z.strictObject({
  url: HttpUrl,
  alt: z.string().max(300),
  width: z.int().positive().max(20_000).nullable().default(null),
  height: z.int().positive().max(20_000).nullable().default(null),
});

/** Content of a revision: everything that is, or will be, on the site. */
export const contentFields = {
  title: z.string().trim().max(CONTENT_LIMITS.titleChars),
  slug: Slug.meta({ description: "Unique per store and locale" }),
  locale: LanguageTag,
  body_format: BodyFormat,
  body: Body,
  excerpt: z.string().trim().max(CONTENT_LIMITS.excerptChars),
  author: Author.nullable(),
  tags: z.array(z.string().trim().min(1).max(60)).max(CONTENT_LIMITS.tags),
  category: z.string().trim().min(1).max(120).nullable(),
  cover: Cover.nullable(),
  seo: Seo,
  cornerstone: z.boolean().meta({ description: "A cornerstone text: more words are required" }),
};
export const DraftContent = z.strictObject(contentFields);
export type DraftContent = z.output<typeof DraftContent>;

export const External = z.strictObject({
  system: z.string().trim().min(1).max(60),
  id: z.string().trim().min(1).max(200),
  url: HttpUrl.nullable().default(null),
  synced_at: Instant.nullable().default(null),
});

const Approval = z.strictObject({ by: z.string(), at: Instant, revision: z.int().positive() });
const ChangeRequest = z.strictObject({
  by: z.string(),
  at: Instant,
  text: z.string(),
  resolved_at: Instant.nullable(),
});

const Percent = z.int().min(0).max(100);
const DraftScores = z.strictObject({
  id: Id.meta({ description: "The stored score with all checks" }),
  seo: Percent,
  readability: Percent.nullable(),
  aeo: Percent.nullable().meta({ description: "Null if it is not scored yet" }),
  version: z.int().positive(),
  revision: z.int().positive(),
  computed_at: Instant,
});

const DraftAi = z.strictObject({
  generation_ids: z.array(Id),
  share: z.number().min(0).max(1).meta({ description: "Share of the words in paragraphs that an AI wrote" }),
  paragraphs: z.array(z.string()).meta({ description: "Hashes of paragraphs applied from AI" }),
  disclosed: z.boolean(),
  /** Claims without a source that were overridden. */
  overrides: z.array(
    z.strictObject({ generation_id: Id, by: z.string(), at: Instant, reason: z.string(), claims: z.int() }),
  ),
});

/** Writable fields of a draft that are not part of a revision. */
export const plainFields = {
  kind: DraftKind,
  planned_for: LocalDate.nullable().meta({ description: "Planned publication day; publishes nothing" }),
  article_id: Id.nullable().meta({ description: "The tracked article that it replaces or updates" }),
  external: External.nullable(),
  metadata: Metadata,
};

export const Draft = z.strictObject({
  ...resourceFields,
  created_by: z.string().nullable(),
  updated_by: z.string().nullable(),
  ...plainFields,
  status: DraftStatus,
  ...contentFields,
  scheduled_at: Instant.nullable(),
  published_at: Instant.nullable(),
  unpublished_at: Instant.nullable(),
  late_seconds: z
    .int()
    .nonnegative()
    .nullable()
    .meta({ description: "Delay in seconds of a scheduled publication; null if it was not scheduled" }),
  published_url: z.string().nullable(),
  revision: z.int().positive().meta({ description: "Number of the revision shown in the fields above" }),
  pending_revision: z
    .int()
    .positive()
    .nullable()
    .meta({ description: "Staged for a published draft: publish makes it live" }),
  last_revision: z.int().positive(),
  word_count: z.int().nonnegative(),
  reading_minutes: z.int().nonnegative(),
  scores: DraftScores.nullable().meta({
    description: "Score of exactly this revision; null until it is scored",
  }),
  ai: DraftAi,
  approvals: z.array(Approval),
  change_requests: z.array(ChangeRequest),
});
export type Draft = z.output<typeof Draft>;

const RevisionSource = z.enum(["human", "ai", "import"]);
export const Revision = z.strictObject({
  ...resourceFields,
  draft_id: Id,
  number: z.int().positive(),
  hash: z.string().meta({ description: "SHA-256 of the content: equal content has an equal hash" }),
  author: z.string().nullable().meta({ description: "Id of the key that created it" }),
  message: z.string(),
  source: RevisionSource,
  word_count: z.int().nonnegative(),
  content: DraftContent,
});
export type Revision = z.output<typeof Revision>;

/** The owner of a slug of a locale: a draft, or a post that has moved. */
export const SlugHold = z.strictObject({
  id: Id,
  created_at: Instant,
  updated_at: Instant,
  slug: Slug,
  locale: LanguageTag,
  draft_id: Id,
  moved_to: Slug.nullable().meta({ description: "The post's current slug; null while the slug is in use" }),
});
export type SlugHold = z.output<typeof SlugHold>;

/** A site under which posts were published. */
export const Site = z.strictObject({
  ...resourceFields,
  site_url: HttpUrl,
  post_path: z.string(),
});
export type Site = z.output<typeof Site>;

/** The public part of a published post; its text is stored separately. */
export const Post = z.strictObject({
  ...resourceFields,
  kind: DraftKind,
  title: z.string(),
  slug: Slug,
  locale: LanguageTag,
  url: z.string().nullable(),
  excerpt: z.string(),
  author: z.strictObject({ name: z.string(), url: z.string().nullable() }).nullable(),
  tags: z.array(z.string()),
  category: z.string().nullable(),
  cover: Cover.nullable(),
  published_at: Instant,
  word_count: z.int().nonnegative(),
  reading_minutes: z.int().nonnegative(),
  ai_disclosed: z.boolean(),
  seo: Seo.pick({
    title: true,
    description: true,
    canonical_url: true,
    robots: true,
    og: true,
    schema_type: true,
  }),
});
export type Post = z.output<typeof Post>;

export const PostBody = z.strictObject({
  id: Id,
  html: z.string().meta({ description: "The sanitised body: safe to embed" }),
  /** Id of the author, which the post does not show. */
  author_id: z.string().nullable().optional(),
});
export type PostBody = z.output<typeof PostBody>;

/** Settings of the AI and requirements for publication. */
export const settingsFields = {
  title: z.string().trim().min(1).max(200).meta({ description: "Title of the feeds" }),
  description: z.string().trim().max(500),
  site_url: HttpUrl.nullable().meta({ description: "Base URL of the site; required for links in feeds" }),
  feeds_url: HttpUrl.nullable().meta({
    description:
      "Where your own site serves the feeds, by a proxy or a redirect: their own links are this URL with /rss, /atom and " +
      "/json. Null: the address of the service",
  }),
  post_path: z
    .string()
    .max(120)
    .regex(/^\/(?:[\w-]+\/)*\{slug\}\/?$/, "Expected a path such as /blog/{slug}.")
    .meta({ description: "Path of posts. Posts of two locales with the same slug have the same URL" }),
  time_zone: TimeZone,
  locale: LanguageTag.meta({ description: "Default locale of drafts" }),
  approvals_required: z.int().min(0).max(CONTENT_LIMITS.approvals),
  gate: z.strictObject({
    min_seo: Percent.nullable(),
    min_readability: Percent.nullable(),
    required_checks: z.array(CheckId).max(28).meta({ description: "Checks that must not be bad" }),
  }),
  refresh_days: z
    .int()
    .min(7)
    .max(1_000)
    .meta({ description: "Days after which a check of an article is due" }),
};
export const Settings = z.strictObject({
  id: z.literal("settings"),
  ...settingsFields,
  updated_at: Instant.nullable().meta({ description: "Null while the defaults apply" }),
});
export type Settings = z.output<typeof Settings>;
