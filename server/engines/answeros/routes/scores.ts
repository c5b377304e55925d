import { z } from "zod";

import { textErrors } from "../../../core/text-errors.ts";
import { byValue } from "../../../core/by-value.ts";
import {
  conflict,
  conflictWhen,
  invalidField,
  invalidParameter,
  unprocessableWhen,
} from "../../../lib/errors.ts";
import { takeTurn } from "../../../core/room.ts";
import type { Ctx } from "../../../core/route.ts";
import { list, ok } from "../../../core/reply.ts";
import { missing } from "../../../core/route.ts";
import { Id, LanguageTag, listFields, withVersion, pickShown } from "../../../core/schema.ts";
import type { StoredPage, Tx } from "../../../core/tx.ts";
import { resource } from "../../../core/resource.ts";
import { scoreSource } from "../services/page-tasks.ts";
import { readScore, storeScore } from "../services/score.ts";
import { latestScores, pageContents, pages, scores, urlKey } from "../repository.ts";
import { ANSWEROS_LIMITS, Band, HttpUrl, Page, PageType, Score, scoreFields } from "../schema.ts";
import { contentOf } from "./pages.ts";

const ScoreView = withVersion(Score);
const Total = z.coerce.number().pipe(z.int().min(0).max(100));
const ScoresQuery = z.object({
  ...listFields,
  page_id: Id.optional(),
  page_type: PageType.optional(),
  band: Band.optional(),
  latest: z
    .enum(["true", "false"])
    .optional()
    .meta({ description: "true: only the newest score of each page" }),
  sort: z.enum(["computed_at", "total", "delta"]).optional().meta({
    description:
      "computed_at: newest first; with latest=true also total (lowest first) and delta (largest fall first)",
  }),
  min: Total.optional().meta({ description: "Minimum total; with sort=total" }),
  max: Total.optional().meta({ description: "Maximum total; with sort=total" }),
});
type ScoresFilter = z.output<typeof ScoresQuery>;

const scoreResource = resource({
  id: "answeros.scores",
  collection: scores,
  view: ScoreView,
  example: "scr_01JD8Z5T9QK3M4N5P6R7S8T9V0",
});

const listScores = scoreResource.custom.list({
  summary: "List answer-engine scores, newest first",
  description:
    "All scores of all pages, or with latest=true the current one of each page. min and max require latest=true and " +
    "sort=total.",
  query: ScoresQuery,
  handle: async ({ query }, { tx }) => {
    const { latest, ...filters } = query;
    return list(await (latest === "true" ? latestPage(tx, filters) : historyPage(tx, filters)));
  },
});

/** All scores of one page, or of pages of a type and band. */
function historyPage(
  tx: Tx,
  { page_id: page, page_type: type, band, sort, min, max, ...query }: ScoresFilter,
) {
  if (sort === "total" || sort === "delta") throw invalidParameter("sort", "Requires latest=true.");
  if (min !== undefined) throw invalidParameter("min", "Requires latest=true and sort=total.");
  if (max !== undefined) throw invalidParameter("max", "Requires latest=true and sort=total.");
  if (page !== undefined) {
    if (type !== undefined) throw invalidParameter("page_type", "Cannot be combined with page_id.");
    if (band !== undefined) throw invalidParameter("band", "Cannot be combined with page_id.");
    return tx.peekPage(scores, { ...query, index: "page", value: safe(page) });
  }
  const value = [type, band].filter((part) => part !== undefined).join(".");
  return tx.peekPage(scores, byValue(value, query));
}

/** The newest scores of pages in the requested order. */
async function latestPage(tx: Tx, filters: ScoresFilter): Promise<StoredPage<Score>> {
  const { page_id: pageId, page_type: type, band, sort = "computed_at", min, max, limit, cursor } = filters;
  if (pageId !== undefined) {
    const other = (["page_type", "band", "min", "max"] as const).find((name) => filters[name] !== undefined);
    if (other !== undefined) throw invalidParameter(other, "Cannot be combined with page_id.");
    return newestOf(tx, pageId, limit);
  }
  if (sort !== "total" && min !== undefined) throw invalidParameter("min", "Requires sort=total.");
  if (sort !== "total" && max !== undefined) throw invalidParameter("max", "Requires sort=total.");
  const facet = [type, band].filter((part) => part !== undefined).join(".");
  const index = sort === "computed_at" ? "recent" : sort;
  const from = min === undefined ? {} : { from: String(min).padStart(4, "0") };
  const page = await tx.peekPage(latestScores, { index, value: facet || "all", limit, cursor, ...from });
  const within = page.items.filter(({ value }) => value.total <= (max ?? 100));
  const items = await Promise.all(within.map(({ value }) => tx.get(scores, value.score_id)));
  return {
    items: items.filter((score) => score !== null),
    limit,
    // The first one above the maximum ends the list: all following ones are above as well.
    next: within.length < page.items.length ? null : page.next,
  };
}

async function newestOf(tx: Tx, pageId: string, limit: number): Promise<StoredPage<Score>> {
  const page = await tx.peekPage(scores, { index: "page", value: safe(pageId), limit: 1 });
  return { items: page.items, limit, next: null };
}

