import { z } from "zod";

import { DEMO_SHOP_NAME } from "../../../core/shop.ts";
import { byValue } from "../../../core/by-value.ts";
import { fail } from "../../../lib/errors.ts";
import { item, list, made, values } from "../../../core/reply.ts";
import { defineRoute } from "../../../core/route.ts";
import { listFields, ListQuery, withVersion } from "../../../core/schema.ts";
import type { Ctx } from "../../../core/route.ts";
import { resource } from "../../../core/resource.ts";
import { assessPost } from "../services/assess-post.ts";
import { storeLanguage } from "../services/store-language.ts";
import { reviewWorkOf } from "../services/work.ts";
import { acceptAnswer, addAnswer, moveAnswer } from "../services/posts.ts";
import { addressHash, answers, orders, questions } from "../repository.ts";
import { toPublicAnswer } from "../rules/project.ts";
import { Email } from "../schema/parts.ts";
import { Answer, AUTHOR_TYPES, POST_STATUSES, PublicAnswer } from "../schema/question.ts";
import { badState, FormTokenText, judgeForm, OwnLocale, refuseFromPublic } from "./env.ts";
import { PostReceipt, postRoutes } from "./posts.ts";
import { newResource } from "../../../lib/new-resource.ts";

const View = withVersion(Answer);

const answerResource = resource({
  id: "reviews.answers",
  collection: answers,
  view: View,
  example: "ans_01JD8Z5T9QK3M4N5P6R7S8T9V0",
});

const listAnswers = answerResource.list({
  summary: "List answers to all questions, newest first",
  description: "With status, for example those that are pending.",
  query: z.object({ ...listFields, status: z.enum(POST_STATUSES).optional() }),
  find: ({ limit, cursor, status }) => byValue(status, { limit, cursor }),
});

const listOfQuestion = defineRoute({
  id: "reviews.questions.answers",
  method: "GET",
  path: "/questions/:id/answers",
  open: "public",
  summary: "List answers to a question, newest first",
  query: ListQuery,
  data: z.array(z.union([View, PublicAnswer])),
  example: { params: { id: "qst_01JD8Z5T9QK3M4N5P6R7S8T9V0" } },
  async handle({ params: { id }, query }, ctx) {
    await requireQuestion(ctx, id);
    const value = ctx.isPublic ? `published.${id}` : id;
    const page = await ctx.tx.peekPage(answers, { ...query, index: "by", value });
    if (!ctx.isPublic) return list(page);
    return values(
      page.items.flatMap((one) => toPublicAnswer(one.value) ?? []),
      page,
    );
  },
});

async function requireQuestion(ctx: Ctx, id: string) {
  const question = await ctx.tx.require(questions, id);
  if (ctx.isPublic && question.value.status !== "published") throw fail("not_found", "No such resource.");
  return question;
}

const answer = defineRoute({
  id: "reviews.answers.create",
  method: "POST",
  path: "/questions/:id/answers",
  open: "submit",
  status: 201,
  summary: "Answer a question",
  description:
    "An answer of the store is published immediately; one of a visitor is pending. Whether a visitor is a buyer is " +
    "determined from the e-mail address sent by the store's own server, not from the visitor's claim.",
  body: z.strictObject({
    body: z.string().trim().min(1).max(2000),
    author: z.strictObject({
      display_name: z.string().trim().min(1).max(100),
      customer_id: z.string().max(128).nullable().default(null),
    }),
    author_type: z
      .enum(AUTHOR_TYPES)
      .optional()
      .meta({ description: "Default: merchant with a secret key, otherwise customer" }),
    email: Email.nullable().default(null),
    locale: OwnLocale,
    form_token: FormTokenText.optional(),
  }),
  data: PostReceipt,
  example: {
    params: { id: "qst_01JD8Z5T9QK3M4N5P6R7S8T9V0" },
    body: { body: "Yes, in a tin.", author: { display_name: DEMO_SHOP_NAME } },
  },
  async handle({ params: { id }, body: { form_token: token, author_type: type, ...input } }, ctx) {
    refuseFromPublic(ctx, { "author.customer_id": input.author.customer_id });
    if (ctx.isPublic && type !== undefined && type !== "customer")
      refuseFromPublic(ctx, { author_type: type });
    const question = await requireQuestion(ctx, id);
    const work = reviewWorkOf(ctx);
    const form = await judgeForm(ctx, question.value.target, token);
    const address = ctx.isPublic ? ctx.visitor().address_hash : null;
    const filed = await assessPost(ctx.tx, work, input, { address, form });
    const stored = await addAnswer(ctx.tx, work, {
      ...input,
      locale: input.locale ?? (await storeLanguage(ctx.tx)),
      ...filed,
      ...newResource(ctx.newId("ans"), ctx.nowAt),
      question_id: id,
      author_type: type ?? (ctx.isPublic ? "customer" : "merchant"),
      // An unconfirmed e-mail address proves nothing: only one sent by the store's own server counts.
      verified_buyer: !ctx.isPublic && input.email !== null && (await isBuyer(ctx, input.email)),
      accepted: false,
      votes: { up: 0, down: 0 },
      published_at: filed.status === "published" ? ctx.nowAt : null,
      erase_asked: false,
    });
    const status = ctx.isPublic && filed.status === "spam" ? "pending" : filed.status;
    return made({ id: stored.id, status }, `/answers/${stored.id}`);
  },
});

async function isBuyer({ tx }: Ctx, email: string): Promise<boolean> {
  const { items } = await tx.peekPage(orders, { index: "buyer", value: addressHash(email), limit: 5 });
  return items.some(({ value }) => value.fulfilled_at !== null && !value.refunded);
}

const accept = answerResource.action("accept", {
  summary: "Accept an answer",
  description: "A question has at most one accepted answer; accepting another one replaces it.",
  errors: [badState],
  handle: async ({ params: { id } }, ctx) =>
    item(await acceptAnswer(ctx.tx, reviewWorkOf(ctx), await ctx.tx.require(answers, id))),
});

const get = answerResource.get({ summary: "Show an answer" });

const { decide, erase, vote } = postRoutes({
  path: "answers",
  name: "an answer",
  collection: answers,
  data: View,
  example: "ans_01JD8Z5T9QK3M4N5P6R7S8T9V0",
  move: moveAnswer,
  vote: "Vote whether an answer was helpful",
});

export const answerRoutes = [listAnswers, listOfQuestion, answer, get, decide, accept, erase, vote];
