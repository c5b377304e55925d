import { LanguageTag, urlUpTo } from "../../../core/schema.ts";
import { z } from "zod";

import { raw } from "../../../core/reply.ts";
import { defineOpenRoute } from "../../../core/route.ts";
import type { Reply } from "../../../core/reply.ts";
import type { OpenCtx } from "../../../core/route.ts";
import { publicPart, storeParams, toPublic } from "../../../core/public-store.ts";
import type { Tx } from "../../../core/tx.ts";
import { fail } from "../../../lib/errors.ts";
import type { FeedFormat } from "../formats/feeds.ts";
import { posts, readSettings } from "../repository.ts";
import { movedTo } from "../services/site-pages.ts";
import { FEED_TYPES, readFeed, readSitemap } from "../services/feeds.ts";

const FORMATS: readonly FeedFormat[] = ["rss", "atom", "json"];

/** What `read` returns, for everyone; 404 for a store that has published nothing. */
async function show(
  part: string,
  ctx: OpenCtx,
  read: (tx: Tx) => Promise<Reply<never>>,
): Promise<Reply<never>> {
  return ctx.runTx(part, async (tx) => {
    const { items } = await tx.peekPage(posts, { index: "live", limit: 1 });
    if (items.length === 0) throw fail("not_found", "No store with published posts has this id.");
    return toPublic(await read(tx));
  });
}

const feed = (format: FeedFormat) =>
  defineOpenRoute({
    id: `public.content.${format}`,
    method: "GET",
    path: `/stores/:store/content/${format}`,
    paidBy: publicPart,
    summary: "The newest posts of a store as a feed, without a key",
    params: storeParams,
    data: z.string(),
    rawType: FEED_TYPES[format],
    hidden: true,
    example: { params: { store: "sto_01jd8z5t9qk3m4n5p6r7s8t9v0" } },
    handle: ({ params }, ctx) => show(params.store, ctx, (tx) => readFeed(tx, format, ctx.baseUrl)),
  });

const sitemap = defineOpenRoute({
  id: "public.content.sitemap",
  method: "GET",
  path: "/stores/:store/content/sitemap.xml",
  paidBy: publicPart,
  summary: "The published posts of a store as a sitemap, without a key",
  params: storeParams,
  data: z.string(),
  rawType: "application/xml",
  hidden: true,
  example: { params: { store: "sto_01jd8z5t9qk3m4n5p6r7s8t9v0" } },
  handle: ({ params }, ctx) => show(params.store, ctx, readSitemap),
});

const moved = defineOpenRoute({
  id: "public.content.moved",
  method: "GET",
  path: "/stores/:store/content/moved",
  summary: "Redirect an earlier URL of a post to its current one, without a key",
  paidBy: publicPart,
  params: storeParams,
  query: z.object({ url: urlUpTo(2_000, {}), locale: LanguageTag.optional() }),
  data: z.string(),
  rawType: "text/plain",
  errors: [{ type: "not_found", when: "It was never the URL of a post of this store, or still is" }],
  hidden: true,
  example: {
    params: { store: "sto_01jd8z5t9qk3m4n5p6r7s8t9v0" },
    query: { url: "https://old.example/blog/rye-bread" },
  },
  handle: ({ params, query: { locale, url } }, ctx) =>
    ctx.runTx(params.store, async (tx) => {
      const settings = await readSettings(tx);
      const to = await movedTo(tx, settings, { url, locale: locale ?? settings.locale });
      if (to === null)
        throw fail("not_found", "This is not an earlier URL of a published post of this store.");
      return toPublic(raw("text/plain; charset=utf-8", "", { status: 301, headers: { Location: to } }));
    }),
});

export const publicFeedRoutes = [...FORMATS.map(feed), sitemap, moved];
