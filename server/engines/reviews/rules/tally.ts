import type { Review } from "../schema.ts";
import type { DayTally } from "../schema/aggregate.ts";
import { addStars, NO_STARS, starOf } from "./aggregate.ts";

export type Tally = Pick<DayTally, "published" | "rejected" | "spam" | "removed">;

export const NO_TALLY: Tally = { published: NO_STARS, rejected: NO_STARS, spam: NO_STARS, removed: NO_STARS };

/**
 * The decision in effect about a review, and its day (UTC): each review counts once, with its latest decision.
 * Null if undecided, and for what an import published without anybody deciding about it. Withdrawals by authors and erasures are counted separately: they do not count as suppressed.
 */
export function decisionOf(review: Review | null): { readonly day: string; readonly tally: Tally } | null {
  if (review === null) return null;
  const kind = KINDS[review.status];
  if (kind === null || isImported(review)) return null;
  const at = review.moderation.at ?? review.updated_at;
  return { day: at.slice(0, 10), tally: { ...NO_TALLY, [kind]: starOf(review.rating) } };
}

const isImported = ({ collection_method: method, moderation, status }: Review): boolean =>
  (method === "import" || method === "syndicated") && status === "published" && moderation.by === "auto";

const KINDS = {
  unconfirmed: null,
  pending: null,
  published: "published",
  rejected: "rejected",
  spam: "spam",
  withdrawn: "removed",
  erased: "removed",
} as const satisfies Record<Review["status"], keyof Tally | null>;

export const addTally = (a: Tally, b: Tally, sign: 1 | -1): Tally => ({
  published: addStars(a.published, b.published, sign),
  rejected: addStars(a.rejected, b.rejected, sign),
  spam: addStars(a.spam, b.spam, sign),
  removed: addStars(a.removed, b.removed, sign),
});
