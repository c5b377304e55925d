import { z } from "zod";

import { Id, Instant, LanguageTag, resourceFields } from "../../../core/schema.ts";
import { HttpUrl } from "../schema.ts";

export const QuestionText = z.string().trim().min(3).max(300);
export const AnswerText = z.string().trim().min(1).max(4_000);
export const Intent = z.enum(["informational", "commercial", "transactional", "navigational", "local"]);

export const AnswerSource = z.strictObject({
  title: z.string().max(200),
  url: HttpUrl.nullable(),
});

export const Question = z.strictObject({
  ...resourceFields,
  text: QuestionText,
  locale: LanguageTag,
  intent: Intent,
  source: z.enum(["manual", "reviews_qa", "search", "generated"]),
  page_id: Id.nullable(),
  answer: z
    .strictObject({
      text: AnswerText,
      status: z.enum(["draft", "approved"]),
      sources: z.array(AnswerSource).max(20),
      approved_at: Instant.nullable(),
    })
    .nullable(),
  priority: z.int().min(1).max(5).meta({ description: "1 is the highest priority" }),
});
export type Question = z.output<typeof Question>;

/** Pages that contain one answer of FAQ markup: engines treat an answer on many pages as scaled content. */
export const AnswerPrint = z.strictObject({ id: z.string(), page_ids: z.array(Id).max(20) });
export type AnswerPrint = z.output<typeof AnswerPrint>;
