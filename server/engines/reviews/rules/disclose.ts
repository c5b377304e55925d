import type { Review } from "../schema.ts";
import type { Incentive, Relationship } from "../schema/parts.ts";

const INCENTIVES = {
  none: null,
  coupon: "The reviewer was offered a coupon for this review.",
  points: "The reviewer was offered loyalty points for this review.",
  free_product: "The reviewer was given the product for free.",
  sweepstake: "The reviewer could win a prize for this review.",
  other: "The reviewer was offered something for this review.",
} as const satisfies Record<Incentive["type"], string | null>;

const RELATIONSHIPS = {
  none: null,
  employee: "The reviewer works for the business.",
  family: "The reviewer is related to someone at the business.",
  affiliate: "The reviewer earns a commission on sales.",
} as const satisfies Record<Relationship, string | null>;

/** What has to be told with a review wherever it is shown; null when there is nothing to tell. */
export function disclosureOf(incentive: Incentive, relationship: Relationship): string | null {
  const parts = [INCENTIVES[incentive.type], RELATIONSHIPS[relationship]].filter((part) => part !== null);
  return parts.length === 0 ? null : parts.join(" ");
}

type Told = Pick<Review, "incentive" | "relationship">;

/**
 * What is told of a review that takes the place of an earlier one: what was offered once, and who the author is to the
 * business, can be said more closely and never be taken back (16 CFR 255.5).
 */
export const keepTold = (before: Told | null, now: Told): Told => ({
  incentive: before !== null && now.incentive.type === "none" ? before.incentive : now.incentive,
  relationship: before !== null && now.relationship === "none" ? before.relationship : now.relationship,
});

/** The words of a review with what has to be told, for places that show words alone. */
export const withDisclosure = (body: string, disclosure: string | null): string =>
  disclosure === null ? body : `[${disclosure}] ${body}`.trim();
