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

/** Disclosures to show with a review; null if there are none. */
export function disclosureOf(incentive: Incentive, relationship: Relationship): string | null {
  const parts = [INCENTIVES[incentive.type], RELATIONSHIPS[relationship]].filter((part) => part !== null);
  return parts.length === 0 ? null : parts.join(" ");
}

type Disclosed = Pick<Review, "incentive" | "relationship">;

/**
 * Disclosures of a review that replaces an earlier one: an incentive or relationship
 * can be specified in more detail but never removed (16 CFR 255.5).
 */
export const mergeDisclosures = (before: Disclosed | null, now: Disclosed): Disclosed => ({
  incentive: before !== null && now.incentive.type === "none" ? before.incentive : now.incentive,
  relationship: before !== null && now.relationship === "none" ? before.relationship : now.relationship,
});

/** The text of a review with its disclosures, for places that show text only. */
export const withDisclosure = (body: string, disclosure: string | null): string =>
  disclosure === null ? body : `[${disclosure}] ${body}`.trim();
