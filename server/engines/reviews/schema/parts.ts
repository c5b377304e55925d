import { z } from "zod";

import { urlUpTo } from "../../../core/schema.ts";

/** Schemas shared by reviews, questions and invitations. */

export const TARGET_TYPES = ["product", "variant", "store", "menu", "menu_item", "service"] as const;

/** The target of a review or question: identified by the store's own id. */
export const Target = z.strictObject({
  type: z.enum(TARGET_TYPES),
  id: z.string().trim().min(1).max(128).meta({ description: "The store's own id of it" }),
});
export type Target = z.output<typeof Target>;

export const Email = z
  .email()
  .max(254)
  .transform((address) => address.toLowerCase());
export const Country = z.string().regex(/^[A-Z]{2}$/, "Expected an ISO 3166-1 code such as GB.");
export const WebUrl = urlUpTo(2000, { protocol: /^https?$/ }).regex(
  /^[\x21-\x7e]+$/,
  "Expected an ASCII URL.",
);

const MEDIA_TYPES = ["image", "video"] as const;
export const Media = z.strictObject({
  id: z.string().max(64),
  type: z.enum(MEDIA_TYPES),
  url: WebUrl,
  alt: z.string().max(200),
  status: z.enum(["pending", "published", "rejected"]),
});
export type Media = z.output<typeof Media>;

/** Closed list: the same for every rating. There is none for negative opinions. */
const REJECTION_REASONS = [
  "personal_data",
  "confidential",
  "defamatory",
  "abusive",
  "obscene",
  "discriminatory",
  "suspected_fake",
  "false_or_misleading",
  "off_topic",
  "spam",
  "duplicate",
  "conflict_of_interest",
  "illegal",
] as const;
export const RejectionReason = z.enum(REJECTION_REASONS);
export type RejectionReason = z.output<typeof RejectionReason>;

export const VERIFICATION_LEVELS = [
  "none",
  "email_confirmed",
  "verified_buyer",
  "verified_purchase",
] as const;

export const INCENTIVE_TYPES = ["none", "coupon", "points", "free_product", "sweepstake", "other"] as const;
export const Incentive = z.strictObject({
  type: z.enum(INCENTIVE_TYPES),
  note: z.string().max(200).default(""),
});
export type Incentive = z.output<typeof Incentive>;

export const RELATIONSHIPS = ["none", "employee", "family", "affiliate"] as const;
export const Relationship = z.enum(RELATIONSHIPS);
export type Relationship = z.output<typeof Relationship>;

export const COLLECTION_METHODS = [
  "unsolicited",
  "post_fulfillment",
  "point_of_sale",
  "import",
  "syndicated",
] as const;

/** A risk signal and its points: the sum is the risk. */
export const Signal = z.strictObject({ code: z.string().max(40), points: z.int() });
export type Signal = z.output<typeof Signal>;
