import { z } from "zod";

import { resource } from "../../../core/resource.ts";

import { conflict, conflictWhen, fail, invalidField, invalidParameter } from "../../../lib/errors.ts";
import type { Ctx } from "../../../core/route.ts";
import { empty, item, list, ok, values } from "../../../core/reply.ts";
import { defineRoute } from "../../../core/route.ts";
import { Id, Instant, LanguageTag, listFields, withVersion } from "../../../core/schema.ts";
import { reviewWorkOf } from "../services/work.ts";
import { notifyOfEdit } from "../services/mails.ts";
import { moveReview } from "../services/moderate.ts";
import { saveReview } from "../services/save-review.ts";
import { keepEdits } from "../services/submit.ts";
import { readSettings, reviews } from "../repository.ts";
import { toPublicReview } from "../rules/project.ts";
import { AttributeValues, Body, PublicReview, Rating, Review, REVIEW_STATUSES, Title } from "../schema.ts";
import { INCENTIVE_TYPES, Target, TARGET_TYPES, VERIFICATION_LEVELS } from "../schema/parts.ts";
import { badState, readAnswers } from "./env.ts";
import { listGroup } from "./group-reviews.ts";
import type { ReviewFilter } from "./list-reviews.ts";
import { findReviews } from "./list-reviews.ts";

export const ReviewView = withVersion(Review);
export const reviewResource = resource({
  id: "reviews.reviews",
  path: "",
  collection: reviews,
  view: ReviewView,
  example: "rev_01JD8Z5T9QK3M4N5P6R7S8T9V0",
});
const Either = z.union([ReviewView, PublicReview]);
const Flag = z.enum(["true", "false"]);

const Query = z.object({
  ...listFields,
  target_type: z.enum(TARGET_TYPES).optional().meta({ description: "Requires target_id. Default: product" }),
  target_id: Target.shape.id.optional(),
  group_id: Id.optional().meta({
    description: "Reviews of all targets of a group; can only be combined with limit and cursor",
  }),
  status: z.enum(REVIEW_STATUSES).optional(),
  rating: z.coerce.number().pipe(Rating).optional(),
  verification: z.enum(VERIFICATION_LEVELS).optional(),
  incentive: z.enum(INCENTIVE_TYPES).optional(),
  has_media: Flag.optional(),
  has_reply: Flag.optional(),
  locale: LanguageTag.optional(),
  featured: Flag.optional(),
  attribute: z
    .string()
    .regex(/^[a-z][a-z0-9_]{0,39}:.{1,60}$/, "Expected key:value, as in sweetness:3.")
    .optional()
    .meta({ description: "Answer to a custom attribute, as key:value; requires target_id" }),
  q: z
    .string()
    .trim()
    .min(2)
    .max(100)
    .optional()
    .meta({ description: "Words in title or body; requires target_id" }),
  since: Instant.optional().meta({ description: "Created at or after" }),
  sort: z.enum(["recent", "helpful", "rating_desc", "rating_asc", "media"]).default("recent"),
});
type Query = z.output<typeof Query>;

export const listReviews = reviewResource.custom.list({
  open: "public",
  summary: "List reviews, newest first",
  description:
    "With a publishable key: published reviews, without personal data except the display name. Filters can be " +
    "combined; with any filter other than status and target, the default for status is published. A page can have " +
    "fewer entries than limit and still have a next page.",
  query: Query,
  data: z.array(Either),
  errors: [{ type: "not_found", when: "No group with the id in `group_id`" }],
  async handle({ query }, ctx) {
    if (query.group_id !== undefined) return listGroup(ctx, query.group_id, query);
    const filter = askedOf(ctx, query);
    if (!ctx.isPublic && isPlain(query)) return list(await ctx.tx.peekPage(reviews, query));
    const page = await findReviews(ctx.tx, filter);
    if (!ctx.isPublic) return list({ items: page.items, limit: query.limit, next: page.next });
    const shown = page.items.flatMap(({ value }) => toPublicReview(value) ?? []);
    return values(shown, { limit: query.limit, next: page.next });
  },
});

const PAGING: readonly string[] = ["limit", "cursor", "sort"];

/** The most frequent list is returned as text without parsing. */
const isPlain = (query: Query): boolean =>
  query.sort === "recent" &&
  Object.entries(query).every(([name, value]) => value === undefined || PAGING.includes(name));

function askedOf(ctx: Ctx, query: Query): ReviewFilter {
  const { target_id: id, target_type: type, q, attribute, status } = query;
  if (type !== undefined && id === undefined)
    throw invalidParameter("target_id", "Required with target_type.");
  for (const [name, value] of Object.entries({ q, attribute })) {
    if (value !== undefined && id === undefined) throw invalidParameter(name, "Requires target_id.");
  }
  if (query.sort === "helpful" && status !== undefined && status !== "published") {
    throw invalidParameter("sort", "Only published reviews can be voted on.");
  }
  if (ctx.isPublic && status !== undefined && status !== "published") {
    throw invalidParameter("status", "A publishable key can only list published reviews.");
  }
  const [key = "", ...rest] = attribute?.split(":") ?? [];
  const words = q?.toLowerCase().split(/\s+/) ?? [];
  return {
    filter: {
      ...query,
      target: id === undefined ? undefined : { type: type ?? "product", id },
      status: ctx.isPublic ? "published" : status,
      has_media: flagOf(query.has_media),
      has_reply: flagOf(query.has_reply),
    },
    since: query.since,
    limit: query.limit,
    cursor: query.cursor,
    keep: (review) =>
      (!ctx.isPublic || !review.erase_asked) &&
      (query.featured === undefined || String(review.featured) === query.featured) &&
      (attribute === undefined || String(review.attributes[key]) === rest.join(":")) &&
      words.every((word) => `${review.title}\n${review.body}`.toLowerCase().includes(word)),
  };
}

