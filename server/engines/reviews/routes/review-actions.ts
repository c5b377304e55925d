import { z } from "zod";

import { conflict, conflictWhen, fail, unprocessableWhen } from "../../../lib/errors.ts";
import type { Ctx } from "../../../core/route.ts";
import { item, ok } from "../../../core/reply.ts";
import { defineRoute } from "../../../core/route.ts";
import { Id } from "../../../core/schema.ts";
import type { Stored } from "../../../core/tx.ts";
import { flagReview, voteOnReview } from "../services/ballots.ts";
import { reviewWorkOf } from "../services/work.ts";
import { moveReview } from "../services/moderate.ts";
import { saveReview } from "../services/save-review.ts";
import { readSettings, reviews } from "../repository.ts";
import { openToken } from "../../../core/link-token.ts";
import { Review } from "../schema.ts";
import { badState, checkMediaHost, voterOf } from "./env.ts";
import { ReviewView, reviewResource } from "./reviews.ts";
import { NewMedia } from "./submissions.ts";

export const VisitorId = z.string().min(1).max(128).optional().meta({
  description:
    "With a secret key: the store's own id of the visitor. Otherwise the visitor is identified by the request",
});
const Receipt = z.strictObject({ id: Id, received: z.literal(true) });

/** A review that a visitor can act on: others are reported as not found. */
async function requireShown(ctx: Ctx, id: string): Promise<Stored<Review>> {
  const stored = await ctx.tx.require(reviews, id);
  if (ctx.isPublic && stored.value.status !== "published") throw fail("not_found", "No such resource.");
  return stored;
}

const flag = reviewResource.action("flag", {
  open: "submit",
  summary: "Report a review that violates the policy",
  description:
    "Counted once per visitor, with a publishable key once per IP address and day, for ten reviews a day. Three reports, with a publishable key three of " +
    "one day, unpublish a review until it is moderated.",
  body: z.strictObject({ visitor_id: VisitorId }),
  data: Receipt,
  example: { body: { visitor_id: "cus-88" } },
  async handle({ params: { id }, body }, ctx) {
    await flagReview(ctx.tx, reviewWorkOf(ctx), await requireShown(ctx, id), voterOf(ctx, body.visitor_id));
    return ok({ id, received: true as const });
  },
});

const withdraw = reviewResource.action("withdraw", {
  open: "submit",
  summary: "Withdraw a review as its author",
  description:
    "The author is authenticated by the author_token of the receipt, or as a logged-in customer of the store " +
    "(customer_id, with a secret key).",
  body: z.strictObject({
    author_token: z.string().max(400).optional(),
    customer_id: z.string().min(1).max(128).optional(),
  }),
  data: Receipt,
  errors: [badState, { type: "forbidden", when: "Neither the token nor the customer id is the author's" }],
  example: { body: { customer_id: "cus-17" } },
  async handle({ params: { id }, body }, ctx) {
    const stored = await ctx.tx.require(reviews, id);
    const target =
      body.author_token === undefined ? null : openToken(ctx.ports, "reviews.author", body.author_token);
    const hasToken = target !== null && target.part === ctx.tx.part && target.id === id;
    const isLoggedIn =
      !ctx.isPublic && body.customer_id !== undefined && body.customer_id === stored.value.author.customer_id;
    if (!hasToken && !isLoggedIn)
      throw fail("forbidden", "Only its author can withdraw a review. Send the author_token of its receipt.");
    await moveReview(ctx.tx, reviewWorkOf(ctx), stored, { action: "withdraw" });
    return ok({ id, received: true as const });
  },
});

const vote = defineRoute({
  id: "reviews.reviews.vote",
  method: "POST",
  path: "/:id/votes",
  open: "submit",
  summary: "Vote whether a review was helpful",
  description:
    "One vote per visitor, with a publishable key one per IP address and day; a second one replaces the first.",
  body: z.strictObject({ helpful: z.boolean(), visitor_id: VisitorId }),
  data: z.strictObject({ id: Id, helpful: Review.shape.helpful }),
  errors: [conflictWhen("not_published", "The review is not published")],
  example: {
    params: { id: "rev_01JD8Z5T9QK3M4N5P6R7S8T9V0" },
    body: { helpful: true, visitor_id: "cus-88" },
  },
  async handle({ params: { id }, body }, ctx) {
    const stored = await requireShown(ctx, id);
    if (stored.value.status !== "published") {
      throw conflict("not_published", "Only published reviews can be voted on.");
    }
    const voter = voterOf(ctx, body.visitor_id);
    const next = await voteOnReview(ctx.tx, reviewWorkOf(ctx), stored, { ...voter, helpful: body.helpful });
    return ok({ id, helpful: next.value.helpful });
  },
});

const MEDIA_MAX = 10;

const addMedia = defineRoute({
  id: "reviews.reviews.add-media",
  method: "POST",
  path: "/:id/media",
  status: 201,
  summary: "Add an image or video to a review",
  description:
    "Not shown until it is approved; media submitted with a review are shown with it. The host must be in " +
    "media_hosts of the settings.",
  body: NewMedia.strict(),
  data: ReviewView,
  errors: [
    conflictWhen("limit_reached", "The review already has ten"),
    unprocessableWhen("media_host_not_allowed", "The host is not in media_hosts of the settings"),
  ],
  example: {
    params: { id: "rev_01JD8Z5T9QK3M4N5P6R7S8T9V0" },
    body: { type: "image", url: "https://cdn.bakery.example/reviews/1.jpg", alt: "A sliced oat bar" },
  },
  async handle({ params: { id }, body }, ctx) {
    const stored = await ctx.tx.require(reviews, id);
    const { media } = stored.value;
    checkMediaHost(body.url, await readSettings(ctx.tx), ["url"]);
    if (media.length >= MEDIA_MAX) throw conflict("limit_reached", "A review can have at most ten media.");
    const added = { ...body, id: ctx.newId("med"), status: "pending" as const };
    const next = await saveReview(ctx.tx, stored, {
      ...stored.value,
      media: [...media, added],
      updated_at: ctx.nowAt,
    });
    return { ...item(next), status: 201 as const, location: `/${id}` };
  },
});

const decideMedia = defineRoute({
  id: "reviews.reviews.decide-media",
  method: "PUT",
  path: "/:id/media/:media_id/status",
  scope: "manage",
  summary: "Show or hide an image or video of a review",
  body: z.strictObject({ status: z.enum(["published", "rejected"]) }),
  data: ReviewView,
  example: {
    params: { id: "rev_01JD8Z5T9QK3M4N5P6R7S8T9V0", media_id: "med_01JD8Z5T9QK3M4N5P6R7S8T9V0" },
    body: { status: "published" },
  },
  async handle({ params: { id, media_id: mediaId }, body: { status } }, ctx) {
    const stored = await ctx.current(reviews, id);
    const { media } = stored.value;
    if (!media.some((one) => one.id === mediaId))
      throw fail("not_found", "No media with this id in this review.");
    const next = media.map((one) => (one.id === mediaId ? { ...one, status } : one));
    return item(await saveReview(ctx.tx, stored, { ...stored.value, media: next, updated_at: ctx.nowAt }));
  },
});

export const reviewActionRoutes = [flag, withdraw, vote, addMedia, decideMedia];
