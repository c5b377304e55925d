import { wordsIn } from "../../../core/words.ts";
import type { Words } from "../../../core/words.ts";
import type { Review } from "../schema.ts";
import type { Incentive, Relationship } from "../schema/parts.ts";

/** Disclosures to show with a review (16 CFR 255.5), in the language of `words`; null if there are none. */
export function disclosureOf(
  { say }: Pick<Words, "say">,
  { type }: Pick<Incentive, "type">,
  relationship: Relationship,
): string | null {
  const parts = [
    ...(type === "none" ? [] : [say(`disclosure.incentive_${type}`)]),
    ...(relationship === "none" ? [] : [say(`disclosure.relationship_${relationship}`)]),
  ];
  return parts.length === 0 ? null : parts.join(" ");
}

/** Of the API, whose clients translate it by `incentive` and `relationship`. */
export const englishDisclosure = (incentive: Incentive, relationship: Relationship): string | null =>
  disclosureOf(wordsIn("en-GB"), incentive, relationship);

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
