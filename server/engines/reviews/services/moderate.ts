import { conflict } from "../../../lib/errors.ts";
import { withdrawStoreMail } from "../../../core/store-mail.ts";
import type { Stored, Tx } from "../../../core/tx.ts";
import { ballots, privateReplies, reviews, slotOf, slots, statsId } from "../repository.ts";
import { eraseWords } from "../rules/erase.ts";
import type { ReviewAction } from "../rules/transitions.ts";
import { nextReviewStatus } from "../rules/transitions.ts";
import type { Review } from "../schema.ts";
import type { RejectionReason } from "../schema/parts.ts";
import type { ReviewWork } from "./work.ts";
import { storeMailId } from "./mails.ts";
import { dropPhotos } from "./photos.ts";
import { saveReview } from "./save-review.ts";

export interface Grounds {
  readonly reason?: RejectionReason | undefined;
  readonly note?: string;
}

/** Changes the status of a review; 409 if its status does not allow the action. */
export async function moveReview(
  tx: Tx,
  work: ReviewWork,
  stored: Stored<Review>,
  { action, reason, note = "" }: Grounds & { readonly action: ReviewAction },
): Promise<Stored<Review>> {
  const review = stored.value;
  // What an erasure left is erased by a further one.
  const status =
    action === "erase" && review.erase_asked ? "erased" : nextReviewStatus(review.status, action);
  if (status === null) throw badMove(review, action);
  if (status === "published") return publish(tx, work, stored, { by: work.by, note });
  const isDecision = status === "rejected" || status === "spam";
  const isMore = action === "erase" && !(await forgetPrivateReplies(tx, review.id));
  const next = await saveReview(tx, stored, {
    ...(action === "erase" ? { ...eraseWords(review), body: "", erase_asked: isMore } : review),
    status,
    published_at: null,
    updated_at: work.nowAt,
    moderation: {
      ...review.moderation,
      reason: isDecision ? (reason ?? (status === "spam" ? "spam" : null)) : null,
      note: action === "erase" ? "" : note,
      by: work.by,
      // A decision remains in effect until the next one: a review that is pending again is undecided.
      at: isDecision || status === "withdrawn" || status === "erased" ? work.nowAt : null,
    },
  });
  if (action === "erase" || action === "withdraw") await leaveSlot(tx, review);
  if (action === "erase") {
    await dropPhotos(tx, review.id, work.nowAt);
    await forgetBallots(tx, review.id);
  }
  if (isDecision) {
    tx.emit({
      id: work.newId("evt"),
      type: "reviews.review.rejected",
      at: work.nowAt,
      data: { review_id: review.id, status, reason: next.value.moderation.reason },
    });
  }
  return next;
}

const badMove = ({ status }: Review, action: ReviewAction) =>
  conflict("invalid_transition", `A review with status \`${status}\` does not allow the action ${action}.`);

/** Publishes a review. An existing one of the same author about the same target and order is withdrawn. */
export async function publish(
  tx: Tx,
  work: ReviewWork,
  stored: Stored<Review> | null,
  context: { readonly by: string | null; readonly note?: string; readonly review?: Review },
): Promise<Stored<Review>> {
  const review = context.review ?? stored?.value;
  if (review === undefined) throw new TypeError("There is no review to publish.");
  await claimSlot(tx, work, review);
  const at = work.nowAt;
  const next = await saveReview(tx, stored, {
    ...review,
    status: "published",
    published_at: at,
    updated_at: at,
    flags_count: 0,
    media: review.media.map((media) =>
      media.status === "pending" ? { ...media, status: "published" as const } : media,
    ),
    moderation: { ...review.moderation, reason: null, note: context.note ?? "", by: context.by, at },
  });
  tx.emit({
    id: work.newId("evt"),
    type: "reviews.review.published",
    at,
    data: { review_id: review.id, target: review.target, rating: review.rating },
  });
  return next;
}

/** Makes the review the current one of its author, target and order; the previous one is withdrawn. */
export async function claimSlot(tx: Tx, work: ReviewWork, review: Review): Promise<void> {
  const id = slotOf(review);
  if (id === null) return;
  const slot = await tx.get(slots, id);
  if (slot === null) {
    tx.create(slots, { id, review_id: review.id });
    return;
  }
  if (slot.value.review_id === review.id) return;
  const other = await tx.get(reviews, slot.value.review_id);
  tx.put(slots, slot, { id, review_id: review.id });
  // Another system may have corrected the target of the other one since.
  if (other === null || statsId(other.value.target) !== statsId(review.target)) return;
  if (nextReviewStatus(other.value.status, "withdraw") === null) return;
  await saveReview(tx, other, {
    ...other.value,
    status: "withdrawn",
    published_at: null,
    updated_at: work.nowAt,
    moderation: {
      ...other.value.moderation,
      note: `Replaced by ${review.id} of the same author.`,
      by: "auto",
      at: work.nowAt,
    },
  });
}

async function leaveSlot(tx: Tx, review: Review): Promise<void> {
  const id = slotOf(review);
  const slot = id === null ? null : await tx.get(slots, id);
  if (slot !== null && slot.value.review_id === review.id) tx.remove(slots, slot);
}

const REPLIES_FORGOTTEN = 50;

/** Operations that are left to the review, its photos and its averages. */
const ROOM_OF_REVIEW = 120;

/**
 * Mails to the author contain the address and are deleted with the review, as many as fit; unsent ones are cancelled. False where some
 * are left, to the job or the next request.
 */
async function forgetPrivateReplies(tx: Tx, id: string): Promise<boolean> {
  const { items, next } = await tx.peekPage(privateReplies, {
    index: "review",
    value: id,
    limit: REPLIES_FORGOTTEN,
  });
  for (const reply of items) {
    if (tx.room() < ROOM_OF_REVIEW) return false;
    await withdrawStoreMail(tx, storeMailId([reply.id]));
    tx.remove(privateReplies, reply);
  }
  return next === null;
}

const BALLOTS_FORGOTTEN = 50;

/** Operations that are left to what else the commit holds. */
const ROOM_LEFT = 10;

/** Votes on deleted posts are no longer needed: as many are deleted as fit. */
async function forgetBallots(tx: Tx, id: string): Promise<void> {
  const { items } = await tx.peekPage(ballots, { index: "subject", value: id, limit: BALLOTS_FORGOTTEN });
  for (const ballot of items) if (tx.room() > ROOM_LEFT) tx.remove(ballots, ballot);
}
