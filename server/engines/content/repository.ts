import { defineSettings } from "../../core/settings.ts";
import { z } from "zod";

import { defineCollection, newestFirst, timeOrder } from "../../core/collection.ts";
import type { Personal } from "../../core/collection.ts";
import { derivedId, sha256Hex } from "../../core/ids.ts";
import { mentionSubject, refSubject } from "../../core/personal.ts";
import { Id, Instant } from "../../core/schema.ts";
import type { Stored, Tx } from "../../core/tx.ts";
import {
  Article,
  ArticleMetrics,
  ImportRows,
  Inspection,
  KeyphraseUse,
  UrlImport,
} from "./schema/article.ts";
import { Draft, Post, PostBody, Revision, Settings, Site, SlugHold } from "./schema/draft.ts";
import { Generation } from "./schema/generation.ts";
import { Score } from "./schema/score.ts";

/** Hash of user text as an index value: keys contain no user text. */
export const filed = (text: string): string => sha256Hex(text.trim().toLowerCase()).slice(0, 24);

/** Words of a title under which it is indexed. */
const INDEXED_WORDS = 8;
const wordsOf = (text: string): string[] =>
  [...new Set(text.toLowerCase().match(/[\p{L}\p{N}]{2,}/gu) ?? [])].slice(0, INDEXED_WORDS);

/** Each filter alone and combined with the status. */
const withStatus = (status: string, filters: readonly string[]): string[] => [
  `status.${status}`,
  ...filters.flatMap((filter) => [filter, `${filter}.${status}`]),
];

/** Sort key of a score, lowest first. */
export const scoreOrder = (score: number): string => String(score).padStart(3, "0");

const EMAIL = /^[^@\s]+@[^@\s]+\.[^@\s]+$/;
const ERASED = "erased";

/** Names of authors and reviewers are free text; a name that is an e-mail address is personal data. */
const personalDraft: Personal<Draft> = {
  subjects: (draft) => {
    const people = [...draft.approvals, ...draft.change_requests].map(({ by }) => by);
    const author = draft.author !== null && EMAIL.test(draft.author.id) ? draft.author.id : null;
    return [
      // With that of its post, whose body has no author where an earlier version published it.
      ...(author === null ? [] : [author.toLowerCase(), refSubject(draft.id)]),
      ...people.filter((name) => EMAIL.test(name)).map((name) => name.toLowerCase()),
    ];
  },
  erased: (draft, subject) => {
    const clear = <T extends { by: string }>(one: T): T =>
      one.by.toLowerCase() === subject ? { ...one, by: ERASED } : one;
    return {
      ...draft,
      author: draft.author?.id.toLowerCase() === subject ? null : draft.author,
      approvals: draft.approvals.map(clear),
      change_requests: draft.change_requests.map(clear),
    };
  },
};

export const drafts = defineCollection({
  name: "content.drafts",
  schema: Draft,
  indexes: {
    /** By status, kind, locale, author, keyphrase, tag and title word; all except the first also within one status. */
    by: {
      values: ({ status, kind, locale, author, seo, tags, title }) =>
        withStatus(status, [
          `kind.${kind}`,
          `locale.${locale.toLowerCase()}`,
          ...(author === null ? [] : [`author.${filed(author.id)}`]),
          ...(seo.focus_keyphrase === null ? [] : [`keyphrase.${filed(seo.focus_keyphrase)}`]),
          ...new Set(tags.map((tag) => `tag.${filed(tag)}`)),
          ...wordsOf(title).map((word) => `word.${filed(word)}`),
        ]),
    },
    /** Least recently changed first: read from an instant on, it lists later changes. */
    updated: { values: () => [""], order: ({ updated_at: at }) => timeOrder(at) },
    /** Drafts with a current score, lowest SEO score first. */
    score: {
      values: ({ scores: summary }) => (summary === null ? [] : [""]),
      order: ({ scores: summary }) => scoreOrder(summary?.seo ?? 0),
    },
    /** Planned drafts, earliest day first. */
    planned: {
      values: ({ planned_for: on, status }) => (on === null || status === "archived" ? [] : [""]),
      order: ({ planned_for: on }) => on ?? "",
    },
    /** Scheduled drafts, earliest first. */
    due: {
      values: ({ status }) => (status === "scheduled" ? [""] : []),
      order: ({ scheduled_at: at }) => timeOrder(at ?? ""),
    },
  },
  personal: personalDraft,
});

export const revisions = defineCollection({
  name: "content.revisions",
  unlisted: true,
  schema: Revision,
  indexes: {
    /** Per draft, newest first. */
    draft: {
      values: ({ draft_id: id }) => [id],
      order: ({ number }) => String(999_999_999 - number).padStart(9, "0"),
    },
  },
  personal: {
    subjects: ({ content: { author } }) =>
      author !== null && EMAIL.test(author.id) ? [author.id.toLowerCase()] : [],
    erased: (revision) => ({ ...revision, content: { ...revision.content, author: null } }),
  },
});
export const revisionId = (draftId: string, number: number): string =>
  derivedId("rev", NO_SECRET, [draftId, String(number)]);

export const slugHolds = defineCollection({
  name: "content.slugs",
  unlisted: true,
  schema: SlugHold,
  indexes: {
    draft: { values: ({ draft_id: id }) => [id] },
    /** Moved slugs, newest move first. */
    moved: {
      values: ({ moved_to: to }) => (to === null ? [] : [""]),
      order: ({ updated_at: at }) => newestFirst(at),
    },
  },
});
export const slugId = (locale: string, slug: string): string =>
  derivedId("slg", NO_SECRET, [locale.toLowerCase(), slug]);

