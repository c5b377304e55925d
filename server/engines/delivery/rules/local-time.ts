import { Temporal } from "temporal-polyfill";

/** Local calendar arithmetic of a store. Dates are `YYYY-MM-DD`, times `HH:MM`, instants epoch milliseconds. */

/** Days of the week as they stand on the wire, Monday first (ISO 8601). */
export const WEEKDAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const;

/**
 * Wall clock of a zone → instant, disambiguation `compatible` (RFC 5545 §3.3.10): a time that the spring change
 * skips moves forward by the gap, a time that happens twice in autumn is the first one.
 */
export const toEpochMs = (date: string, time: string, timeZone: string): number =>
  Temporal.PlainDateTime.from(`${date}T${time}`).toZonedDateTime(timeZone, { disambiguation: "compatible" })
    .epochMilliseconds;

/** The local date at an instant. */
export const localDateAt = (epochMs: number, timeZone: string): string =>
  Temporal.Instant.fromEpochMilliseconds(epochMs).toZonedDateTimeISO(timeZone).toPlainDate().toString();

const DAY_MS = 86_400_000;

// A date alone has no zone: as midnight UTC it is plain arithmetic, and asked for thousands of times in one answer.
const dayNumber = (date: string): number => Date.parse(date) / DAY_MS;
const dateOfDay = (day: number): string => new Date(day * DAY_MS).toISOString().slice(0, 10);

export const addDays = (date: string, days: number): string => dateOfDay(dayNumber(date) + days);

/** Days from one date to another; negative when the other is earlier. */
export const daysBetween = (from: string, to: string): number => dayNumber(to) - dayNumber(from);

/** Every date from the first to the last, both included. */
export function datesFrom(first: string, last: string): string[] {
  const start = dayNumber(first);
  return Array.from({ length: Math.max(0, daysBetween(first, last) + 1) }, (_, days) =>
    dateOfDay(start + days),
  );
}

/** Day 0 of the epoch was a Thursday. */
export function weekdayOf(date: string): (typeof WEEKDAYS)[number] {
  return WEEKDAYS[(((dayNumber(date) + 3) % 7) + 7) % 7] ?? "mon";
}

/** Minutes from midnight of `HH:MM`. */
export const minutesOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3));

/** True for an IANA zone name. Fixed offsets such as +01:00 are refused: they know no summer time. */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    return new Intl.DateTimeFormat("en-GB", { timeZone: name }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}
