import { z } from "zod";

import { Id, Instant, LanguageTag, resourceFields } from "../../../core/schema.ts";
import { Moderation } from "../schema.ts";
import { Target } from "./parts.ts";

export const POST_STATUSES = ["pending", "published", "rejected", "spam", "erased"] as const;
export type PostStatus = (typeof POST_STATUSES)[number];

const Poster = z.strictObject({
  display_name: z.string().max(100),
  customer_id: z.string().max(128).nullable(),
});
export const Votes = z.strictObject({ up: z.int().nonnegative(), down: z.int().nonnegative() });

const postFields = {
  ...resourceFields,
  body: z.string().max(2000),
  author: Poster,
  email: z.string().max(254).nullable(),
  status: z.enum(POST_STATUSES),
  moderation: Moderation,
  votes: Votes,
  locale: LanguageTag,
  published_at: Instant.nullable(),
};

export const Question = z.strictObject({
  ...postFields,
  target: Target,
  answers_count: z.int().nonnegative().meta({ description: "Published answers" }),
  accepted_answer_id: Id.nullable(),
});
export type Question = z.output<typeof Question>;

export const AUTHOR_TYPES = ["merchant", "customer", "expert"] as const;
export const Answer = z.strictObject({
  ...postFields,
  question_id: Id,
  author_type: z.enum(AUTHOR_TYPES),
  verified_buyer: z.boolean(),
  accepted: z.boolean(),
  erase_asked: z
    .boolean()
    .meta({ description: "The text has been deleted; a job removes it from the count" }),
});
export type Answer = z.output<typeof Answer>;

const publicFields = {
  id: Id,
  body: z.string(),
  author: z.strictObject({ display_name: z.string() }),
  status: z.literal("published"),
  votes: Votes,
  locale: LanguageTag,
  created_at: Instant,
  published_at: Instant.nullable(),
};
export const PublicQuestion = z.strictObject({
  ...publicFields,
  target: Target,
  answers_count: z.int().nonnegative(),
  accepted_answer_id: Id.nullable(),
});
export const PublicAnswer = z.strictObject({
  ...publicFields,
  question_id: Id,
  author_type: z.enum(AUTHOR_TYPES),
  verified_buyer: z.boolean(),
  accepted: z.boolean(),
});
