import { defineStates } from "../../../core/states.ts";
import { REVIEW_STATUSES } from "../schema.ts";
import type { ReviewStatus } from "../schema.ts";
import { POST_STATUSES } from "../schema/question.ts";
import type { PostStatus } from "../schema/question.ts";

const REVIEW_ACTIONS = [
  "confirm",
  "approve",
  "reject",
  "spam",
  "unspam",
  "revise",
  "flagged",
  "withdraw",
  "erase",
] as const;
export type ReviewAction = (typeof REVIEW_ACTIONS)[number];

/** The state machine of reviews: all other transitions are refused. */
const REVIEW_FROM: Readonly<Record<ReviewAction, readonly ReviewStatus[]>> = {
  confirm: ["unconfirmed"],
  approve: ["pending", "rejected"],
  reject: ["pending", "published"],
  spam: ["pending", "published"],
  unspam: ["spam"],
  revise: ["unconfirmed", "pending", "published"],
  flagged: ["published"],
  withdraw: ["unconfirmed", "pending", "published"],
  erase: ["unconfirmed", "pending", "published", "rejected", "spam", "withdrawn"],
};

const REVIEW_TO: Readonly<Record<ReviewAction, ReviewStatus>> = {
  confirm: "pending",
  approve: "published",
  reject: "rejected",
  spam: "spam",
  unspam: "pending",
  revise: "pending",
  flagged: "pending",
  withdraw: "withdrawn",
  erase: "erased",
};

/**
 * The status after an action; null if the status does not allow it. A rejected review can be approved later, but an
 * approved one is never rejected automatically.
 */
export const nextReviewStatus = (from: ReviewStatus, action: ReviewAction): ReviewStatus | null =>
  REVIEW_FROM[action].includes(from) ? REVIEW_TO[action] : null;

const POST_ACTIONS = ["approve", "reject", "spam", "unspam", "erase"] as const;
export type PostAction = (typeof POST_ACTIONS)[number];

const POST_FROM: Readonly<Record<PostAction, readonly PostStatus[]>> = {
  approve: ["pending", "rejected"],
  reject: ["pending", "published"],
  spam: ["pending", "published"],
  unspam: ["spam"],
  erase: ["pending", "published", "rejected", "spam"],
};
const POST_TO: Readonly<Record<PostAction, PostStatus>> = {
  approve: "published",
  reject: "rejected",
  spam: "spam",
  unspam: "pending",
  erase: "erased",
};

/** The same for questions and answers. */
export const nextPostStatus = (from: PostStatus, action: PostAction): PostStatus | null =>
  POST_FROM[action].includes(from) ? POST_TO[action] : null;

export const reviewStates = defineStates("Review", {
  collection: "reviews.reviews",
  states: REVIEW_STATUSES,
  actions: REVIEW_ACTIONS,
  next: nextReviewStatus,
});

const postStates = (resource: string, collection: string) =>
  defineStates(resource, {
    collection,
    states: POST_STATUSES,
    actions: POST_ACTIONS,
    next: nextPostStatus,
  });

export const questionStates = postStates("Question", "reviews.questions");
export const answerStates = postStates("Answer", "reviews.answers");
