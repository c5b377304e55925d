import { z } from "zod";

import { mapAll } from "../../../core/read-page.ts";
import { requireRoom } from "../../../core/room.ts";
import { textErrors } from "../../../core/text-errors.ts";
import { byValue } from "../../../core/by-value.ts";
import { conflict, conflictWhen, invalidField, invalidParameter } from "../../../lib/errors.ts";
import { item, ok } from "../../../core/reply.ts";
import { defineRoute, missing } from "../../../core/route.ts";
import { Id, LanguageTag, listFields, withVersion } from "../../../core/schema.ts";
import type { Tx } from "../../../core/tx.ts";
import { resource } from "../../../core/resource.ts";
import { sourceOfPage } from "../services/markup.ts";
import { suggestFor } from "../services/page-tasks.ts";
import { pages, questions } from "../repository.ts";
import { ANSWEROS_LIMITS } from "../schema.ts";
import { AnswerSource, AnswerText, Intent, Question, QuestionText } from "../schema/question.ts";
import { full } from "./parts.ts";
import { newResource } from "../../../lib/new-resource.ts";

const QuestionView = withVersion(Question);
const GivenAnswer = z.strictObject({ text: AnswerText, sources: z.array(AnswerSource).max(20).default([]) });
const Source = Question.shape.source;
const members = {
  text: QuestionText,
  locale: LanguageTag,
  intent: Intent,
  page_id: Id.nullable(),
  answer: GivenAnswer.nullable(),
  priority: Question.shape.priority,
};

const questionResource = resource({
  id: "answeros.questions",
  collection: questions,
  view: QuestionView,
  example: "aqs_01JD8Z5T9QK3M4N5P6R7S8T9V0",
});

const listQuestions = questionResource.list({
  summary: "List questions and their answers, newest first",
  query: z.object({
    ...listFields,
    answer: z.enum(["open", "draft", "approved"]).optional().meta({ description: "open: without an answer" }),
    source: Source.optional(),
    page_id: Id.optional().meta({ description: "Cannot be combined with other filters" }),
    sort: z
      .enum(["created_at", "priority"])
      .optional()
      .meta({ description: "priority: most important first; can only be combined with answer" }),
  }),
  find: (query) => {
    const { answer, source, page_id: page, sort, ...rest } = query;
    if (page !== undefined) {
      if (answer !== undefined) throw invalidParameter("answer", "Cannot be combined with page_id.");
      if (source !== undefined) throw invalidParameter("source", "Cannot be combined with page_id.");
      if (sort !== undefined) throw invalidParameter("sort", "Cannot be combined with page_id.");
      const value = /^[A-Za-z0-9_]+$/.test(page) ? page : "none";
      return { ...rest, index: "page", value };
    }
    if (sort === "priority") {
      if (source !== undefined) throw invalidParameter("source", "Cannot be combined with sort=priority.");
      return { ...rest, index: "priority", value: answer ?? "all" };
    }
    const value = [answer, source].filter((part) => part !== undefined).join(".");
    return byValue(value, rest);
  },
});

const createQuestion = questionResource.create({
  summary: "Create a question, optionally with its answer",
  description:
    "The answer is a draft until it is approved; only approved answers are searched and published.",
  body: z.strictObject({
    text: members.text,
    locale: members.locale.default("en-GB"),
    intent: members.intent.default("informational"),
    source: Source.default("manual"),
    page_id: members.page_id.default(null),
    answer: members.answer.default(null),
    priority: members.priority.default(3),
  }),
  errors: [full],
  example: {
    body: {
      text: "How long does sourdough keep?",
      answer: { text: "Sourdough keeps for four days in a paper bag." },
    },
  },
  make: async (body, ctx) => {
    await requireRoom(ctx.tx, questions, { max: ANSWEROS_LIMITS.questions, noun: "questions" });
    await refuseStranger(ctx.tx, body.page_id);
    const { answer, ...rest } = body;
    return {
      ...newResource(ctx.newId("aqs"), ctx.nowAt),
      ...rest,
      answer: draftOf(answer),
    };
  },
});

