import type { z } from "zod";

import { pickShown } from "../../../core/schema.ts";
import { PublicReview } from "../schema.ts";
import type { Review } from "../schema.ts";
import { PublicAnswer, PublicQuestion } from "../schema/question.ts";
import type { Answer, Question } from "../schema/question.ts";

export const ANONYMOUS = "Anonymous";

/** The displayed name. */
export const shownName = ({ author }: Pick<Review, "author">): string =>
  author.is_anonymous || author.display_name === "" ? ANONYMOUS : author.display_name;

/** The public form of a published review; null for other statuses. */
export function toPublicReview(review: Review): PublicReview | null {
  if (review.status !== "published" || review.erase_asked) return null;
  const { author, reply } = review;
  return {
    ...pickShown(PublicReview, review),
    media: review.media
      .filter(({ status }) => status === "published")
      .map(({ id, type, url, alt }) => ({ id, type, url, alt })),
    author: {
      display_name: shownName(review),
      is_anonymous: author.is_anonymous,
      location: author.is_anonymous ? null : author.location,
    },
    status: "published",
    verification: { level: review.verification.level },
    incentive: { type: review.incentive.type },
    reply:
      reply === null || reply.status !== "published"
        ? null
        : { body: reply.body, by: reply.by, at: reply.at },
    source: review.source === null ? null : { system: review.source.system },
  };
}

export const toPublicQuestion = (question: Question): z.output<typeof PublicQuestion> | null =>
  question.status === "published"
    ? {
        ...pickShown(PublicQuestion, question),
        author: { display_name: question.author.display_name || ANONYMOUS },
        status: "published",
      }
    : null;

export const toPublicAnswer = (answer: Answer): z.output<typeof PublicAnswer> | null =>
  answer.status === "published" && !answer.erase_asked
    ? {
        ...pickShown(PublicAnswer, answer),
        author: { display_name: answer.author.display_name || ANONYMOUS },
        status: "published",
      }
    : null;
