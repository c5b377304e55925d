import { DAY_MS, fromInstant, toInstant } from "../../../lib/instant.ts";
import { conflict } from "../../../lib/errors.ts";
import { giveWay } from "../../../lib/slices.ts";
import { derivedId } from "../../../core/ids.ts";
import type { Stored, Tx } from "../../../core/tx.ts";
import {
  addressHash,
  pulseId,
  pulses,
  readSettings,
  reviews,
  slotOf,
  slots,
  statsId,
  traces,
} from "../repository.ts";
import { findAnomaly, HOLD_MS, withReview } from "../rules/detect-anomaly.ts";
import { englishDisclosure, mergeDisclosures } from "../rules/disclose.ts";
import { applyRules } from "../rules/moderation-rules.ts";
import type { FormVerdict } from "../rules/score-risk.ts";
import { filedTarget } from "../rules/pick-places.ts";
import { verdictOf } from "../rules/score-risk.ts";
import { nextReviewStatus } from "../rules/transitions.ts";
import { UNVERIFIED } from "../rules/verification.ts";
import type { Review, ReviewStatus, Verification } from "../schema.ts";
import type { Settings } from "../schema/settings.ts";
import { assess } from "./assess.ts";
import type { ReviewWork } from "./work.ts";
import { publish, claimSlot } from "./moderate.ts";
import { saveReview } from "./save-review.ts";

/** Fields of a review that its sender can set. */
export type Content = Pick<
  Review,
  | "target"
  | "product_name"
  | "product_url"
  | "sku"
  | "gtin"
  | "mpn"
  | "brand"
  | "rating"
  | "title"
  | "body"
  | "pros"
  | "cons"
  | "attributes"
  | "remarks"
  | "recommends"
  | "media"
  | "author"
  | "email"
  | "locale"
  | "country"
  | "collection_method"
  | "incentive"
  | "relationship"
  | "experienced_at"
  | "source"
  | "translations"
>;

/** How a review was submitted, from which its verification and risk are derived. */
export interface SubmissionSource {
  readonly verification: Verification;
  readonly invitation_id: string | null;
  /** The store's own server, or the link of an invitation, identifies the author; a visitor's page does not. */
  readonly is_trusted: boolean;
  /** Hash of the visitor's IP address; null if not sent by a visitor. */
  readonly address: string | null;
  readonly form: FormVerdict | null;
  /** The original creation time for imports; null for now. */
  readonly submitted_at: string | null;
}

export interface Submitted {
  readonly stored: Stored<Review>;
  /** It replaced an earlier one of the same author. */
  readonly is_update: boolean;
}

/**
 * Submits a review: assesses it, finds an existing one of its author, and stores it as unconfirmed, spam, pending
 * or published. The rating has no influence.
 */
export async function submitReview(
  tx: Tx,
  work: ReviewWork,
  content: Content,
  source: SubmissionSource,
): Promise<Submitted> {
  const settings = await readSettings(tx);
  const earlier = await findEarlier(tx, content, source);
  const revised = earlier !== null && source.is_trusted ? earlier : null;
  const draft = draftOf(work, content, source, revised?.value ?? null);
  const { risk, signals } = await assess(tx, draft, {
    settings,
    address: source.address,
    form: source.form,
    is_second: earlier !== null && !source.is_trusted,
    now: work.now,
  });
  const judged: Review = { ...draft, moderation: { ...draft.moderation, risk, signals } };
  const needsConfirmation =
    settings.confirm_email &&
    !source.is_trusted &&
    judged.email !== null &&
    judged.verification.level === "none";
  const wanted = wantedStatus(judged, settings);
  const stored = await fileReview(tx, work, {
    before: revised,
    review: judged,
    status: needsConfirmation && wanted !== "spam" ? "unconfirmed" : await admit(tx, work, judged, wanted),
    is_trusted: source.is_trusted,
  });
  if (source.address !== null) {
    tx.create(traces, { id: work.newId("trc"), address: source.address, at: work.nowAt });
  }
  tx.emit({
    id: work.newId("evt"),
    type: "reviews.review.submitted",
    at: work.nowAt,
    data: {
      review_id: stored.id,
      target: content.target,
      status: stored.value.status,
      is_update: revised !== null,
    },
  });
  return { stored, is_update: revised !== null };
}

