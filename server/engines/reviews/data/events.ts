import type { EventType } from "../../../core/engine.ts";

const target = { type: "product", id: "oat-bar" };
const review_id = "rev_01JD8Z5T9QK3M4N5P6R7S8T9V0";

/** Events of reviews: ids, statuses and numbers, never user text. */
export const REVIEW_EVENTS: readonly EventType[] = [
  {
    type: "reviews.review.submitted",
    summary: "A review was submitted, or its author changed it.",
    example: { review_id, target, status: "pending", is_update: false },
  },
  {
    type: "reviews.review.published",
    summary: "A review was published.",
    example: { review_id, target, rating: 5 },
  },
  {
    type: "reviews.review.rejected",
    summary: "A review was rejected or marked as spam.",
    example: { review_id, status: "rejected", reason: "off_topic" },
  },
  {
    type: "reviews.review.flagged",
    summary: "A visitor flagged a review.",
    example: { review_id, flags: 1 },
  },
  {
    type: "reviews.review.replied",
    summary: "The store replied to a review publicly.",
    example: { review_id },
  },
  {
    type: "reviews.question.created",
    summary: "A question was asked.",
    example: { question_id: "qst_01JD8Z5T9QK3M4N5P6R7S8T9V0", target, status: "pending" },
  },
  {
    type: "reviews.answer.published",
    summary: "An answer was published.",
    example: { answer_id: "ans_01JD8Z5T9QK3M4N5P6R7S8T9V0", question_id: "qst_01JD8Z5T9QK3M4N5P6R7S8T9V0" },
  },
  {
    type: "reviews.invitation.sent",
    summary: "A review invitation or its reminder was sent.",
    example: { invitation_id: "rvi_01JD8Z5T9QK3M4N5P6R7S8T9V0", order_id: "1042", is_reminder: false },
  },
  {
    type: "reviews.invitation.bounced",
    summary: "The mail of a review invitation bounced.",
    example: { invitation_id: "rvi_01JD8Z5T9QK3M4N5P6R7S8T9V0", order_id: "1042" },
  },
  {
    type: "reviews.anomaly.detected",
    summary: "An unusual number of reviews of one target arrived; new ones are held for three days.",
    example: { target, reviews: 14, hold_until: "2026-06-04T09:00:00.000Z" },
  },
];
