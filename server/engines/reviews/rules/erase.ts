import type { Review } from "../schema.ts";
import type { Answer, Question } from "../schema/question.ts";

const GONE = "[erased]";

/**
 * A review without personal data. If it is published it still counts, but is not shown:
 * a job then removes it from the averages in the commit that completes the erasure (`erase_asked`).
 */
export const eraseWords = (review: Review): Review => ({
  ...review,
  title: "",
  body: review.body === "" ? "" : GONE,
  pros: [],
  cons: [],
  remarks: {},
  media: [],
  author: { display_name: "", customer_id: null, is_anonymous: true, location: null },
  email: null,
  email_hash: null,
  country: null,
  moderation: { ...review.moderation, note: "" },
  verification: { ...review.verification, order_id: null },
  incentive: { ...review.incentive, note: "" },
  reply: null,
  edits: [],
  invitation_id: null,
  source: review.source === null ? null : { ...review.source, external_id: null },
  translations: {},
  erase_asked: true,
});

export const eraseQuestion = (question: Question): Question => ({
  ...question,
  body: "",
  author: { display_name: "", customer_id: null },
  email: null,
  status: "erased",
  moderation: { ...question.moderation, note: "" },
  published_at: null,
});

export const eraseAnswer = (answer: Answer): Answer => ({
  ...answer,
  body: GONE,
  author: { display_name: "", customer_id: null },
  email: null,
  moderation: { ...answer.moderation, note: "" },
  erase_asked: true,
});
