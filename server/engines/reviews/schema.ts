import { z } from "zod";

import { Instant, LanguageTag, resourceFields } from "../../core/schema.ts";
import {
  COLLECTION_METHODS,
  Country,
  Incentive,
  Media,
  Relationship,
  RejectionReason,
  Signal,
  Target,
  VERIFICATION_LEVELS,
  WebUrl,
} from "./schema/parts.ts";

export const REVIEW_STATUSES = [
  "unconfirmed",
  "pending",
  "published",
  "rejected",
  "spam",
  "withdrawn",
  "erased",
] as const;
export type ReviewStatus = (typeof REVIEW_STATUSES)[number];

export const Rating = z.int().min(1).max(5);
export const Title = z.string().trim().max(150);
export const Body = z.string().trim().max(5000);
export const Points = z.array(z.string().trim().min(1).max(200)).max(10);
const Key = z.string().regex(/^[a-z][a-z0-9_]{0,39}$/, "Expected a key such as crumb_texture.");
const KEYS_MAX = 20;
/** Countable answers to custom attributes: a number on a scale, or one of the options. */
export const AttributeValues = z
  .record(Key, z.union([z.int(), z.string().max(60)]))
  .refine((value) => Object.keys(value).length <= KEYS_MAX, `At most ${KEYS_MAX} attributes are allowed.`);
/** Text answers, which are not counted. */
const Remarks = z.record(Key, z.string().max(200));

export const Moderation = z.strictObject({
  reason: RejectionReason.nullable(),
  note: z.string().max(500),
  by: z.string().max(64).nullable().meta({ description: "Id of the key, or auto" }),
  at: Instant.nullable(),
  risk: z.int().min(0).max(100),
  signals: z.array(Signal).max(30),
});

export const Verification = z.strictObject({
  level: z.enum(VERIFICATION_LEVELS).meta({ description: "Determined by the service, never set manually" }),
  method: z.enum(["invitation", "login", "email"]).nullable(),
  order_id: z.string().max(128).nullable(),
  at: Instant.nullable(),
});
export type Verification = z.output<typeof Verification>;

/** The text before a change: the original is never lost. */
const Edit = z.strictObject({
  at: Instant,
  by: z.enum(["author", "shop"]),
  key: z.string().max(64).nullable(),
  rating: Rating,
  title: z.string(),
  body: z.string(),
  declined_at: Instant.nullable().meta({
    description: "Whether the author declined the edit, which reverted it",
  }),
});

const Reply = z.strictObject({
  body: z.string().max(2000),
  by: z.string().max(100),
  at: Instant,
  status: z.enum(["published", "hidden"]),
});

export const Author = z.strictObject({
  display_name: z.string().max(100),
  customer_id: z.string().max(128).nullable(),
  is_anonymous: z.boolean(),
  location: z.string().max(100).nullable(),
});

export const Review = z.strictObject({
  ...resourceFields,
  target: Target,
  product_name: z.string().max(300).nullable(),
  product_url: WebUrl.nullable(),
  sku: z.string().max(100).nullable(),
  gtin: z.string().max(14).nullable(),
  mpn: z.string().max(70).nullable(),
  brand: z.string().max(100).nullable(),
  rating: Rating,
  title: z.string().max(150),
  body: z.string().max(5000),
  pros: Points,
  cons: Points,
  attributes: AttributeValues,
  remarks: Remarks,
  recommends: z.boolean().nullable(),
  media: z.array(Media).max(10),
  author: Author,
  email: z.string().max(254).nullable(),
  email_hash: z.string().max(64).nullable(),
  locale: LanguageTag,
  country: Country.nullable(),
  status: z.enum(REVIEW_STATUSES),
  moderation: Moderation,
  verification: Verification,
  collection_method: z.enum(COLLECTION_METHODS),
  incentive: Incentive,
  relationship: Relationship,
  disclosure: z.string().nullable().meta({
    description: "Show it with the review wherever it is displayed; null if there is nothing to disclose",
  }),
  helpful: z.strictObject({
    up: z.int().nonnegative(),
    down: z.int().nonnegative(),
    lower_bound: z.number().meta({ description: "Wilson lower bound of the share of helpful votes, 95 %" }),
  }),
  reply: Reply.nullable(),
  flags_count: z.int().nonnegative(),
  featured: z.boolean(),
  edited: z.boolean().meta({ description: "Whether the store changed the text; the original is in edits" }),
  edits: z.array(Edit).max(20),
  experienced_at: Instant.nullable(),
  submitted_at: Instant,
  published_at: Instant.nullable(),
  invitation_id: z.string().max(64).nullable(),
  source: z
    .strictObject({
      system: z.string().max(40),
      external_id: z.string().max(128).nullable(),
      displayed_on_page: z.boolean().meta({
        description:
          "Whether it is displayed on the product's own page: only then it can be included in JSON-LD",
      }),
    })
    .nullable(),
  translations: z.record(LanguageTag, z.strictObject({ title: Title, body: Body })),
  erase_asked: z
    .boolean()
    .meta({ description: "Personal data have been deleted; a job removes the rating from the averages" }),
});
export type Review = z.output<typeof Review>;

/** The public form of a review: published, without personal data except the display name. */
export const PublicReview = z.strictObject({
  id: Review.shape.id,
  target: Target,
  product_name: Review.shape.product_name,
  product_url: Review.shape.product_url,
  sku: Review.shape.sku,
  rating: Rating,
  title: Review.shape.title,
  body: Review.shape.body,
  pros: Points,
  cons: Points,
  attributes: AttributeValues,
  remarks: Remarks,
  recommends: Review.shape.recommends,
  media: z.array(Media.omit({ status: true })),
  author: z.strictObject({
    display_name: z.string(),
    is_anonymous: z.boolean(),
    location: z.string().nullable(),
  }),
  locale: LanguageTag,
  country: Review.shape.country,
  status: z.literal("published"),
  verification: z.strictObject({ level: Verification.shape.level }),
  collection_method: Review.shape.collection_method,
  incentive: z.strictObject({ type: Incentive.shape.type }),
  relationship: Relationship,
  disclosure: Review.shape.disclosure,
  helpful: Review.shape.helpful,
  reply: Reply.omit({ status: true }).nullable(),
  featured: z.boolean(),
  edited: z.boolean(),
  experienced_at: Review.shape.experienced_at,
  submitted_at: Instant,
  published_at: Review.shape.published_at,
  source: z.strictObject({ system: z.string() }).nullable(),
  translations: Review.shape.translations,
});
export type PublicReview = z.output<typeof PublicReview>;
