import { z } from "zod";

import { defineRoute, raw } from "../../../core/route.ts";
import { streamFeed } from "../services/feed.ts";

const googleFeed = defineRoute({
  id: "reviews.feeds.google",
  method: "GET",
  path: "/feeds/google.xml",
  open: "public",
  summary: "All published product reviews as Google's review feed, version 2.4",
  description:
    "Always the whole feed: Google deletes what the next one lacks. Only reviews of products, variants and menu items that have words and a page (product_url) are in it. " +
    "For Google to fetch it, use feed_url of the settings, which needs no key. A publishable key sees no ids of customers and orders.",
  data: z.string(),
  rawType: "application/xml",
  example: {},
  handle: async (_, ctx) =>
    raw("application/xml; charset=utf-8", await streamFeed(ctx.runTx, ctx.tx.part, ctx.isPublic)),
});

export const feedRoutes = [googleFeed];