/** Deleted drafts whose data has not been deleted completely. */
export const removals = defineCollection({
  name: "content.removals",
  schema: z.strictObject({ id: Id, created_at: Instant }),
});

/** Sites under which posts were published, so that their URLs there are known. */
export const sites = defineCollection({ name: "content.sites", schema: Site });
export const siteId = (siteUrl: string, postPath: string): string =>
  derivedId("sit", NO_SECRET, [siteUrl, postPath]);

/** Public data by the draft's id. */
export const posts = defineCollection({
  name: "content.posts",
  unlisted: true,
  schema: Post,
  indexes: {
    /** Live posts, newest first: all, by locale, by tag. */
    live: {
      values: ({ locale, tags, kind }) => [
        "",
        `locale.${locale.toLowerCase()}`,
        `kind.${kind}`,
        ...new Set(tags.map((tag) => `tag.${filed(tag)}`)),
      ],
      order: ({ published_at: at }) => newestFirst(at),
    },
  },
  personal: {
    subjects: ({ id, author }) => (author === null ? [] : [mentionSubject(id)]),
    erased: (post) => ({ ...post, author: null }),
  },
});
export const postBodies = defineCollection({
  name: "content.post_bodies",
  unlisted: true,
  schema: PostBody,
  // Names its post as the author's, whose address a post does not have.
  personal: {
    subjects: ({ id, author_id: author = null }) =>
      author !== null && EMAIL.test(author) ? [author.toLowerCase(), refSubject(id)] : [],
    erased: (body) => ({ ...body, author_id: null }),
  },
});

export const scores = defineCollection({
  name: "content.scores",
  unlisted: true,
  schema: Score,
  indexes: {
    draft: { values: ({ draft_id: id }) => [id], order: ({ created_at: at }) => newestFirst(at) },
  },
});
/** A revision has one score per version of the rules. */
export const scoreId = (draftId: string, revision: number, version: number): string =>
  derivedId("scr", NO_SECRET, [draftId, String(revision), String(version)]);

/** Keyphrases by text: small, so that all of a store can be compared. */
export const keyphraseUses = defineCollection({
  name: "content.keyphrases",
  schema: KeyphraseUse,
  indexes: {
    stems: { values: ({ stem_key: key }) => [key] },
    /** Live texts. */
    live: { values: ({ is_live: isLive }) => (isLive ? [""] : []) },
  },
});
export const stemKey = (stems: readonly string[]): string => filed([...stems].sort().join(" "));

export const articles = defineCollection({
  name: "content.articles",
  schema: Article,
  indexes: {
    /** Newest first: the ids contain no timestamp. */
    new: { values: () => [""], order: ({ created_at: at }) => newestFirst(at) },
    by: {
      values: ({ status, source, focus_keyphrase: phrase, decay }) =>
        withStatus(status, [
          `source.${source}`,
          ...(phrase === null ? [] : [`keyphrase.${filed(phrase)}`]),
          ...(decay === null ? [] : ["decayed"]),
        ]),
      order: ({ created_at: at }) => newestFirst(at),
    },
    /** By the day on which the next check is due. */
    refresh: {
      values: ({ status }) => (status === "active" ? [""] : []),
      order: ({ refresh_due_at: at }) => timeOrder(at),
    },
  },
});
/** A page is tracked once, by its normalised URL. */
export const articleId = (url: string): string => derivedId("art", NO_SECRET, [url]);

export const articleMetrics = defineCollection({
  name: "content.article_metrics",
  unlisted: true,
  schema: ArticleMetrics,
});

/** Checks of tracked articles: queued, running, and results. */
export const inspections = defineCollection({
  name: "content.inspections",
  unlisted: true,
  schema: Inspection,
  indexes: {
    article: { values: ({ article_id: id }) => [id] },
    /** Queued checks, oldest first. */
    waiting: {
      values: ({ status }) => (status === "queued" ? [""] : []),
      order: ({ created_at: at }) => timeOrder(at),
    },
  },
});

export const urlImports = defineCollection({
  name: "content.imports",
  schema: UrlImport,
  indexes: {
    open: {
      values: ({ status }) => (status === "queued" || status === "running" ? [""] : []),
      order: ({ created_at: at }) => timeOrder(at),
    },
  },
});

export const importRows = defineCollection({
  name: "content.import_rows",
  unlisted: true,
  schema: ImportRows,
});

export const generations = defineCollection({
  name: "content.generations",
  schema: Generation,
  indexes: { draft: { values: ({ draft_id: id }) => (id === null ? [] : [id]) } },
});

export const DEFAULT_SETTINGS: Settings = {
  id: "settings",
  title: "Blog",
  description: "",
  site_url: null,
  feeds_url: null,
  post_path: "/blog/{slug}",
  time_zone: "Europe/London",
  locale: "en-GB",
  approvals_required: 0,
  gate: { min_seo: null, min_readability: null, required_checks: [] },
  refresh_days: 180,
  updated_at: null,
};

export const contentSettings = defineSettings<Settings>({
  engine: "content",
  schema: Settings,
  defaults: DEFAULT_SETTINGS,
  inherits: { site_url: "website", time_zone: "time_zone", locale: "locale" },
  unlisted: true,
});

export const readSettings = contentSettings.read;

/** A revision of an existing draft: a draft only refers to revisions written with it. */
export const readRevision = async (tx: Tx, draftId: string, number: number): Promise<Stored<Revision>> =>
  tx.require(revisions, revisionId(draftId, number));

/** Ids derived from their subject are not secret. */
const NO_SECRET = new Uint8Array();
