import { fromInstant, toInstant } from "../lib/instant.ts";
import type { MailRecord } from "./record.ts";
import type { MailError } from "./transport.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Waits after the first, second, … failed attempt; the last one repeats. Short at first: a person waits for the mail. */
const WAITS_MS = [
  15 * SECOND,
  30 * SECOND,
  MINUTE,
  2 * MINUTE,
  5 * MINUTE,
  10 * MINUTE,
  20 * MINUTE,
  40 * MINUTE,
  HOUR,
];
/** Waits are stretched or shrunk by up to this share, so that a crowd of mails does not come back at once. */
const JITTER = 0.2;
const KEEP_SENT_MS = 7 * DAY;
const KEEP_UNDELIVERED_MS = 30 * DAY;
const ERROR_CHARS_MAX = 300;

/** A mail without an expiry of its own is tried for as long as this. */
export const DEFAULT_LIFETIME_MS = 2 * DAY;

/** Milliseconds until the next attempt, after `attempts` failed ones. `random` is uniform in [0, 1). */
export function waitAfter(attempts: number, random: number): number {
  const wait = WAITS_MS[Math.min(attempts, WAITS_MS.length) - 1] ?? SECOND;
  return Math.round(wait * (1 - JITTER + 2 * JITTER * random));
}

export function toSent(mail: MailRecord, nowMs: number, keepsText: boolean): MailRecord {
  const kept = keepsText ? mail : withoutSecrets(mail);
  const finished = { ...kept, state: "sent" as const, next_at: null, last_error: null };
  return { ...finished, sent_at: toInstant(nowMs), purge_at: toInstant(nowMs + KEEP_SENT_MS) };
}

/** A mail that left needs no copy here: its link is a credential, which the store otherwise keeps only as a hash. */
const withoutSecrets = (mail: MailRecord): MailRecord => ({
  ...mail,
  link: null,
  message: { ...mail.message, text: "", html: "" },
});

/** Marketing mail is sent at most once: better none than two. */
export const isMarketing = ({ message }: MailRecord): boolean => message.unsubscribe_url !== undefined;

/** A marketing mail that may have left, or not: it is not tried again. */
export const toUnknown = (mail: MailRecord, nowMs: number): MailRecord =>
  toUndelivered(
    { ...mail, last_error: "Delivery status unknown. Marketing mail is never sent twice." },
    "dead",
    nowMs,
  );

/** A mail that is no longer needed. */
export const toDead = (mail: MailRecord, nowMs: number): MailRecord => toUndelivered(mail, "dead", nowMs);

/** What becomes of a mail whose attempt failed: refused permanently, tried again later, or given up. */
export function toFailed(
  mail: MailRecord,
  error: MailError,
  now: { ms: number; random: number },
): MailRecord {
  const failed = { ...mail, last_error: error.message.slice(0, ERROR_CHARS_MAX) };
  if (error.fault === "refused") return toUndelivered(failed, "failed", now.ms);
  if (error.fault === "unknown" && isMarketing(mail)) return toUnknown(mail, now.ms);
  const next = now.ms + waitAfter(mail.attempts, now.random);
  if (next >= fromInstant(mail.expires_at)) return toUndelivered(failed, "dead", now.ms);
  return { ...failed, state: "queued", next_at: toInstant(next) };
}

const toUndelivered = (mail: MailRecord, state: "failed" | "dead", nowMs: number): MailRecord => ({
  ...mail,
  state,
  next_at: null,
  purge_at: toInstant(nowMs + KEEP_UNDELIVERED_MS),
});
