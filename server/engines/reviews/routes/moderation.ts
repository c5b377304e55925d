import { z } from "zod";

import { defineRoute, item } from "../../../core/route.ts";
import { reviewWorkOf } from "../services/work.ts";
import { moveReview } from "../services/moderate.ts";
import { reviews } from "../repository.ts";
import { RejectionReason } from "../schema/parts.ts";
import { badState } from "./env.ts";
import { exampleReview } from "./examples.ts";
import { ReviewView } from "./reviews.ts";

/** The reason, for moderators only; never public. */
export const Note = z.string().trim().max(500).default("");
const pending = { ...exampleReview, status: "pending" as const, published_at: null };

const approve = defineRoute({
  id: "reviews.reviews.approve",
  method: "POST",
  path: "/:id/approve",
  scope: "manage",
  summary: "Publish a pending or rejected review",
  description: "Replaces an earlier review of the same author about the same target and order.",
  body: z.strictObject({ note: Note }),
  data: ReviewView,
  status: 200,
  errors: [badState],
  example: { params: { id: exampleReview.id }, body: {}, data: exampleReview },
  handle: async ({ params: { id }, body: { note } }, ctx) =>
    item(
      await moveReview(ctx.tx, reviewWorkOf(ctx), await ctx.tx.require(reviews, id), {
        action: "approve",
        note,
      }),
    ),
});

const reject = defineRoute({
  id: "reviews.reviews.reject",
  method: "POST",
  path: "/:id/reject",
  scope: "manage",
  summary: "Reject a review for one of the reasons that apply to every rating",
  description:
    "There is no reason for negative opinions: rejecting by rating or opinion is unlawful (16 CFR 465.7, DMCC Act " +
    "2024), and GET /v1/reviews/compliance would show it.",
  body: z.strictObject({ reason: RejectionReason, note: Note }),
  data: ReviewView,
  errors: [badState],
  example: {
    params: { id: exampleReview.id },
    body: { reason: "off_topic", note: "About the parcel service" },
    data: { ...exampleReview, status: "rejected", published_at: null },
  },
  handle: async ({ params: { id }, body }, ctx) =>
    item(
      await moveReview(ctx.tx, reviewWorkOf(ctx), await ctx.tx.require(reviews, id), {
        action: "reject",
        ...body,
      }),
    ),
});

const spam = defineRoute({
  id: "reviews.reviews.spam",
  method: "POST",
  path: "/:id/spam",
  scope: "manage",
  summary: "Mark a review as spam",
  body: z.strictObject({ note: Note }),
  data: ReviewView,
  errors: [badState],
  example: {
    params: { id: exampleReview.id },
    body: {},
    data: { ...exampleReview, status: "spam", published_at: null },
  },
  handle: async ({ params: { id }, body: { note } }, ctx) =>
    item(
      await moveReview(ctx.tx, reviewWorkOf(ctx), await ctx.tx.require(reviews, id), {
        action: "spam",
        note,
      }),
    ),
});

const unspam = defineRoute({
  id: "reviews.reviews.unspam",
  method: "POST",
  path: "/:id/unspam",
  scope: "manage",
  summary: "Unmark a review as spam; its status becomes pending",
  body: z.strictObject({ note: Note }),
  data: ReviewView,
  errors: [badState],
  example: { params: { id: exampleReview.id }, body: {}, data: pending },
  handle: async ({ params: { id }, body: { note } }, ctx) =>
    item(
      await moveReview(ctx.tx, reviewWorkOf(ctx), await ctx.tx.require(reviews, id), {
        action: "unspam",
        note,
      }),
    ),
});

export const moderationRoutes = [approve, reject, spam, unspam];
