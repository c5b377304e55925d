import { z } from "zod";

import { conflict, conflictWhen, invalidField, invalidParameter } from "../../../lib/errors.ts";
import { mergePatch } from "../../../lib/merge-patch.ts";
import { created, empty, item, list } from "../../../core/reply.ts";
import { Id, LanguageTag, listFields, withVersion } from "../../../core/schema.ts";
import { newArticle, queueInspection, saveArticle, trackArticle } from "../services/articles.ts";
import { forget } from "../services/keyphrases.ts";
import {
  articleId,
  articleMetrics,
  articles,
  drafts,
  filed,
  inspections,
  readSettings,
} from "../repository.ts";
import { normaliseUrl } from "../rules/article-url.ts";
import { Article, articleFields, ArticleSource, ArticleStatus } from "../schema/article.ts";
import { HttpUrl } from "../schema/draft.ts";
import { resource } from "../../../core/resource.ts";

const ArticleView = withVersion(Article);

const ListArticles = z.object({
  ...listFields,
  status: ArticleStatus.optional(),
  source: ArticleSource.optional(),
  keyphrase: z.string().max(120).optional(),
  decayed: z.literal("true").optional().meta({ description: "Only articles whose clicks are declining" }),
  refresh: z
    .literal("due")
    .optional()
    .meta({ description: "Active articles in the order in which their checks are due" }),
});
type ListArticles = z.output<typeof ListArticles>;

const articleResource = resource({
  id: "content.articles",
  collection: articles,
  view: ArticleView,
  example: "art_01JD8Z5T9QK3M4N5P6R7S8T9V0",
});

const listArticles = articleResource.custom.list({
  summary: "List tracked articles, newest first",
  description:
    "Filter by one of source, keyphrase and decayed, optionally with status; refresh=due cannot be combined with " +
    "other filters.",
  query: ListArticles,
  handle: async ({ query }, { tx }) => list(await tx.peekPage(articles, { ...query, ...indexOf(query) })),
});

function indexOf({ status, source, keyphrase, decayed, refresh }: ListArticles): {
  index?: string;
  value?: string;
} {
  const named = [
    source === undefined ? [] : [`source.${source}`],
    keyphrase === undefined ? [] : [`keyphrase.${filed(keyphrase)}`],
    decayed === undefined ? [] : ["decayed"],
  ].flat();
  if (refresh !== undefined) {
    if (named.length > 0 || status !== undefined)
      throw invalidParameter("refresh", "Cannot be combined with other filters.");
    return { index: "refresh" };
  }
  if (named.length > 1)
    throw invalidParameter("decayed", "Specify only one of source, keyphrase and decayed.");
  const [filter] = named;
  if (filter !== undefined)
    return { index: "by", value: status === undefined ? filter : `${filter}.${status}` };
  return status === undefined ? {} : { index: "by", value: `status.${status}` };
}

const createArticle = articleResource.custom.create({
  summary: "Track a page",
  description: "A page is tracked once, identified by its URL without fragment and utm_ parameters.",
  body: z.strictObject({
    url: HttpUrl,
    title: z.string().trim().max(300).default(""),
    focus_keyphrase: articleFields.focus_keyphrase.default(null),
    locale: LanguageTag.optional(),
    draft_id: Id.nullable().default(null),
    metadata: articleFields.metadata.default({}),
    check: z.boolean().default(false).meta({ description: "Fetch the page soon" }),
  }),
  errors: [
    { type: "not_found", when: "No draft with the id in `draft_id`" },
    conflictWhen("already_tracked", "The page is already tracked"),
  ],
  example: {
    body: { url: "https://crumb.example/blog/rye?utm_source=mail", focus_keyphrase: "rye bread" },
  },
  handle: async ({ body }, ctx) => {
    const { tx, nowAt } = ctx;
    const url = normaliseUrl(body.url);
    if (url === null)
      throw invalidField(["url"], "Expected an absolute http or https URL without user name and password.");
    const settings = await readSettings(tx);
    const { check, locale = settings.locale, ...input } = body;
    const source = body.draft_id === null ? "import" : "draft";
    if (input.draft_id !== null) await tx.require(drafts, input.draft_id);
    const stored = await trackArticle(tx, newArticle({ ...input, url, locale, source }, settings, nowAt));
    if (stored === null) {
      throw conflict("already_tracked", `${url} is already tracked as ${articleId(url)}.`);
    }
    if (check) queueInspection(tx, ctx.newId("chk"), stored.id, nowAt);
    return created(stored, `/articles/${stored.id}`);
  },
});

const getArticle = articleResource.get({ summary: "Show a tracked article" });

const updateArticle = articleResource.custom.update({
  summary: "Change a tracked article",
  description: "Fields that are set by a fetch cannot be changed.",
  body: z.strictObject({ ...articleFields, draft_id: Id.nullable() }).partial(),
  example: { body: { focus_keyphrase: "rye bread" } },
  handle: async ({ params: { id }, body }, ctx) => {
    const before = await ctx.current(articles, id);
    const next = { ...mergePatch(before.value, body), updated_at: ctx.nowAt };
    return item(await saveArticle(ctx.tx, before, next));
  },
});

/** Checks deleted with their article; the job stores fewer. */
const CHECKS_MAX = 40;

const removeArticle = articleResource.custom.remove({
  summary: "Stop tracking an article",
  handle: async ({ params: { id } }, ctx) => {
    const { tx } = ctx;
    tx.remove(articles, await ctx.current(articles, id));
    await forget(tx, id);
    const metrics = await tx.get(articleMetrics, id);
    if (metrics !== null) tx.remove(articleMetrics, metrics);
    const checks = await tx.peekPage(inspections, { index: "article", value: id, limit: CHECKS_MAX });
    for (const one of checks.items) {
      const stored = await tx.get(inspections, one.id);
      if (stored !== null) tx.remove(inspections, stored);
    }
    return empty();
  },
});

export const articleRoutes = [listArticles, createArticle, getArticle, updateArticle, removeArticle];
