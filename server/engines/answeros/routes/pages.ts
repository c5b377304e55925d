import { z } from "zod";

import { textErrors } from "../../../core/text-errors.ts";
import { byValue } from "../../../core/by-value.ts";
import { conflict, conflictWhen, fail, invalidField, unprocessableWhen } from "../../../lib/errors.ts";
import { mergePatch } from "../../../lib/merge-patch.ts";
import { awaitTurns, takeTurn } from "../../../core/room.ts";
import type { Ctx } from "../../../core/route.ts";
import { accepted, created, empty, list } from "../../../core/reply.ts";
import { defineRoute } from "../../../core/route.ts";
import { Id, LanguageTag, listFields, ListQuery, withVersion } from "../../../core/schema.ts";
import type { Stored, Tx } from "../../../core/tx.ts";
import { resource } from "../../../core/resource.ts";
import { countRepeats } from "../services/readers.ts";
import { storeContent } from "../services/keep-page.ts";
import { slimPage } from "../services/page-tasks.ts";
import {
  latestScores,
  markups,
  pageContents,
  pages,
  questions,
  scores,
  sourceKey,
  urlKey,
} from "../repository.ts";
import { ANSWEROS_LIMITS, HttpUrl, Page, PageSource, PageType, Score } from "../schema.ts";
import type { PageContent } from "../schema.ts";
import { newResource } from "../../../lib/new-resource.ts";

const PageView = withVersion(Page);
const Html = z
  .string()
  .min(1)
  .max(ANSWEROS_LIMITS.htmlChars * 2);
const TrackedIds = z.array(Id).max(ANSWEROS_LIMITS.trackedQuestions);
const members = {
  page_type: PageType,
  locale: LanguageTag,
  entity: z.string().trim().min(1).max(200).nullable().meta({
    description: "Subject of the page in the customers' words; null: its H1 or title",
  }),
  tracked_question_ids: TrackedIds.meta({
    description: "Questions that it should answer, most important first",
  }),
};
const Create = z.strictObject({
  url: HttpUrl.nullable().default(null),
  source: PageSource.nullable().default(null),
  html: Html.optional().meta({ description: "The content of the page, if it is not to be fetched" }),
  page_type: members.page_type.default("other"),
  locale: members.locale.default("en-GB"),
  entity: members.entity.default(null),
  tracked_question_ids: members.tracked_question_ids.default([]),
});
const Update = z.strictObject(members).partial();

const twice = conflictWhen("page_exists", "Another page has the URL or the source");
const tooLarge = unprocessableWhen("html_too_large", "The HTML is too large");

const pageResource = resource({
  id: "answeros.pages",
  collection: pages,
  view: PageView,
  example: "pag_01JD8Z5T9QK3M4N5P6R7S8T9V0",
});

const listPages = pageResource.list({
  summary: "List scored pages, newest first",
  query: z.object({
    ...listFields,
    page_type: PageType.optional(),
    status: Page.shape.status.optional(),
  }),
  find: (query) => {
    const { page_type: type, status, ...page } = query;
    const value = [type, status].filter((part) => part !== undefined).join(".");
    return byValue(value, page);
  },
});

const createPage = pageResource.custom.create({
  cost: 5,
  summary: "Add a page by its URL, its source, or its HTML",
  description:
    "With html it is parsed and scored immediately. Otherwise its status is queued: a job fetches the URL (public " +
    "addresses only, three redirects) or reads the draft of /v1/content, and then scores it.",
  body: Create,
  errors: [...textErrors, twice, tooLarge],
  example: {
    body: {
      url: "https://crumb.example/rye",
      html: "<html><head><title>Rye loaf | Crumb</title></head><body><h1>Rye loaf</h1><p>Rye loaf is a dense bread of 800 g that Crumb bakes on Tuesdays for £4.20.</p></body></html>",
      page_type: "product",
      entity: "Rye loaf",
    },
  },
  handle: async ({ body }, ctx) => {
    const { html, ...rest } = body;
    if (html === undefined && body.url === null && body.source === null) {
      throw invalidField(["url"], "Specify at least one of url, source and html.");
    }
    if (html === undefined && body.url === null && body.source?.type !== "draft") {
      throw invalidField(["source"], "Only drafts can be used as a source. Specify a url or html as well.");
    }
    await refuseTwice(ctx, body);
    await refuseStrangers(ctx, body.tracked_question_ids);
    const page = ctx.tx.create(pages, newPage(ctx, rest));
    if (html === undefined) return created(page, `/pages/${page.id}`);
    const kept = await storeContent(ctx.tx, page, await contentOf(ctx.tx, html), ctx);
    return created(kept.page, `/pages/${page.id}`);
  },
});

const getPage = pageResource.get({ summary: "Show a page" });

const updatePage = pageResource.update({
  summary: "Change the subject of a page or its questions",
  description: "Takes effect with the next score.",
  body: Update,
  example: { body: { entity: "Hackney sourdough" } },
  change: async (before, body, ctx) => {
    await refuseStrangers(ctx, body.tracked_question_ids ?? []);
    return mergePatch<Page>(before, body);
  },
});

