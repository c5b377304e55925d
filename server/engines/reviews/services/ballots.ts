import { derivedId } from "../../../core/ids.ts";
import type { Stored, Tx } from "../../../core/tx.ts";
import { wilson } from "../../../lib/wilson.ts";
import { ballots } from "../repository.ts";
import type { Review } from "../schema.ts";
import type { ReviewWork } from "./work.ts";
import { moveReview } from "./moderate.ts";
import { saveReview } from "./save-review.ts";

/** Number of flags that unpublish a review until it is moderated. */
const FLAGS_HOLD = 3;
/** Number of flags of one address that count on a day: three addresses could unpublish all that a shop shows. */
const FLAGS_OF_ADDRESS = 10;

/** Who votes on or flags something: by the store's own id, or as an address of the day, which is another one tomorrow. */
export interface Voter {
  /** Hash of the voter. */
  readonly visitor: string;
  readonly isNamed: boolean;
}

interface About extends Pick<Voter, "visitor"> {
  /** Subject of the vote. */
  readonly subject: string;
}

const ballotId = (kind: "vote" | "flag" | "day" | "settled", { subject, visitor }: About): string =>
  derivedId("blt", new Uint8Array(), [kind, subject, visitor]);

export interface Votes {
  readonly up: number;
  readonly down: number;
}

/** Counts a vote once: a second one of the same visitor changes or repeats it. Null if nothing changed. */
export async function castVote(
  tx: Tx,
  work: ReviewWork,
  votes: Votes,
  vote: Voter & About & { readonly helpful: boolean },
): Promise<Votes | null> {
  const id = ballotId("vote", vote);
  const previous = await tx.get(ballots, id);
  if (previous !== null && previous.value.helpful === vote.helpful) return null;
  const ballot = {
    id,
    subject_id: vote.subject,
    helpful: vote.helpful,
    at: work.nowAt,
    of_day: !vote.isNamed,
  };
  tx.save(ballots, previous, ballot);
  const [up, down] = vote.helpful ? [1, 0] : [0, 1];
  const back = previous === null ? 0 : 1;
  return { up: votes.up + up - back * down, down: votes.down + down - back * up };
}

/** A vote on a review, with the bound used for sorting by helpfulness. */
export async function voteOnReview(
  tx: Tx,
  work: ReviewWork,
  stored: Stored<Review>,
  vote: Voter & { readonly helpful: boolean },
): Promise<Stored<Review>> {
  const { helpful, id } = stored.value;
  const votes = await castVote(tx, work, helpful, { subject: id, ...vote });
  if (votes === null) return stored;
  const { lower } = wilson(votes.up, votes.up + votes.down);
  return saveReview(tx, stored, {
    ...stored.value,
    helpful: { ...votes, lower_bound: Math.round(lower * 1e6) / 1e6 },
  });
}

/**
 * A flag, one per visitor; the third one makes a published review pending, that of an address if there were three on its day. A review
 * that a person approved after flags remains published.
 */
export async function flagReview(
  tx: Tx,
  work: ReviewWork,
  stored: Stored<Review>,
  { isNamed, visitor }: Voter,
): Promise<Stored<Review>> {
  const id = ballotId("flag", { subject: stored.id, visitor });
  if ((await tx.get(ballots, id)) !== null) return stored;
  if (!isNamed && (await countOfDay(tx, work, visitor, FLAGS_OF_ADDRESS + 1)) > FLAGS_OF_ADDRESS)
    return stored;
  tx.create(ballots, { id, subject_id: stored.id, helpful: null, at: work.nowAt, of_day: !isNamed });
  const flags = stored.value.flags_count + 1;
  tx.emit({
    id: work.newId("evt"),
    type: "reviews.review.flagged",
    at: work.nowAt,
    data: { review_id: stored.id, flags },
  });
  const today = await countOfDay(tx, work, stored.id, FLAGS_HOLD);
  const flagged = await saveReview(tx, stored, { ...stored.value, flags_count: flags });
  if (flags < FLAGS_HOLD || flagged.value.status !== "published") return flagged;
  if (!isNamed && today < FLAGS_HOLD) return flagged;
  const settled = await tx.get(ballots, settledId(stored.id));
  if (settled !== null && settled.value.at === stored.value.moderation.at) return flagged;
  return moveReview(tx, { ...work, by: "auto" }, flagged, {
    action: "flagged",
    note: `Flagged by ${flags} visitors.`,
  });
}

/** Which flag of the day it is, of a review or an address, counted up to the number that matters. */
async function countOfDay(tx: Tx, { nowAt }: ReviewWork, subject: string, max: number): Promise<number> {
  for (let count = 1; count < max; count += 1) {
    const id = ballotId("day", { subject, visitor: `${nowAt.slice(0, 10)} ${count}` });
    if ((await tx.get(ballots, id)) !== null) continue;
    tx.create(ballots, { id, subject_id: subject, helpful: null, at: nowAt, of_day: true });
    return count;
  }
  return max;
}

const settledId = (subject: string): string => ballotId("settled", { subject, visitor: "" });

/** Records that a person approves a flagged review: further flags of the same publication only count. */
export async function settleFlags(
  tx: Tx,
  work: ReviewWork,
  { flags_count: flags, id }: Review,
): Promise<void> {
  if (flags === 0 || work.by === null || work.by === "auto") return;
  const settled = { id: settledId(id), subject_id: id, helpful: null, at: work.nowAt };
  tx.save(ballots, await tx.get(ballots, settled.id), settled);
}
