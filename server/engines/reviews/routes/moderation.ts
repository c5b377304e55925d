import { z } from "zod";

import { item } from "../../../core/reply.ts";
import { settleFlags } from "../services/ballots.ts";
import { reviewWorkOf } from "../services/work.ts";
import type { Grounds } from "../services/moderate.ts";
import { moveReview } from "../services/moderate.ts";
import { reviews } from "../repository.ts";
import { RejectionReason } from "../schema/parts.ts";
import { badState } from "./env.ts";
import { reviewResource } from "./reviews.ts";

/** The reason, for moderators only; never public. */
export const Note = z.string().trim().max(500).default("");
const Decided: z.ZodType<Grounds, { [K in keyof Grounds]?: Grounds[K] | undefined }> = z.strictObject({
  note: Note,
});
const Rejected: typeof Decided = z.strictObject({ reason: RejectionReason, note: Note });

/** A decision about a review, which the answer shows. */
const decision = (
  action: "approve" | "reject" | "spam" | "unspam",
  texts: { readonly summary: string; readonly description?: string },
) =>
  reviewResource.action(action, {
    ...texts,
    scope: "manage",
    body: action === "reject" ? Rejected : Decided,
    errors: [badState],
    example: {
      body: action === "reject" ? { reason: "off_topic", note: "About the parcel service" } : {},
    },
    async handle({ params: { id }, body }, ctx) {
      const stored = await ctx.tx.require(reviews, id);
      const work = reviewWorkOf(ctx);
      if (action === "approve") await settleFlags(ctx.tx, work, stored.value);
      return item(await moveReview(ctx.tx, work, stored, { action, ...body }));
    },
  });

const approve = decision("approve", {
  summary: "Publish a pending or rejected review",
  description:
    "Replaces an earlier review of the same author about the same target and order. Where the review had reports, further ones " +
    "are counted and no longer unpublish it.",
});
const reject = decision("reject", {
  summary: "Reject a review for one of the reasons that apply to every rating",
  description:
    "There is no reason for negative opinions: rejecting by rating or opinion is unlawful (16 CFR 465.7, DMCC Act " +
    "2024), and GET /v1/reviews/compliance would show it.",
});
const spam = decision("spam", { summary: "Mark a review as spam" });
const unspam = decision("unspam", { summary: "Unmark a review as spam; its status becomes pending" });

export const moderationRoutes = [approve, reject, spam, unspam];
