import { HOUR_MS, MINUTE_MS, fromInstant, toInstant } from "../../../lib/instant.ts";
import type { Attempt, Charge } from "../schema/charge.ts";
import type { DunningPolicy } from "../schema/policy.ts";
import { SUBSCRIPTION_LIMITS } from "../schema/parts.ts";
import type { Failure } from "../schema/parts.ts";
import type { ChargeAnswer, LookupAnswer } from "../../../core/payments.ts";
import { nextRetry } from "./next-retry.ts";
import type { Retry } from "./next-retry.ts";

/** What an answer made of a charge. */
export type Effect =
  /** Nothing new. */
  | "none"
  | "paid"
  /** It failed, and something is going to be done about it. */
  | "failed"
  /** It failed for the last time. */
  | "exhausted"
  /** The customer has to confirm. */
  | "action"
  /** It is not decided, or not known. */
  | "waiting"
  /** Money came for a charge that was paid already: a person has to refund one. */
  | "paid_twice"
  /** Its outcome is unknown: a person has to decide. */
  | "needs_review";

export interface Applied {
  readonly charge: Charge;
  readonly effect: Effect;
}

export interface ApplyContext {
  readonly now: number;
  readonly policy: DunningPolicy;
  readonly timezone: string;
  /** Until when the first payment may come, epoch milliseconds; null for any other payment. */
  readonly expiresAt: number | null;
}

const LOOKUP_MINUTES = [1, 5, 30] as const;

/** The next time to ask about an attempt, by how often it was asked: after 1, 5 and 30 minutes, then every hour. */
export const lookupAt = (attempt: Pick<Attempt, "lookups">, now: number): string =>
  toInstant(now + (LOOKUP_MINUTES[attempt.lookups] ?? 60) * MINUTE_MS);

/**
 * Applies what a gateway said about an attempt, however it reached us: the answer to the request, to a look-up, or a
 * callback, in any order and any number of times. A definite state never moves back; only money that came late after a
 * failure still counts. Everything else leaves the charge as it is, and what becomes of another attempt than the one that paid it too.
 */
export function applyAnswer(
  charge: Charge,
  n: number,
  answer: ChargeAnswer | LookupAnswer,
  by: ApplyContext,
): Applied {
  const attempt = charge.attempts.find((one) => one.n === n);
  if (attempt === undefined || attempt.state === "succeeded") return { charge, effect: "none" };
  if (answer.status === "succeeded") return applySuccess(charge, attempt, answer.ref, by.now);
  if (attempt.state === "failed") return { charge, effect: "none" };
  const withStatus = (next: Charge, status: Charge["status"]): Charge =>
    isDone(charge) ? next : { ...next, status };
  switch (answer.status) {
    case "failed":
      return applyFailure(charge, attempt, answer, by);
    case "requires_action": {
      const asked = askLater({ ...attempt, state: "requires_action" }, by.now);
      const known = {
        ...asked,
        gateway_ref: answer.ref,
        action_url: answer.action_url ?? attempt.action_url,
      };
      const isNews = attempt.state !== "requires_action" && !isDone(charge);
      const next = withStatus(withAttempt(charge, known), "requires_action");
      return { charge: next, effect: isNews ? "action" : "none" };
    }
    case "pending": {
      const next = { ...attempt, state: "pending" as const, gateway_ref: answer.ref ?? attempt.gateway_ref };
      return { charge: withAttempt(charge, askLater(next, by.now)), effect: "waiting" };
    }
    case "unknown": {
      const why = `No certain answer (${answer.detail}): the gateway is asked what became of attempt ${n}.`;
      // What was pending or waits for the customer is still that: only the look-up failed.
      const isKnown = attempt.state === "pending" || attempt.state === "requires_action";
      const state = isKnown ? attempt.state : ("unknown" as const);
      const next = withAttempt(charge, askLater({ ...attempt, state }, by.now));
      const status = isKnown ? charge.status : ("unknown" as const);
      return { charge: decide(withStatus(next, status), why, by.now), effect: "waiting" };
    }
    case "not_found":
    case "unsupported":
      return stopAsking(charge, attempt, answer.status, by.now);
  }
}

/**
 * Takes back an attempt that was claimed and never sent: it is made at an instant in epoch milliseconds, and nothing has failed. Where its
 * claim has run out meanwhile, another worker asks about it, and may have sent it.
 */
export function takeBack(
  charge: Charge,
  { n, leaseUntil }: { readonly n: number; readonly leaseUntil: string },
  until: number,
): Charge {
  const last = charge.attempts.at(-1);
  if (last?.n !== n || last.state !== "claimed" || last.lease_until !== leaseUntil) return charge;
  const retryAt = charge.status === "processing" ? toInstant(until) : null;
  const dunning = { ...charge.dunning, next_retry_at: retryAt };
  return { ...charge, attempts: charge.attempts.slice(0, -1), dunning };
}

/** An attempt that neither the gateway nor the worker can settle: it stops everything until a person did. */
function stopAsking(
  charge: Charge,
  attempt: Attempt,
  reason: "not_found" | "unsupported",
  now: number,
): Applied {
  const why =
    reason === "unsupported"
      ? `The gateway cannot be asked what became of attempt ${attempt.n}: settle it manually.`
      : `The gateway does not know attempt ${attempt.n}, and it is too old to be sent again: settle it manually.`;
  const next = withAttempt(charge, { ...attempt, state: "unknown", next_lookup_at: null });
  const review = { reason: "unresolved" as const, attempt_id: attempt.id, since: toInstant(now) };
  const status = isDone(charge) ? charge.status : ("unknown" as const);
  return { charge: decide({ ...next, status, review }, why, now), effect: "needs_review" };
}

