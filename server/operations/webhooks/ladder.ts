const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Wait before each attempt (Standard Webhooks): at once, then ever longer, for three days in all. */
export const LADDER_MS: readonly number[] = [
  0,
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
];
/** Waits are stretched or shrunk by up to this share, so that a crowd does not come back at once. */
export const JITTER = 0.1;
const RETRY_AFTER_MAX_MS = 24 * HOUR;
/** An endpoint that has answered nothing but failures for so long is switched off. */
export const DISABLE_AFTER_MS = 120 * HOUR;

/** What an attempt came to. `status` is null when no answer came; `error` is in words that the owner can use. */
export interface Attempt {
  readonly status: number | null;
  readonly error: string | null;
  readonly retryAfter?: string;
}

export type Verdict = "delivered" | "gone" | "failed";

/** 2xx is success; 410 says that the endpoint no longer exists; all else, redirects included, is a failure. */
export function judge({ status }: Attempt): Verdict {
  if (status !== null && status >= 200 && status < 300) return "delivered";
  return status === 410 ? "gone" : "failed";
}

/**
 * Epoch milliseconds of the next attempt after `attempts` failed ones; null when there will be none. `random` is uniform
 * in [0, 1). An answer's Retry-After is waited for, as far as it is later and no more than a day.
 */
export function nextAttempt(
  attempts: number,
  {
    now,
    random,
    retryAfter,
  }: { readonly now: number; readonly random: number; readonly retryAfter?: string | undefined },
): number | null {
  const wait = LADDER_MS[attempts];
  if (wait === undefined) return null;
  const spread = Math.round(wait * (1 - JITTER + 2 * JITTER * random));
  return now + Math.max(spread, retryAfter === undefined ? 0 : readRetryAfter(retryAfter, now));
}

/** Seconds, or an HTTP date (RFC 9110 §10.2.3), as milliseconds from now; 0 for what is neither. */
function readRetryAfter(text: string, now: number): number {
  const wait = /^\d{1,9}$/.test(text.trim()) ? Number(text) * SECOND : Date.parse(text) - now;
  return Number.isFinite(wait) ? Math.min(Math.max(0, wait), RETRY_AFTER_MAX_MS) : 0;
}
