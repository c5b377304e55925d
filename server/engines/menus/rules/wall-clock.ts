import { Temporal } from "temporal-polyfill";

/** The wall clock of a menu. Dates are `YYYY-MM-DD`, times `HH:MM`, instants epoch milliseconds. */

/** Days of the week as they stand on the wire, Monday first (ISO 8601). */
export const WEEKDAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const;
export type Weekday = (typeof WEEKDAYS)[number];

export const MINUTE_MS = 60_000;
export const DAY_MS = 86_400_000;

/** A stretch of time in which a zone keeps one offset: wall clock = instant + offset. */
export interface Stretch {
  readonly fromMs: number;
  readonly untilMs: number;
  readonly offsetMs: number;
}

/**
 * The stretches of constant offset that cover `[fromMs, untilMs)`. Inside one of them the wall clock runs evenly, so a
 * local range is plain arithmetic; a time that the spring change skips lies in none of them, one that the autumn
 * change repeats lies in two.
 */
export function stretchesOf(timeZone: string, fromMs: number, untilMs: number): Stretch[] {
  const stretches: Stretch[] = [];
  let startMs = fromMs;
  while (startMs < untilMs) {
    const at = Temporal.Instant.fromEpochMilliseconds(startMs).toZonedDateTimeISO(timeZone);
    const change = at.getTimeZoneTransition("next")?.epochMilliseconds ?? untilMs;
    const endMs = Math.min(change, untilMs);
    stretches.push({ fromMs: startMs, untilMs: endMs, offsetMs: at.offsetNanoseconds / 1_000_000 });
    startMs = endMs;
  }
  return stretches;
}

/** Offset of a zone at an instant, in milliseconds east of UTC. */
export const offsetAt = (timeZone: string, epochMs: number): number =>
  Temporal.Instant.fromEpochMilliseconds(epochMs).toZonedDateTimeISO(timeZone).offsetNanoseconds / 1_000_000;

// A local date alone has no zone: as midnight UTC it is plain arithmetic.
/** Days since 1970-01-01 of a date. */
export const dayNumber = (date: string): number => Date.parse(date) / DAY_MS;
/** Day of a wall clock that is told in milliseconds since 1970-01-01T00:00 local. */
export const dayOf = (localMs: number): number => Math.floor(localMs / DAY_MS);
export const dateOfDay = (day: number): string => new Date(day * DAY_MS).toISOString().slice(0, 10);
/** Day 0 of the epoch was a Thursday. */
export const weekdayOfDay = (day: number): Weekday => WEEKDAYS[(((day + 3) % 7) + 7) % 7] ?? "mon";
/** Milliseconds from midnight of `HH:MM`. */
export const timeMs = (time: string): number =>
  (Number(time.slice(0, 2)) * 60 + Number(time.slice(3))) * MINUTE_MS;

/** True for an IANA zone name. Fixed offsets such as +01:00 are refused: they know no summer time. */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    return new Intl.DateTimeFormat("en-GB", { timeZone: name }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}