const draftOf = (answer: z.output<typeof GivenAnswer> | null): Question["answer"] =>
  answer === null ? null : { ...answer, status: "draft", approved_at: null };

const getQuestion = questionResource.get({ summary: "Show a question" });

const updateQuestion = questionResource.update({
  summary: "Change a question or its answer",
  description: "A changed question or answer requires a new approval.",
  body: z.strictObject(members).partial(),
  example: { body: { priority: 1 } },
  change: async (before, body, ctx) => {
    const { answer: answerText, ...rest } = body;
    if (rest.page_id !== undefined) await refuseStranger(ctx.tx, rest.page_id);
    const isReworded = rest.text !== undefined && rest.text !== before.text;
    const kept = before.answer;
    const reopened =
      kept === null || !isReworded ? kept : { ...kept, status: "draft" as const, approved_at: null };
    const answer = answerText === undefined ? reopened : draftOf(answerText);
    return {
      ...Object.assign({}, before, rest),
      answer,
    };
  },
});

const removeQuestion = questionResource.remove({ summary: "Delete a question" });

const approveQuestion = questionResource.action("approve", {
  scope: "manage",
  summary: "Approve the answer to a question",
  description:
    "The answer is then searchable, included in FAQ markup, and used for prompts of the builtin engine.",
  errors: [conflictWhen("no_answer", "The question has no answer")],
  handle: async ({ params }, ctx) => {
    const before = await ctx.tx.require(questions, params.id);
    const { answer } = before.value;
    if (answer === null) {
      throw conflict("no_answer", "The question has no answer. Add an answer first.");
    }
    if (answer.status === "approved") return item(before);
    const approved = { ...answer, status: "approved" as const, approved_at: ctx.nowAt };
    return item(ctx.tx.put(questions, before, { ...before.value, answer: approved, updated_at: ctx.nowAt }));
  },
});

const SuggestionView = z.strictObject({
  text: z.string(),
  intent: Intent,
  answer: z.string().nullable().meta({ description: "Existing text of the page; null if there is none" }),
  reason: z.string(),
});

const suggest = defineRoute({
  id: "answeros.questions.suggest",
  method: "POST",
  path: "/questions/suggest",
  scope: "read",
  summary: "Suggest questions for a page",
  description:
    "Returns questions in its headings with the text below them, then common customer questions about such a " +
    "subject. Existing questions are omitted. Nothing is stored.",
  body: z.strictObject({
    page_id: Id.optional(),
    entity: z
      .string()
      .trim()
      .min(2)
      .max(100)
      .optional()
      .meta({ description: "Default: the subject of the page" }),
    count: z.int().min(1).max(20).default(10),
  }),
  data: z.strictObject({ suggestions: z.array(SuggestionView) }),
  errors: [...textErrors, missing],
  example: {
    body: { entity: "rye bread", count: 1 },
  },
  handle: async ({ body }, { tx }) => {
    const about = body.page_id === undefined ? null : await sourceOfPage(tx, body.page_id);
    const entity = body.entity ?? about?.page.value.entity ?? about?.page.value.meta?.title ?? null;
    if (entity === null) throw invalidField(["entity"], "Specify either page_id or entity.");
    const existing = await mapAll(tx, questions, {}, ({ text }) => text);
    const wanted = { page: about?.source ?? null, entity, existing, count: body.count };
    return ok({ suggestions: await suggestFor(tx, wanted) });
  },
});

async function refuseStranger(tx: Tx, pageId: string | null): Promise<void> {
  if (pageId !== null && (await tx.get(pages, pageId)) === null) {
    throw invalidField(["page_id"], "No page with this id.");
  }
}

export const questionRoutes = [
  listQuestions,
  createQuestion,
  suggest,
  getQuestion,
  updateQuestion,
  removeQuestion,
  approveQuestion,
];