function applySuccess(charge: Charge, attempt: Attempt, ref: string | null, now: number): Applied {
  const at = toInstant(now);
  const paid = withAttempt(charge, {
    ...attempt,
    state: "succeeded",
    gateway_ref: ref ?? attempt.gateway_ref,
    failure: null,
    resolved_at: at,
    next_lookup_at: null,
  });
  if (isPaid(charge) || charge.status === "voided") {
    const review = { reason: "double_payment" as const, attempt_id: attempt.id, since: at };
    const why = `Attempt ${attempt.n} brought money although nothing was owed any more: refund it.`;
    return { charge: decide({ ...paid, review }, why, now), effect: "paid_twice" };
  }
  const dunning = { ...charge.dunning, next_retry_at: null, give_up_at: null };
  const review = charge.review?.attempt_id === attempt.id ? null : charge.review;
  return { charge: { ...paid, status: "succeeded", paid_at: at, dunning, review }, effect: "paid" };
}

const isPaid = ({ paid_at: paidAt }: Pick<Charge, "paid_at">): boolean => paidAt !== null;

/** Whether a charge was settled in another way than by an attempt that is still under way. */
const isDone = (charge: Charge): boolean =>
  isPaid(charge) || charge.status === "voided" || charge.status === "skipped";

function applyFailure(
  charge: Charge,
  attempt: Attempt,
  { ref, failure }: { ref: string | null; failure: Failure },
  by: ApplyContext,
): Applied {
  const failed = withAttempt(charge, {
    ...attempt,
    state: "failed",
    gateway_ref: ref ?? attempt.gateway_ref,
    failure,
    resolved_at: toInstant(by.now),
    next_lookup_at: null,
  });
  if (isDone(charge)) return { charge: failed, effect: "none" };
  const review = charge.review?.attempt_id === attempt.id ? null : charge.review;
  return applyRefusal({ ...failed, review }, failure, by);
}

/** Moves a charge on after a failure: also after one that never reached a gateway, such as a missing method. */
export function applyRefusal(charge: Charge, failure: Failure, by: ApplyContext): Applied {
  const firstFailedAt = charge.dunning.first_failed_at ?? toInstant(by.now);
  const asked = askRetry(charge, failure, fromInstant(firstFailedAt), by);
  const retry = by.expiresAt === null ? asked : beforeExpiry(asked, failure, by.now, by.expiresAt);
  const isSystem = retry.kind === "retry" && retry.isSystem;
  const dunning: Charge["dunning"] = {
    stage: charge.dunning.stage + 1,
    first_failed_at: firstFailedAt,
    next_retry_at: retry.kind === "retry" ? toInstant(retry.at) : null,
    give_up_at: retry.kind === "wait" && retry.until !== Infinity ? toInstant(retry.until) : null,
    category: failure.category,
    system_retries: charge.dunning.system_retries + (isSystem ? 1 : 0),
  };
  const status = retry.kind === "give_up" ? ("exhausted" as const) : ("retrying" as const);
  const why = `${failure.code}: ${retry.why}`;
  return {
    charge: decide({ ...charge, status, dunning }, why, by.now),
    effect: status === "exhausted" ? "exhausted" : "failed",
  };
}

/** How long before the expiry of its contract a first payment is tried for the last time. */
const LAST_TRY_MS = HOUR_MS;

/**
 * The retry of a first payment: before its contract expires, whenever the policy's next step is. Where a retry cannot help,
 * or the last one has failed, the customer can still pay with another method until then.
 */
function beforeExpiry(asked: Retry, { category }: Failure, now: number, expiresAt: number): Retry {
  const lastAt = expiresAt - LAST_TRY_MS;
  if (asked.kind !== "retry" || category === "action" || lastAt <= now) {
    const why = "The first payment: waits for the customer until the contract expires.";
    return { kind: "wait", until: Infinity, why };
  }
  if (asked.at <= lastAt) return asked;
  return { ...asked, at: lastAt, why: "The first payment: tried again before the contract expires." };
}

const askRetry = (charge: Charge, failure: Failure, firstFailedAt: number, by: ApplyContext): Retry =>
  nextRetry({
    policy: by.policy,
    category: failure.category,
    code: failure.code,
    now: by.now,
    firstFailedAt,
    attemptsAt: charge.attempts.map((attempt) => fromInstant(attempt.claimed_at)),
    systemRetries: charge.dunning.system_retries,
    timezone: by.timezone,
  });

const askLater = (attempt: Attempt, now: number): Attempt => ({
  ...attempt,
  lookups: attempt.lookups + 1,
  next_lookup_at: lookupAt(attempt, now),
});

const withAttempt = (charge: Charge, attempt: Attempt): Charge => ({
  ...charge,
  attempts: charge.attempts.map((one) => (one.n === attempt.n ? attempt : one)),
});

/** Writes down why something was done; the oldest reasons go when there are too many. */
export const decide = (charge: Charge, why: string, now: number): Charge => ({
  ...charge,
  decisions: [...charge.decisions, { at: toInstant(now), why: why.slice(0, 400) }].slice(
    -SUBSCRIPTION_LIMITS.decisions,
  ),
});
