import { Temporal } from "temporal-polyfill";

import { fail } from "./errors.ts";
import { DAY_MS, MINUTE_MS } from "./instant.ts";

/**
 * Local calendar arithmetic, the same for all engines. Dates are `YYYY-MM-DD`, times `HH:MM`, instants epoch
 * milliseconds, zones IANA names. What is asked must be real: schemas check it, nothing here does.
 */

/** Days of the week as on the wire, Monday first (ISO 8601). */
export const WEEKDAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const;
export type Weekday = (typeof WEEKDAYS)[number];

/**
 * Wall clock of a zone → instant, disambiguation `compatible` (RFC 5545 §3.3.10): a time that the spring change
 * skips moves forward by the gap, a time that happens twice in autumn is the first one.
 */
export const toEpochMs = (date: string, time: string, timezone: string): number =>
  minutesToEpochMs(dayNumber(date), minutesOf(time), timezone);

/** The same for minutes from midnight of a day that is given in days since 1970-01-01. */
export function minutesToEpochMs(day: number, minutes: number, timezone: string): number {
  const local = day * DAY_MS + minutes * MINUTE_MS;
  // No zone is a day or more from UTC, so these are the offsets before and after a change that concerns this day.
  const before = offsetAt(local - DAY_MS, timezone);
  const after = offsetAt(local + DAY_MS, timezone);
  const first = local - before;
  if (before === after || offsetAt(first, timezone) === before) return first;
  const second = local - after;
  return offsetAt(second, timezone) === after ? second : first;
}

/** The first instant of a local date: midnight, or what comes after it where a change of the clocks skips midnight. */
export const startOfDay = (date: string, timezone: string): number =>
  Temporal.PlainDate.from(date).toZonedDateTime(timezone).epochMilliseconds;

/** `YYYY-MM-DDTHH:MM` of the wall clock at an instant; what is over a whole minute is cut. */
export const localAt = (epochMs: number, timezone: string): string =>
  new Date(epochMs + offsetAt(epochMs, timezone)).toISOString().slice(0, -":00.000Z".length);

/** The local date at an instant. */
export const localDateAt = (epochMs: number, timezone: string): string =>
  dateOfDay(Math.floor((epochMs + offsetAt(epochMs, timezone)) / DAY_MS));

/** Offsets of a UTC day: before and from an instant on; both are the same on a day without a change. */
interface DayOffsets {
  readonly before: number;
  readonly after: number;
  readonly changesAtMs: number;
}

/** Days of all zones whose offsets are cached. */
const DAYS_MAX = 20_000;
let daysCached = 0;
const offsets = new Map<string, Map<number, DayOffsets>>();

/**
 * Offset of a zone at an instant, in milliseconds east of UTC. The offsets of a whole UTC day are computed once: a list may
 * need millions of dates, and asking the calendar for each would take longer than all the rest.
 */
export function offsetAt(epochMs: number, timezone: string): number {
  const day = Math.floor(epochMs / DAY_MS);
  const { before, after, changesAtMs } =
    offsets.get(timezone)?.get(day) ?? cacheOffsets(timezone, day, offsetsOfDay(day, timezone));
  return epochMs < changesAtMs ? before : after;
}

function offsetsOfDay(day: number, timezone: string): DayOffsets {
  let from = day * DAY_MS;
  let changesAtMs = from + DAY_MS;
  // A day ends with the offset with which the next one begins.
  const known = offsets.get(timezone);
  const before = known?.get(day - 1)?.after ?? readOffset(from, timezone);
  const after = known?.get(day + 1)?.before ?? readOffset(changesAtMs, timezone);
  if (before === after) return { before, after, changesAtMs };
  while (changesAtMs - from > 1) {
    const middle = Math.floor((from + changesAtMs) / 2);
    if (readOffset(middle, timezone) === before) from = middle;
    else changesAtMs = middle;
  }
  return { before, after, changesAtMs };
}

function cacheOffsets(timezone: string, day: number, found: DayOffsets): DayOffsets {
  if (daysCached >= DAYS_MAX) {
    offsets.clear();
    daysCached = 0;
  }
  const days = offsets.get(timezone) ?? new Map<number, DayOffsets>();
  offsets.set(timezone, days.set(day, found));
  daysCached += 1;
  return found;
}

