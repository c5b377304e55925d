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

/** A group of unverified reviews of one rating is judged on its own from this number on. */
const GROUP_FLOOR = 10;

/** Reviews of the last day that are unlikely to come from customers: unverified ones with this rating. */
export interface Anomaly {
  readonly rating: number;
}

/**
 * Detects reviews of a target that are unlikely to come from customers: more in 24 hours than the previous 28 days
 * explain, nearly all with the same rating (whichever) and hardly any verified. On a target with many other reviews, the
 * unverified ones of one rating are compared with their own past, and with what verified customers say on that day.
 */
export function findAnomaly({ recent, days, unverified }: Pulse, now: number): Anomaly | null {
  const last = within(recent, now);
  const known = last.filter((one) => one.verified);
  const groups = RATINGS.map((rating) => ({
    rating,
    all: last.filter((one) => one.rating === rating).length,
    unknown: last.filter((one) => one.rating === rating && !one.verified).length,
    known: known.filter((one) => one.rating === rating).length,
  }));
  const most = groups.reduce((first, group) => (group.all > first.all ? group : first));
  const counts = pastDays(now).map((day) => days[day] ?? 0);
  const isWave =
    last.length > limitOf(counts, FLOOR) &&
    most.all / last.length >= SAME_STAR &&
    known.length / last.length < VERIFIED;
  if (isWave) return { rating: most.rating };
  const burst = groups.find(({ rating, unknown, known: agreeing }) => {
    // Days from before unverified reviews were recorded count whole.
    const past = pastDays(now).map((day) => unverified?.[day]?.[rating - 1] ?? days[day] ?? 0);
    return unknown > limitOf(past, GROUP_FLOOR) && agreeing / Math.max(1, known.length) < SAME_STAR / 2;
  });
  return burst === undefined ? null : { rating: burst.rating };
}

const RATINGS = [1, 2, 3, 4, 5] as const;

/** The number that the past explains: the mean and four standard deviations, at least `floor`. */
function limitOf(counts: readonly number[], floor: number): number {
  const average = counts.reduce((sum, count) => sum + count, 0) / DAYS;
  const spread = Math.sqrt(counts.reduce((sum, count) => sum + (count - average) ** 2, 0) / DAYS);
  return Math.max(floor, average + SIGMAS * spread);
}

/** The velocity of a target with one more review; old entries are dropped. */
export function withReview(pulse: Pulse, review: Recent, now: number): Pulse {
  const day = review.at.slice(0, 10);
  const relevantDays = new Set([...pastDays(now), day]);
  const days = pick(pulse.days, relevantDays);
  const unverified = pick(pulse.unverified ?? {}, relevantDays);
  const ratings = [...(unverified[day] ?? [0, 0, 0, 0, 0])];
  if (!review.verified) ratings[review.rating - 1] = (ratings[review.rating - 1] ?? 0) + 1;
  return {
    ...pulse,
    recent: [...within(pulse.recent, now), review].slice(-300),
    days: { ...days, [day]: (days[day] ?? 0) + 1 },
    unverified: { ...unverified, [day]: ratings },
  };
}

const pick = <T>(days: Readonly<Record<string, T>>, kept: ReadonlySet<string>): Record<string, T> =>
  Object.fromEntries(Object.entries(days).filter(([day]) => kept.has(day)));

const within = (recent: readonly Recent[], now: number): Recent[] =>
  recent.filter(({ at }) => now - fromInstant(at) < DAY_MS);

/** The 28 days (UTC) before today, with which today is compared. */
const pastDays = (now: number): string[] =>
  Array.from({ length: DAYS }, (_, at) => new Date(now - (at + 1) * DAY_MS).toISOString().slice(0, 10));