/** The existing review of the author: by the id of another system, or by identity. */
async function findEarlier(
  tx: Tx,
  content: Content,
  source: SubmissionSource,
): Promise<Stored<Review> | null> {
  const external = externalId(content);
  const imported = external === null ? null : await tx.get(reviews, external);
  if (imported !== null) {
    if (nextReviewStatus(imported.value.status, "revise") !== null) return imported;
    throw conflict(
      "review_closed",
      `Review ${imported.id} was already created from this source and has status \`${imported.value.status}\`.`,
    );
  }
  const slotKey = slotOf({ ...content, verification: source.verification });
  const slot = slotKey === null ? null : await tx.get(slots, slotKey);
  const held = slot === null ? null : await tx.get(reviews, slot.value.review_id);
  // Another system may have corrected its target since.
  if (held === null || statsId(held.value.target) !== statsId(content.target)) return null;
  return nextReviewStatus(held.value.status, "revise") === null ? null : held;
}

/** The same review of another system is the same review here. */
export const externalId = ({ source }: Pick<Content, "source">): string | null =>
  source === null || source.external_id === null
    ? null
    : derivedId("rev", new Uint8Array(), ["external", source.system, source.external_id]);

function draftOf(
  work: ReviewWork,
  content: Content,
  source: SubmissionSource,
  before: Review | null,
): Review {
  const at = work.nowAt;
  const disclosure = mergeDisclosures(before, content);
  return {
    ...content,
    ...disclosure,
    id: before?.id ?? externalId(content) ?? work.newId("rev"),
    created_at: before?.created_at ?? at,
    updated_at: at,
    email_hash: content.email === null ? null : addressHash(content.email),
    status: "pending",
    moderation: { reason: null, note: "", by: null, at: null, risk: 0, signals: [] },
    verification:
      source.verification.level === "none" && before !== null ? before.verification : source.verification,
    disclosure: englishDisclosure(disclosure.incentive, disclosure.relationship),
    helpful: before?.helpful ?? { up: 0, down: 0, lower_bound: 0 },
    reply: before?.reply ?? null,
    flags_count: 0,
    featured: before?.featured ?? false,
    edited: false,
    edits:
      before === null
        ? []
        : keepEdits([
            ...before.edits,
            {
              at,
              by: "author" as const,
              key: work.by,
              rating: before.rating,
              title: before.title,
              body: before.body,
              declined_at: null,
            },
          ]),
    submitted_at: source.submitted_at ?? before?.submitted_at ?? at,
    published_at: null,
    invitation_id: source.invitation_id ?? before?.invitation_id ?? null,
    erase_asked: false,
  };
}

const EDITS_KEPT = 20;

/** The newest edits, and the shop's first one since the author's last: it has the author's own text, which can be restored. */
export function keepEdits(edits: Review["edits"]): Review["edits"] {
  const beyond = edits.length - EDITS_KEPT;
  const own = edits.findLastIndex(({ by }) => by === "author") + 1;
  if (beyond <= 0 || own >= beyond) return edits.slice(-EDITS_KEPT);
  return edits.filter((_, at) => at === own || at > beyond);
}

type Wanted = ReturnType<typeof verdictOf>;

/** The status by risk and the store's rules. */
function wantedStatus(review: Review, settings: Settings): Wanted {
  const wish = applyRules(settings.moderation_rules, review);
  return wish === null ? verdictOf(review.moderation, settings.auto_publish) : WISHES[wish];
}

/** The status of a review that counts from now on, after the velocity of its target. */
async function admit(tx: Tx, work: ReviewWork, review: Review, status: Wanted): Promise<ReviewStatus> {
  if (status === "spam") return "spam";
  const isHeld = await measureVelocity(tx, work, review);
  const isHard = review.moderation.signals.some(({ code }) => HOLDING.includes(code));
  return status === "published" && (isHeld || isHard) ? "pending" : status;
}

const WISHES = { publish: "published", hold: "pending", spam: "spam" } as const;
/** Signals that require moderation, whatever a rule says. */
const HOLDING: readonly string[] = ["profanity", "second_review"];

