import { fromInstant } from "../../../lib/instant.ts";
import type { Pulse } from "../schema/records.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const DAYS = 28;
const FLOOR = 5;
const SIGMAS = 4;
const SAME_STAR = 0.7;
const VERIFIED = 0.2;
/** How long new reviews of the target are held after an anomaly. */
export const HOLD_MS = 72 * HOUR_MS;

type Recent = Pulse["recent"][number];

/**
 * Detects reviews of a target that are unlikely to come from customers: more in 24 hours than the previous 28 days
 * explain, nearly all with the same rating (whichever) and hardly any verified.
 */
export function isAnomaly(recent: readonly Recent[], days: Pulse["days"], now: number): boolean {
  const last = within(recent, now);
  const counts = pastDays(now).map((day) => days[day] ?? 0);
  const average = counts.reduce((sum, count) => sum + count, 0) / DAYS;
  const spread = Math.sqrt(counts.reduce((sum, count) => sum + (count - average) ** 2, 0) / DAYS);
  if (last.length <= Math.max(FLOOR, average + SIGMAS * spread)) return false;
  const most = Math.max(
    ...[1, 2, 3, 4, 5].map((star) => last.filter(({ rating }) => rating === star).length),
  );
  const verified = last.filter((one) => one.verified).length;
  return most / last.length >= SAME_STAR && verified / last.length < VERIFIED;
}

/** The velocity of a target with one more review; old entries are dropped. */
export function withReview(pulse: Pulse, review: Recent, now: number): Pulse {
  const day = review.at.slice(0, 10);
  const relevantDays = new Set([...pastDays(now), day]);
  const days = Object.fromEntries(Object.entries(pulse.days).filter(([name]) => relevantDays.has(name)));
  return {
    ...pulse,
    recent: [...within(pulse.recent, now), review].slice(-300),
    days: { ...days, [day]: (days[day] ?? 0) + 1 },
  };
}

const within = (recent: readonly Recent[], now: number): Recent[] =>
  recent.filter(({ at }) => now - fromInstant(at) < DAY_MS);

/** The 28 days (UTC) before today, with which today is compared. */
const pastDays = (now: number): string[] =>
  Array.from({ length: DAYS }, (_, at) => new Date(now - (at + 1) * DAY_MS).toISOString().slice(0, 10));
