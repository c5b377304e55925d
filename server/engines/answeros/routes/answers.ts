import { z } from "zod";

import { ok } from "../../../core/reply.ts";
import { defineRoute } from "../../../core/route.ts";
import { Id, LanguageTag } from "../../../core/schema.ts";
import { approvedAnswers } from "../services/tools.ts";
import { COVERED_FROM } from "../rules/search-answers.ts";
import { AnswerSource } from "../schema/question.ts";

const Hit = z.strictObject({
  question_id: Id,
  question: z.string(),
  answer: z.string(),
  passage: z.string().meta({ description: "The sentence of the answer that matches best" }),
  sources: z.array(AnswerSource),
  page_id: Id.nullable(),
  score: z.number().meta({ description: "BM25; only comparable within one response" }),
  coverage: z.number().meta({ description: "Share of the query's words that it contains, 0 to 1" }),
});
const Found = z.strictObject({
  query: z.string(),
  answer: Hit.nullable().meta({ description: "The best match; null if nothing matches well enough" }),
  others: z.array(Hit).meta({ description: "Alternatives, best first" }),
});

const findAnswer = defineRoute({
  id: "answeros.answers.find",
  method: "GET",
  path: "/answers",
  open: "public",
  summary: "Find the approved answer to a question",
  description:
    "Full-text search (BM25) in approved answers in the language of locale. A match must contain half of the query's " +
    "words; otherwise answer is null. Can be called with a publishable key.",
  query: z.object({
    q: z.string().trim().min(2).max(300),
    locale: LanguageTag.default("en-GB"),
    count: z.coerce.number().pipe(z.int().min(1).max(10)).default(3),
  }),
  data: Found,
  example: {
    query: { q: "how long does sourdough keep" },
  },
  handle: async ({ query }, { tx }) => {
    const { index, byId } = await approvedAnswers(tx, query.locale);
    const found = await index.find(query.q, query.count, tx.part);
    const hits = found.flatMap(({ id, passage, score, coverage }) => {
      const question = byId.get(id)?.value;
      if (question === undefined || question.answer === null || coverage < COVERED_FROM) return [];
      return [
        {
          question_id: id,
          question: question.text,
          answer: question.answer.text,
          passage,
          sources: question.answer.sources,
          page_id: question.page_id,
          score,
          coverage,
        },
      ];
    });
    return ok({ query: query.q, answer: hits[0] ?? null, others: hits.slice(1) });
  },
});

export const answerRoutes = [findAnswer];