/** Records a review in the velocity of its target; true while new ones are held. */
async function measureVelocity(tx: Tx, work: ReviewWork, review: Review): Promise<boolean> {
  const id = pulseId(review.target);
  const stored = await tx.get(pulses, id);
  const before = stored?.value ?? { id, target: review.target, recent: [], days: {}, hold_until: null };
  const verified =
    review.verification.level === "verified_buyer" || review.verification.level === "verified_purchase";
  const next = withReview(before, { at: work.nowAt, rating: review.rating, verified }, work.now);
  const wasHeld = before.hold_until !== null && fromInstant(before.hold_until) > work.now;
  const anomaly = findAnomaly(next, work.now);
  const isNew = anomaly !== null && !wasHeld;
  const held = isNew ? toInstant(work.now + HOLD_MS) : before.hold_until;
  tx.save(pulses, stored, { ...next, hold_until: held });
  if (anomaly !== null) await holdBurst(tx, work, review.target, anomaly.rating);
  if (isNew) {
    tx.emit({
      id: work.newId("evt"),
      type: "reviews.anomaly.detected",
      at: work.nowAt,
      data: { target: review.target, reviews: next.recent.length, hold_until: held },
    });
  }
  return wasHeld || isNew;
}

/** Published reviews of a target that are looked at. */
const BURST_MAX = 50;
/** Of those, what one commit holds at most: each review has some thirty index entries, and can have 200 KB of translations. */
const HELD_MAX = 4;
const HELD_CHARS = 400_000;

/**
 * Holds the reviews of an anomaly that were published before it was one: unverified, of its rating, by no moderator. The newest first;
 * each further review of the target holds some more.
 */
async function holdBurst(tx: Tx, work: ReviewWork, target: Review["target"], rating: number): Promise<void> {
  const since = work.now - DAY_MS;
  const value = filedTarget(target);
  const { items } = await tx.peekPage(reviews, { index: "published", value, limit: BURST_MAX });
  let [held, chars] = [0, 0];
  for (const { id } of items) {
    if (held === HELD_MAX || chars > HELD_CHARS) return;
    const stored = await tx.get(reviews, id);
    if (stored === null) continue;
    await giveWay(tx.part);
    const { verification, moderation, published_at: at, status } = stored.value;
    const isPart =
      status === "published" &&
      stored.value.rating === rating &&
      verification.level === "none" &&
      moderation.by === "auto" &&
      fromInstant(at ?? work.nowAt) > since;
    if (!isPart) continue;
    held += 1;
    chars += stored.members.length;
    await saveReview(tx, stored, {
      ...stored.value,
      status: "pending",
      published_at: null,
      updated_at: work.nowAt,
      moderation: { ...moderation, note: "Held: unusually many unverified reviews.", by: null, at: null },
    });
  }
}

interface Filing {
  readonly before: Stored<Review> | null;
  readonly review: Review;
  readonly status: ReviewStatus;
  readonly is_trusted: boolean;
}

async function fileReview(
  tx: Tx,
  work: ReviewWork,
  { before, review, status, is_trusted }: Filing,
): Promise<Stored<Review>> {
  if (status === "published") return publish(tx, work, before, { by: "auto", review });
  if (is_trusted && status === "pending") await claimSlot(tx, work, review);
  return saveReview(tx, before, {
    ...review,
    status,
    moderation: {
      ...review.moderation,
      ...(status === "spam" ? { reason: "spam" as const, by: "auto", at: work.nowAt } : {}),
    },
  });
}

/** The e-mail address was confirmed: the review counts from now on, with its original assessment. */
export async function confirmReview(
  tx: Tx,
  work: ReviewWork,
  stored: Stored<Review>,
  verification: Verification,
): Promise<Stored<Review>> {
  if (stored.value.status !== "unconfirmed") return stored;
  const settings = await readSettings(tx);
  const review: Review = {
    ...stored.value,
    status: "pending",
    verification: verification.level === "none" ? UNVERIFIED : verification,
    updated_at: work.nowAt,
    // The author's identity is confirmed.
    moderation: {
      ...stored.value.moderation,
      ...withoutSignal(stored.value.moderation, "second_review"),
    },
  };
  const status = await admit(tx, work, review, wantedStatus(review, settings));
  return fileReview(tx, work, { before: stored, review, status, is_trusted: true });
}

function withoutSignal({ signals }: Review["moderation"], code: string) {
  const left = signals.filter((signal) => signal.code !== code);
  return {
    signals: left,
    risk: Math.min(
      100,
      left.reduce((sum, { points }) => sum + points, 0),
    ),
  };
}
