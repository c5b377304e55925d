import { z } from "zod";

import { raw } from "../../../core/reply.ts";
import { defineRoute } from "../../../core/route.ts";
import { streamFeed } from "../services/feed.ts";

const googleFeed = defineRoute({
  id: "reviews.feeds.google",
  cost: 10,
  method: "GET",
  path: "/feeds/google.xml",
  open: "public",
  summary: "Show all published product reviews as a Google review feed, version 2.4",
  description:
    "Always the complete feed: Google deletes reviews that are missing from the next one. Contains only reviews of " +
    "products, variants and menu items that have a text and a page (product_url). To let Google fetch it, use " +
    "feed_url of the settings, which requires no key. With a publishable key, ids of customers and orders are " +
    "omitted.",
  data: z.string(),
  rawType: "application/xml",
  handle: async (_, ctx) =>
    raw("application/xml; charset=utf-8", await streamFeed(ctx.runTx, ctx.tx.part, ctx.isPublic)),
});

export const feedRoutes = [googleFeed];
