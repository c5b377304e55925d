import { z } from "zod";

import { byValue } from "../../../core/by-value.ts";
import { fail, invalidParameter } from "../../../lib/errors.ts";
import { item, list, made, ok, values } from "../../../core/reply.ts";
import { routesOf } from "../../../core/resource.ts";
import { listFields, withVersion } from "../../../core/schema.ts";
import { assessPost } from "../services/assess-post.ts";
import { storeLanguage } from "../services/store-language.ts";
import { reviewWorkOf } from "../services/work.ts";
import { moveQuestion } from "../services/posts.ts";
import { questions } from "../repository.ts";
import { filedTarget } from "../rules/pick-places.ts";
import { toPublicQuestion } from "../rules/project.ts";
import { Email, Target, TARGET_TYPES } from "../schema/parts.ts";
import { POST_STATUSES, PublicQuestion, Question } from "../schema/question.ts";
import { FormTokenText, judgeForm, OwnLocale, refuseFromPublic } from "./env.ts";
import { PostReceipt, postRoutes } from "./posts.ts";
import { newResource } from "../../../lib/new-resource.ts";

const View = withVersion(Question);
const Either = z.union([View, PublicQuestion]);

const questionResource = routesOf({
  id: "reviews.questions",
  view: Either,
  example: "qst_01JD8Z5T9QK3M4N5P6R7S8T9V0",
});

const listQuestions = questionResource.list({
  open: "public",
  summary: "List questions, newest first",
  query: z.object({
    ...listFields,
    target_type: z.enum(TARGET_TYPES).optional(),
    target_id: Target.shape.id.optional(),
    status: z.enum(POST_STATUSES).optional(),
  }),
  async handle({ query }, ctx) {
    const { target_id: id, target_type: type, limit, cursor } = query;
    if (type !== undefined && id === undefined)
      throw invalidParameter("target_id", "Required with target_type.");
    if (ctx.isPublic && query.status !== undefined && query.status !== "published") {
      throw invalidParameter("status", "A publishable key can only list published questions.");
    }
    const status = ctx.isPublic ? "published" : query.status;
    const target = id === undefined ? undefined : filedTarget({ type: type ?? "product", id });
    const value = [status, target].filter((part) => part !== undefined).join(".");
    const page = await ctx.tx.peekPage(questions, byValue(value, { limit, cursor }));
    if (!ctx.isPublic) return list(page);
    return values(
      page.items.flatMap((one) => toPublicQuestion(one.value) ?? []),
      page,
    );
  },
});

const getQuestion = questionResource.get({
  open: "public",
  summary: "Show a question",
  async handle({ params: { id } }, ctx) {
    const stored = await ctx.tx.require(questions, id);
    if (!ctx.isPublic) return item(stored);
    const shown = toPublicQuestion(stored.value);
    if (shown === null) throw fail("not_found", "No such resource.");
    return ok(shown);
  },
});

const ask = questionResource.create({
  open: "submit",
  summary: "Ask a question",
  description:
    "A question of a visitor is pending until it is moderated; one sent with a secret key is published immediately.",
  body: z.strictObject({
    target: Target,
    body: z.string().trim().min(5).max(2000),
    author: z.strictObject({
      display_name: z.string().trim().min(1).max(100),
      customer_id: z.string().max(128).nullable().default(null),
    }),
    email: Email.nullable().default(null),
    locale: OwnLocale,
    form_token: FormTokenText.optional(),
  }),
  data: PostReceipt,
  example: {
    body: {
      target: { type: "product", id: "oat-bar" },
      body: "Does the oat bar keep for a week?",
      author: { display_name: "Ben" },
    },
  },
  async handle({ body: { form_token: token, ...input } }, ctx) {
    refuseFromPublic(ctx, { "author.customer_id": input.author.customer_id });
    const work = reviewWorkOf(ctx);
    const form = await judgeForm(ctx, input.target, token);
    const address = ctx.isPublic ? ctx.visitor().address_hash : null;
    const filed = await assessPost(ctx.tx, work, input, { address, form });
    const stored = ctx.tx.create(questions, {
      ...input,
      locale: input.locale ?? (await storeLanguage(ctx.tx)),
      ...filed,
      ...newResource(ctx.newId("qst"), ctx.nowAt),
      votes: { up: 0, down: 0 },
      published_at: filed.status === "published" ? ctx.nowAt : null,
      answers_count: 0,
      accepted_answer_id: null,
    });
    ctx.tx.emit({
      id: ctx.newId("evt"),
      type: "reviews.question.created",
      at: ctx.nowAt,
      data: { question_id: stored.id, target: input.target, status: filed.status },
    });
    const status = ctx.isPublic && filed.status === "spam" ? "pending" : filed.status;
    return made({ id: stored.id, status }, `/questions/${stored.id}`);
  },
});

const { decide, erase, vote } = postRoutes({
  path: "questions",
  name: "a question",
  collection: questions,
  data: View,
  example: "qst_01JD8Z5T9QK3M4N5P6R7S8T9V0",
  move: moveQuestion,
  vote: "Vote for a question, or withdraw the vote",
});

export const questionRoutes = [listQuestions, ask, getQuestion, decide, erase, vote];
