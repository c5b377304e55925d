import type { PublicReview, Review } from "../schema.ts";
import type { z } from "zod";
import type { Answer, PublicAnswer, PublicQuestion, Question } from "../schema/question.ts";

export const ANONYMOUS = "Anonymous";

/** The displayed name. */
export const shownName = ({ author }: Pick<Review, "author">): string =>
  author.is_anonymous || author.display_name === "" ? ANONYMOUS : author.display_name;

/** The public form of a published review; null for other statuses. */
export function toPublicReview(review: Review): PublicReview | null {
  if (review.status !== "published" || review.erase_asked) return null;
  const { author, reply } = review;
  return {
    id: review.id,
    target: review.target,
    product_name: review.product_name,
    product_url: review.product_url,
    sku: review.sku,
    rating: review.rating,
    title: review.title,
    body: review.body,
    pros: review.pros,
    cons: review.cons,
    attributes: review.attributes,
    remarks: review.remarks,
    recommends: review.recommends,
    media: review.media
      .filter(({ status }) => status === "published")
      .map(({ id, type, url, alt }) => ({ id, type, url, alt })),
    author: {
      display_name: shownName(review),
      is_anonymous: author.is_anonymous,
      location: author.is_anonymous ? null : author.location,
    },
    locale: review.locale,
    country: review.country,
    status: "published",
    verification: { level: review.verification.level },
    collection_method: review.collection_method,
    incentive: { type: review.incentive.type },
    relationship: review.relationship,
    disclosure: review.disclosure,
    helpful: review.helpful,
    reply:
      reply === null || reply.status !== "published"
        ? null
        : { body: reply.body, by: reply.by, at: reply.at },
    featured: review.featured,
    edited: review.edited,
    experienced_at: review.experienced_at,
    submitted_at: review.submitted_at,
    published_at: review.published_at,
    source: review.source === null ? null : { system: review.source.system },
    translations: review.translations,
  };
}

export function toPublicQuestion(question: Question): z.output<typeof PublicQuestion> | null {
  if (question.status !== "published") return null;
  const { id, target, body, votes, locale, answers_count, accepted_answer_id, created_at, published_at } =
    question;
  return {
    id,
    target,
    body,
    author: { display_name: question.author.display_name || ANONYMOUS },
    status: "published",
    votes,
    locale,
    answers_count,
    accepted_answer_id,
    created_at,
    published_at,
  };
}

export function toPublicAnswer(answer: Answer): z.output<typeof PublicAnswer> | null {
  if (answer.status !== "published" || answer.erase_asked) return null;
  const { id, question_id, body, votes, locale, author_type, verified_buyer, accepted, created_at } = answer;
  return {
    id,
    question_id,
    body,
    author: { display_name: answer.author.display_name || ANONYMOUS },
    author_type,
    verified_buyer,
    accepted,
    status: "published",
    votes,
    locale,
    created_at,
    published_at: answer.published_at,
  };
}