const readOffset = (epochMs: number, timezone: string): number =>
  Temporal.Instant.fromEpochMilliseconds(epochMs).toZonedDateTimeISO(timezone).offsetNanoseconds / 1e6;

// A date alone has no zone: as midnight UTC it is plain arithmetic, and asked for thousands of times in one answer.
/** Days since 1970-01-01 of a date. */
export const dayNumber = (date: string): number => Date.parse(date) / DAY_MS;

/** Two hundred years around those of four digits, as days. Others are written with a sign, so that texts compare no longer as dates do. */
const COMPUTED = { first: dayNumber("-000200-01-01"), last: dayNumber("+010200-01-01") };

/**
 * The date of a day that is given in days since 1970-01-01. Throws 422 far beyond the years of four digits: who goes on from day to day until
 * 9999-12-31 has passed would never end.
 */
export function dateOfDay(day: number): string {
  const known = dates.get(day);
  if (known !== undefined) return known;
  if (day < COMPUTED.first || day > COMPUTED.last)
    throw fail("unprocessable_content", "A date would be outside the years 0000 to 9999.");
  const date = new Date(day * DAY_MS).toISOString().slice(0, -"T00:00:00.000Z".length);
  if (dates.size >= DAYS_MAX) dates.clear();
  dates.set(day, date);
  return date;
}

/** Dates by their days since 1970-01-01: a recalculation asks for millions, most of them the same few hundred. */
const dates = new Map<number, string>();

export const addDays = (date: string, days: number): string => dateOfDay(dayNumber(date) + days);

/** Months later or earlier; a day that the month lacks is its last. Plain arithmetic too, for the same reason. */
export function addMonths(date: string, months: number): string {
  const at = new Date(dayNumber(date) * DAY_MS);
  const day = at.getUTCDate();
  const last = new Date(at);
  // Day 0 of a month is the last of the month before.
  last.setUTCMonth(at.getUTCMonth() + months + 1, 0);
  last.setUTCDate(Math.min(day, last.getUTCDate()));
  return dateOfDay(last.getTime() / DAY_MS);
}

/** The last day of the month of a date. */
export function lastOfMonth(date: string): string {
  const day = Temporal.PlainDate.from(date);
  return day.with({ day: day.daysInMonth }).toString();
}

/** Days from one date to another; negative when the other is earlier. */
export const daysBetween = (from: string, to: string): number => dayNumber(to) - dayNumber(from);

/** Every date from the first to the last, both included. */
export function datesFrom(first: string, last: string): string[] {
  const start = dayNumber(first);
  return Array.from({ length: Math.max(0, daysBetween(first, last) + 1) }, (_, days) =>
    dateOfDay(start + days),
  );
}

/** The weekday of a day that is given in days since 1970-01-01, which was a Thursday. */
export const weekdayOfDay = (day: number): Weekday => WEEKDAYS[(((day + 3) % 7) + 7) % 7] ?? "mon";

export const weekdayOf = (date: string): Weekday => weekdayOfDay(dayNumber(date));

/** 1 is Monday, 7 is Sunday (ISO 8601). */
export const isoWeekdayOf = (date: string): number => WEEKDAYS.indexOf(weekdayOf(date)) + 1;

/** Minutes from midnight of `HH:MM`. */
export const minutesOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3));

/**
 * True for an IANA zone name. Fixed offsets such as +01:00 are refused: they know no summer time. So are the abbreviations that
 * `Intl` takes and calendar arithmetic does not, such as BST, which means Bangladesh there.
 */
export function isTimeZone(name: string): boolean {
  if (knownZones.has(name)) return true;
  if (name.length > ZONE_CHARS || !/^[A-Za-z]/.test(name)) return false;
  try {
    readOffset(0, name);
    if (new Intl.DateTimeFormat("en-GB", { timeZone: name }).resolvedOptions().timeZone === "") return false;
  } catch {
    return false;
  }
  // Asking `Intl` takes longer than all other checks of a document. There are some 600 names, and as many in other cases.
  if (knownZones.size < ZONES_KEPT) knownZones.add(name);
  return true;
}
const knownZones = new Set<string>();
const ZONES_KEPT = 1_000;
/** What is longer is no name: `Intl` would read all of it, 100 ms for a megabyte. */
const ZONE_CHARS = 64;
