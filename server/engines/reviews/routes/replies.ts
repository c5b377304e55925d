import { z } from "zod";

import { listUnder } from "../../../core/by-value.ts";
import { conflict, conflictWhen } from "../../../lib/errors.ts";
import { created, empty, item, ok } from "../../../core/reply.ts";
import { defineRoute } from "../../../core/route.ts";
import { routesOf } from "../../../core/resource.ts";
import { Id, ListQuery, withVersion } from "../../../core/schema.ts";
import { reviewWorkOf } from "../services/work.ts";
import { sendPrivateReply } from "../services/mails.ts";
import { saveReview } from "../services/save-review.ts";
import { privateReplies, readSettings, reviews } from "../repository.ts";
import { PrivateReply } from "../schema/records.ts";
import { badState } from "./env.ts";
import { ReviewView } from "./reviews.ts";
import { aiErrors } from "../../../core/ai.ts";
import { textErrors } from "../../../core/text-errors.ts";
import { newResource } from "../../../lib/new-resource.ts";

const Words = z.string().trim().min(1).max(2000);
const By = z
  .string()
  .trim()
  .max(100)
  .optional()
  .meta({ description: "Signature of the reply. Default: the store's name" });

const putReply = defineRoute({
  id: "reviews.replies.put",
  method: "PUT",
  path: "/:id/reply",
  summary: "Reply to a review publicly",
  description: "Shown below the review. A second reply replaces the first.",
  body: z.strictObject({ body: Words, by: By }),
  data: ReviewView,
  errors: [badState],
  example: { params: { id: "rev_01JD8Z5T9QK3M4N5P6R7S8T9V0" }, body: { body: "Thank you, Ada!" } },
  async handle({ params: { id }, body }, ctx) {
    const stored = await ctx.current(reviews, id);
    const { status } = stored.value;
    if (status !== "published" && status !== "pending") {
      throw conflict("invalid_transition", `A review with status \`${status}\` cannot have a reply.`);
    }
    const { shop_name: shop } = await readSettings(ctx.tx);
    const reply = {
      body: body.body,
      by: body.by ?? (shop || "The shop"),
      at: ctx.nowAt,
      status: "published" as const,
    };
    const next = await saveReview(ctx.tx, stored, { ...stored.value, reply, updated_at: ctx.nowAt });
    ctx.tx.emit({
      id: ctx.newId("evt"),
      type: "reviews.review.replied",
      at: ctx.nowAt,
      data: { review_id: id },
    });
    return item(next);
  },
});

const removeReply = defineRoute({
  id: "reviews.replies.remove",
  method: "DELETE",
  path: "/:id/reply",
  summary: "Delete the public reply",
  data: z.null(),
  example: { params: { id: "rev_01JD8Z5T9QK3M4N5P6R7S8T9V0" } },
  async handle({ params: { id } }, ctx) {
    const stored = await ctx.current(reviews, id);
    if (stored.value.reply !== null) {
      await saveReview(ctx.tx, stored, { ...stored.value, reply: null, updated_at: ctx.nowAt });
    }
    return empty();
  },
});

const privateReplyResource = routesOf({
  id: "reviews.private-replies",
  path: "/:id/private-replies",
  view: withVersion(PrivateReply),
  example: "rev_01JD8Z5T9QK3M4N5P6R7S8T9V0",
});

const createPrivateReply = privateReplyResource.create({
  summary: "Send the author a private reply by mail",
  body: z.strictObject({ body: Words, by: By }),
  errors: [conflictWhen("no_email", "The author has no e-mail address")],
  example: { body: { body: "We are sorry. May we send you another?" } },
  async handle({ params: { id }, body }, ctx) {
    const { value: review } = await ctx.tx.require(reviews, id);
    if (review.email === null) throw conflict("no_email", "The author has no e-mail address.");
    const settings = await readSettings(ctx.tx);
    const stored = ctx.tx.create(privateReplies, {
      ...newResource(ctx.newId("prp"), ctx.nowAt),
      review_id: id,
      body: body.body,
      by: body.by ?? (settings.shop_name || "The shop"),
      email: review.email,
    });
    await sendPrivateReply(ctx.tx, reviewWorkOf(ctx), { review, reply: stored.value, settings });
    return created(stored, `/${id}/private-replies`);
  },
});

const listPrivateReplies = privateReplyResource.list({
  summary: "List private replies to a review, newest first",
  query: ListQuery,
  handle: listUnder(reviews, privateReplies, "review"),
});

const suggest = defineRoute({
  id: "reviews.reply-suggestions.create",
  method: "POST",
  path: "/:id/reply-suggestions",
  summary: "Generate a draft of a reply",
  description:
    "Uses the store's AI budgets; the built-in provider sends no data to third parties. Nothing is published: review " +
    "the draft first. Claims that are not supported by the review are listed.",
  body: z.strictObject({
    instructions: z.string().trim().max(500).optional(),
    provider: z.string().max(60).optional(),
  }),
  data: z.strictObject({
    text: z.string(),
    provider: z.string(),
    model: z.string(),
    fallback: z.boolean(),
    unsupported_claims: z.array(
      z.strictObject({ kind: z.string(), text: z.string(), missing: z.literal(true).optional() }),
    ),
    usage_id: Id,
  }),
  // The model is the default one of the provider.
  errors: [...textErrors, ...aiErrors.filter(({ code }) => code !== "unknown_model")],
  example: {
    params: { id: "rev_01JD8Z5T9QK3M4N5P6R7S8T9V0" },
    body: {},
  },
  async handle({ params: { id }, body }, ctx) {
    const { value: review } = await ctx.tx.require(reviews, id);
    const { shop_name: shop } = await readSettings(ctx.tx);
    const made = await ctx.ports.ai.generate({
      engine: "reviews",
      operation: "reply",
      input: {
        text: `${review.title}\n\n${review.body}`.trim(),
        locale: review.locale,
        rating: review.rating,
        author_name: review.author.is_anonymous ? undefined : review.author.display_name,
        brand: shop === "" ? undefined : shop,
      },
      instructions: body.instructions,
      provider: body.provider,
      key_id: ctx.caller,
      resource: id,
      request_id: ctx.requestId,
      part: ctx.tx.part,
      signal: ctx.signal(),
    });
    return ok({
      text: made.text,
      provider: made.provider,
      model: made.model,
      fallback: made.fallback,
      unsupported_claims: made.unsupported_claims.map((claim) => ({ ...claim })),
      usage_id: made.usage_id,
    });
  },
});

export const replyRoutes = [putReply, removeReply, createPrivateReply, listPrivateReplies, suggest];
