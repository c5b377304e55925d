import { Temporal } from "temporal-polyfill";

import type { Interval } from "../schema/parts.ts";

/** Local calendar arithmetic. Dates are `YYYY-MM-DD`, times `HH:MM`, instants epoch milliseconds. */

/**
 * Wall clock of a zone → instant, disambiguation `compatible` (RFC 5545 §3.3.10): a time that the spring change skips
 * moves forward by the gap, one that happens twice in autumn is the first.
 */
export const toEpochMs = (date: string, time: string, timezone: string): number =>
  Temporal.PlainDateTime.from(`${date}T${time}`).toZonedDateTime(timezone, { disambiguation: "compatible" })
    .epochMilliseconds;

/** The local date at an instant. */
export const localDateAt = (epochMs: number, timezone: string): string =>
  Temporal.Instant.fromEpochMilliseconds(epochMs).toZonedDateTimeISO(timezone).toPlainDate().toString();

export const addDays = (date: string, days: number): string =>
  Temporal.PlainDate.from(date).add({ days }).toString();

export const addMonths = (date: string, months: number): string =>
  Temporal.PlainDate.from(date).add({ months }).toString();

/** Days from one date to another; negative when the other is earlier. */
export const daysBetween = (from: string, to: string): number =>
  Temporal.PlainDate.from(from).until(to, { largestUnit: "days" }).days;

/** 1 is Monday (ISO 8601). */
export const weekdayOf = (date: string): number => Temporal.PlainDate.from(date).dayOfWeek;

export const dayOf = (date: string): number => Number(date.slice(8));

/** The day of a month that is meant by `day`: a shorter month has its last one. */
export function dateInMonth(year: number, month: number, day: number): string {
  return Temporal.PlainDate.from({ year, month, day }, { overflow: "constrain" }).toString();
}

/**
 * The date `steps` intervals after an anchor, always counted from the anchor itself: adding month by month would lose
 * the 31st for good in the first shorter month. `day` is the day of the month that is meant.
 */
export function stepFrom(anchor: string, interval: Interval, steps: number, day: number): string {
  const count = interval.count * steps;
  if (interval.unit === "day") return addDays(anchor, count);
  if (interval.unit === "week") return addDays(anchor, count * 7);
  const months = interval.unit === "year" ? count * 12 : count;
  const month = Temporal.PlainDate.from(anchor).toPlainYearMonth().add({ months });
  return dateInMonth(month.year, month.month, day);
}

/** The last day of the month of a date that is no Saturday or Sunday. */
export function lastWorkingDay(date: string): string {
  const { year, month } = Temporal.PlainDate.from(date);
  const last = dateInMonth(year, month, 31);
  return addDays(last, -Math.max(0, weekdayOf(last) - 5));
}

/** True for an IANA zone name. Fixed offsets such as +01:00 are refused: they know no summer time. */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    return new Intl.DateTimeFormat("en-GB", { timeZone: name }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}