const removePage = pageResource.custom.remove({
  summary: "Delete a page",
  description: "Its scores are retained as records. Refused while structured data of the page is published.",
  errors: [conflictWhen("schema_published", "Structured data of the page is published; unpublish it first")],
  handle: async ({ params }, ctx) => {
    const before = await ctx.current(pages, params.id);
    const published = { index: "page", value: `${params.id}.published`, limit: 1 };
    await awaitTurns(ctx.tx, `${markups.name}.page.${published.value}`);
    const [markup] = (await ctx.tx.peekPage(markups, published)).items;
    if (markup !== undefined) {
      throw conflict("schema_published", `${markup.id} of the page is published. Unpublish it first.`);
    }
    ctx.tx.remove(pages, before);
    const content = await ctx.tx.get(pageContents, params.id);
    if (content !== null) ctx.tx.remove(pageContents, content);
    const latest = await ctx.tx.get(latestScores, params.id);
    if (latest !== null) ctx.tx.remove(latestScores, latest);
    await countRepeats(ctx.tx, params.id, []);
    return empty();
  },
});

const refreshPage = pageResource.action("refresh", {
  cost: 5,
  status: 202,
  summary: "Refresh a page and score it",
  description:
    "With html it is parsed immediately; otherwise a job fetches it: poll the page for its status.",
  body: z.strictObject({ html: Html.optional() }),
  data: Page,
  errors: [
    ...textErrors,
    tooLarge,
    conflictWhen("nothing_to_fetch", "The page has neither a URL nor a draft; send its html"),
  ],
  example: {
    body: {
      html: "<html><head><title>Rye loaf | Crumb</title></head><body><h1>Rye loaf</h1><p>Rye loaf is a dense bread of 800 g that Crumb bakes on Tuesdays for £4.20.</p></body></html>",
    },
  },
  handle: async ({ params, body }, ctx) => {
    const before = await ctx.tx.require(pages, params.id);
    const page =
      body.html === undefined
        ? queue(ctx, before)
        : (await storeContent(ctx.tx, before, await contentOf(ctx.tx, body.html), ctx)).page;
    return accepted(page.value, `/pages/${page.id}`);
  },
});

const listPageScores = defineRoute({
  id: "answeros.page-scores.list",
  method: "GET",
  path: "/pages/:id/scores",
  summary: "List the scores of a page, newest first",
  query: ListQuery,
  data: z.array(withVersion(Score)),
  example: { params: { id: "pag_01JD8Z5T9QK3M4N5P6R7S8T9V0" } },
  handle: async ({ params, query }, { tx }) => {
    if (!/^[A-Za-z0-9_]+$/.test(params.id)) throw fail("not_found", "No such resource.");
    const page = await tx.peekPage(scores, { index: "page", value: params.id, ...query });
    await tx.require(pages, params.id);
    return list(page);
  },
});

function newPage(ctx: Ctx, input: Omit<z.output<typeof Create>, "html">): Page {
  return {
    ...newResource(ctx.newId("pag"), ctx.nowAt),
    ...input,
    html_hash: null,
    meta: null,
    status: "queued",
    error: null,
    fetched_at: null,
    latest_score: null,
  };
}

function queue(ctx: Ctx, before: Stored<Page>): Stored<Page> {
  const { url, source } = before.value;
  if (url === null && source?.type !== "draft") {
    throw conflict("nothing_to_fetch", "The page has neither a URL nor a draft. Send its html.");
  }
  return ctx.tx.put(pages, before, { ...before.value, status: "queued", error: null, updated_at: ctx.nowAt });
}

/** The reduced HTML to store; throws 422 if it is too large. */
export async function contentOf(tx: Tx, html: string): Promise<Omit<PageContent, "id">> {
  const slim = await slimPage(tx, html);
  if (slim !== null) return { html: slim, robots_txt: null, x_robots_tag: null };
  throw invalidField(
    ["html"],
    `The HTML can have at most ${ANSWEROS_LIMITS.htmlChars} bytes without scripts, styles and comments.`,
    "html_too_large",
  );
}

async function refuseTwice({ tx }: Ctx, { url, source }: Pick<Page, "url" | "source">): Promise<void> {
  const keys = [
    ...(url === null ? [] : [{ what: "URL", value: urlKey(url) }]),
    ...(source === null ? [] : [{ what: "source", value: sourceKey(source) }]),
  ];
  if (keys.length > 0) await takeTurn(tx, pages.name);
  for (const { what, value } of keys) {
    const [other] = (await tx.peekPage(pages, { index: "url", value, limit: 1 })).items;
    if (other !== undefined)
      throw conflict(
        "page_exists",
        `The page ${other.id} already has this ${what}. Refresh that page instead.`,
      );
  }
}

async function refuseStrangers({ tx }: Ctx, ids: readonly string[]): Promise<void> {
  for (const [index, id] of ids.entries()) {
    if ((await tx.get(questions, id)) === null) {
      throw invalidField(["tracked_question_ids", index], "No question with this id.");
    }
  }
}

export const pageRoutes = [
  listPages,
  createPage,
  getPage,
  updatePage,
  removePage,
  refreshPage,
  listPageScores,
];