/** Ids in the query are user input: one that no index contains matches nothing. */
const safe = (id: string): string => (/^[A-Za-z0-9_]+$/.test(id) ? id : "none");

const Create = z.strictObject({
  page_id: Id.optional(),
  url: HttpUrl.optional(),
  html: z
    .string()
    .min(1)
    .max(ANSWEROS_LIMITS.htmlChars * 2)
    .optional(),
  page_type: PageType.default("other").meta({ description: "For url and html; a page has its own subject" }),
  locale: LanguageTag.default("en-GB"),
  entity: z.string().trim().min(1).max(200).nullable().default(null),
  questions: z
    .array(z.string().trim().min(3).max(300))
    .max(ANSWEROS_LIMITS.trackedQuestions)
    .default([])
    .meta({ description: "With html: questions that it should answer" }),
});
/** A score without the fields of its record. */
const Result = z.strictObject(scoreFields);
const Answer = z.strictObject({
  kept: z.boolean().meta({ description: "False if the score was computed without storing it" }),
  score_id: Id.nullable(),
  page_id: Id.nullable(),
  page_status: Page.shape.status.nullable(),
  score: Result.nullable().meta({ description: "Null until the page has been fetched" }),
});

const createScore = scoreResource.custom.create({
  status: 200,
  cost: 10,
  summary: "Score a page, a URL, or HTML",
  description:
    "page_id: scores the page as last fetched; the score is stored. html: the score is not stored. url: creates the " +
    "page if necessary, and a job fetches it; the score is available when page_status is ready.",
  body: Create,
  data: Answer,
  errors: [
    ...textErrors,
    missing,
    conflictWhen("page_not_read", "The page has not been fetched yet; refresh it"),
    unprocessableWhen("html_too_large", "The HTML is too large"),
  ],
  example: {
    body: {
      html: "<html><head><title>Rye loaf | Crumb</title></head><body><h1>Rye loaf</h1><p>Rye loaf is a dense bread of 800 g that Crumb bakes on Tuesdays for £4.20.</p></body></html>",
      page_type: "product",
      questions: ["What is a rye loaf?"],
    },
  },
  handle: async ({ body }, ctx) => {
    const inputs = [body.page_id, body.url, body.html].filter((one) => one !== undefined);
    if (inputs.length !== 1) throw invalidField(["page_id"], "Specify exactly one of page_id, url and html.");
    if (body.page_id !== undefined) return ok(await scoreStored(ctx, body.page_id));
    if (body.html !== undefined) return ok(await scoreHtml(ctx, body.html, body));
    return ok(await queueUrl(ctx, body.url ?? "", body));
  },
});

async function scoreStored(ctx: Ctx, pageId: string): Promise<z.input<typeof Answer>> {
  const before = await ctx.tx.require(pages, pageId);
  const content = await ctx.tx.get(pageContents, pageId);
  if (content === null) {
    throw conflict("page_not_read", "The page has not been fetched yet. Refresh it first.");
  }
  const { score, page } = await storeScore(
    ctx.tx,
    before,
    await readScore(ctx.tx, before.value, content.value, ctx.now),
    ctx,
  );
  return {
    kept: true,
    score_id: score.id,
    page_id: page.id,
    page_status: page.value.status,
    score: pickShown(Result, score.value),
  };
}

type ScoreInput = z.output<typeof Create>;

async function scoreHtml(ctx: Ctx, html: string, texts: ScoreInput): Promise<z.input<typeof Answer>> {
  const { html: slim } = await contentOf(ctx.tx, html);
  const { result } = await scoreSource(ctx.tx, {
    source: { html: slim, url: null, locale: texts.locale, x_robots_tag: null },
    context: {
      url: null,
      page_type: texts.page_type,
      entity: texts.entity,
      questions: texts.questions,
      robots_txt: null,
      now: ctx.now,
    },
  });
  return {
    kept: false,
    score_id: null,
    page_id: null,
    page_status: null,
    score: { ...result, computed_at: ctx.nowAt },
  };
}

async function queueUrl(ctx: Ctx, url: string, texts: ScoreInput): Promise<z.input<typeof Answer>> {
  await takeTurn(ctx.tx, pages.name);
  const { items } = await ctx.tx.peekPage(pages, { index: "url", value: urlKey(url), limit: 1 });
  const before = items[0] === undefined ? null : await ctx.tx.get(pages, items[0].id);
  const { nowAt } = ctx;
  const waiting = { status: "queued" as const, error: null, updated_at: nowAt };
  const page =
    before === null
      ? ctx.tx.create(pages, {
          id: ctx.newId("pag"),
          created_at: nowAt,
          url,
          source: null,
          page_type: texts.page_type,
          locale: texts.locale,
          entity: texts.entity,
          html_hash: null,
          meta: null,
          tracked_question_ids: [],
          fetched_at: null,
          latest_score: null,
          ...waiting,
        })
      : ctx.tx.put(pages, before, { ...before.value, ...waiting });
  return { kept: true, score_id: null, page_id: page.id, page_status: "queued", score: null };
}

const getScore = scoreResource.get({ summary: "Show a score with all its checks" });

export const scoreRoutes = [listScores, createScore, getScore];
