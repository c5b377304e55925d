import { Temporal } from "temporal-polyfill";

/** Local calendar arithmetic. Dates are `YYYY-MM-DD`, instants epoch milliseconds. */

const DAY_MS = 86_400_000;

/**
 * The local date at an instant. A zone's offset at both ends of a UTC day is worked out once: a recalculation asks for
 * millions of dates, and asking the calendar for each would take longer than all the rest.
 */
export function localDateAt(epochMs: number, timezone: string): string {
  const day = Math.floor(epochMs / DAY_MS);
  const offset = offsetOfDay(timezone, day) ?? offsetAt(timezone, epochMs);
  return new Date(epochMs + offset).toISOString().slice(0, 10);
}

const DAYS_KEPT = 20_000;
const offsets = new Map<string, Map<number, number | null>>();

/** Offset of a zone through a UTC day; null on a day on which it changes. */
function offsetOfDay(timezone: string, day: number): number | null {
  let known = offsets.get(timezone);
  if (known === undefined || known.size > DAYS_KEPT) offsets.set(timezone, (known = new Map()));
  let offset = known.get(day);
  if (offset === undefined) {
    const start = offsetAt(timezone, day * DAY_MS);
    offset = start === offsetAt(timezone, (day + 1) * DAY_MS) ? start : null;
    known.set(day, offset);
  }
  return offset;
}

const offsetAt = (timezone: string, epochMs: number): number =>
  Temporal.Instant.fromEpochMilliseconds(epochMs).toZonedDateTimeISO(timezone).offsetNanoseconds / 1e6;

const toDay = (date: string): number => Math.round(Date.parse(`${date}T00:00:00Z`) / DAY_MS);
const fromDay = (day: number): string => new Date(day * DAY_MS).toISOString().slice(0, 10);

export const addDays = (date: string, days: number): string => fromDay(toDay(date) + days);

/** Months later or earlier; a day that the month lacks is its last. Plain arithmetic: evaluations do little else. */
export function addMonths(date: string, months: number): string {
  const total = Number(date.slice(0, 4)) * 12 + Number(date.slice(5, 7)) - 1 + months;
  const [year, month] = [Math.floor(total / 12), total % 12];
  const last = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  const day = Math.min(Number(date.slice(8)), last);
  return `${String(year).padStart(4, "0")}-${String(month + 1).padStart(2, "0")}-${String(day).padStart(2, "0")}`;
}

/** Days from one date to another; negative when the other is earlier. */
export const daysBetween = (from: string, to: string): number => toDay(to) - toDay(from);

/** The first instant of a local date, epoch milliseconds. */
export const startOfDay = (date: string, timezone: string): number =>
  Temporal.PlainDate.from(date).toZonedDateTime(timezone).epochMilliseconds;

/** True for an IANA zone name. Fixed offsets such as +01:00 are refused: they know no summer time. */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    return new Intl.DateTimeFormat("en-GB", { timeZone: name }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}