const flagOf = (flag: "true" | "false" | undefined): boolean | undefined =>
  flag === undefined ? undefined : flag === "true";

const getReview = reviewResource.custom.get({
  open: "public",
  summary: "Show a review",
  data: Either,
  async handle({ params: { id } }, ctx) {
    const stored = await ctx.tx.require(reviews, id);
    if (!ctx.isPublic) return item(stored);
    const shown = toPublicReview(stored.value);
    if (shown === null) throw fail("not_found", "No such resource.");
    return ok(shown);
  },
});

/** Each can be as long as the text itself; a review that was stored with more remains as it is. */
const TRANSLATIONS_MAX = 20;

const Patch = z
  .strictObject({
    title: Title,
    body: Body,
    attributes: AttributeValues,
    featured: z.boolean(),
    media: z
      .array(z.string().max(64))
      .max(10)
      .meta({ description: "Ids of all its media, in the new order" }),
    translations: Review.shape.translations
      .refine(
        (value) => Object.keys(value).length <= TRANSLATIONS_MAX,
        `At most ${TRANSLATIONS_MAX} languages are allowed. Remove some.`,
      )
      .meta({ description: `Title and body by language tag; at most ${TRANSLATIONS_MAX} languages` }),
  })
  .partial();

const updateReview = reviewResource.custom.update({
  summary: "Edit or feature a review",
  description:
    "Changes text, answers and the order of media. Rating, author, date and incentive cannot be changed by the " +
    "store. For a changed text the original is stored in edits, the review is marked as edited, and the author is " +
    "notified by mail and can decline; after that the text can no longer be changed.",
  body: Patch,
  errors: [
    conflictWhen("edit_declined", "The author has declined a change of the text"),
    conflictWhen("erased", "The review was erased"),
  ],
  example: { body: { featured: true } },
  async handle({ params: { id }, body }, ctx) {
    const stored = await ctx.current(reviews, id);
    const review = stored.value;
    if (review.status === "erased") throw conflict("erased", "An erased review cannot be changed.");
    const answers = body.attributes === undefined ? {} : await countedAnswers(ctx, review, body.attributes);
    const words = { title: body.title ?? review.title, body: body.body ?? review.body };
    const isReworded = words.title !== review.title || words.body !== review.body;
    if (isReworded && review.edits.some(({ declined_at: at }) => at !== null)) {
      throw conflict("edit_declined", "The author has declined a change. The text can no longer be changed.");
    }
    const next = await saveReview(ctx.tx, stored, {
      ...review,
      ...answers,
      ...words,
      featured: body.featured ?? review.featured,
      media: body.media === undefined ? review.media : reorder(review.media, body.media),
      translations: body.translations ?? review.translations,
      ...(isReworded ? { edited: true, edits: keepEdits([...review.edits, editOf(review, ctx)]) } : {}),
      updated_at: ctx.nowAt,
    });
    if (isReworded) await notifyOfEdit(ctx.tx, reviewWorkOf(ctx), next.value, await readSettings(ctx.tx));
    return item(next);
  },
});

/** Countable answers can be corrected by the store; text answers cannot. */
async function countedAnswers(
  ctx: Ctx,
  { target }: Review,
  input: Review["attributes"],
): Promise<Pick<Review, "attributes">> {
  const { attributes, remarks } = await readAnswers(ctx.tx, input, target.type);
  const [words] = Object.keys(remarks);
  if (words === undefined) return { attributes };
  throw invalidField(["attributes", words], "A text answer cannot be changed by the store.");
}

const editOf = (review: Review, ctx: Ctx): Review["edits"][number] => ({
  at: ctx.nowAt,
  by: "shop",
  key: ctx.caller,
  rating: review.rating,
  title: review.title,
  body: review.body,
  declined_at: null,
});

function reorder(media: Review["media"], ids: readonly string[]): Review["media"] {
  const ordered = ids.flatMap((id) => media.find((one) => one.id === id) ?? []);
  if (ordered.length === media.length && new Set(ids).size === media.length) return ordered;
  throw fail("unprocessable_content", "1 field is invalid.", {
    errors: [{ pointer: "#/media", detail: "List each of its media once." }],
  });
}

const eraseReview = defineRoute({
  id: "reviews.reviews.erase",
  method: "DELETE",
  path: "/:id",
  scope: "manage",
  summary: "Erase a review",
  description:
    "Text, name, e-mail address and media are deleted, and the rating is removed from the averages. The fact that it " +
    "existed, with its rating, is retained for the compliance report.",
  data: z.null(),
  errors: [badState],
  example: { params: { id: "rev_01JD8Z5T9QK3M4N5P6R7S8T9V0" } },
  async handle({ params: { id } }, ctx) {
    await moveReview(ctx.tx, reviewWorkOf(ctx), await ctx.current(reviews, id), { action: "erase" });
    return empty();
  },
});

export const reviewRoutes = [getReview, updateReview, eraseReview];
