import { Temporal } from "temporal-polyfill";

/** Local calendar arithmetic. Dates are `YYYY-MM-DD`, times `HH:MM`, instants epoch milliseconds. */

/**
 * Wall clock of a zone → instant, disambiguation `compatible` (RFC 5545 §3.3.10): a time that the spring change skips
 * moves forward by the gap, one that happens twice in autumn is the first. Food must arrive, so nothing is left out.
 */
export const toEpochMs = (date: string, time: string, timezone: string): number =>
  Temporal.PlainDateTime.from(`${date}T${time}`).toZonedDateTime(timezone, { disambiguation: "compatible" })
    .epochMilliseconds;

/** `YYYY-MM-DDTHH:MM` of the wall clock at an instant. */
export const localAt = (epochMs: number, timezone: string): string =>
  Temporal.Instant.fromEpochMilliseconds(epochMs)
    .toZonedDateTimeISO(timezone)
    .toPlainDateTime()
    .toString({ smallestUnit: "minute" });

/** The local date at an instant. */
export const localDateAt = (epochMs: number, timezone: string): string =>
  localAt(epochMs, timezone).slice(0, 10);

export const addDays = (date: string, days: number): string =>
  Temporal.PlainDate.from(date).add({ days }).toString();

/** Days from one date to another; negative when the other is earlier. */
export const daysBetween = (from: string, to: string): number =>
  Temporal.PlainDate.from(from).until(to, { largestUnit: "days" }).days;

/** 1 is Monday (ISO 8601). */
export const weekdayOf = (date: string): number => Temporal.PlainDate.from(date).dayOfWeek;

export const lastOfMonth = (date: string): string => {
  const day = Temporal.PlainDate.from(date);
  return day.with({ day: day.daysInMonth }).toString();
};

/** Monday to Friday without the store's holidays. */
export const isBusinessDay = (date: string, holidays: ReadonlySet<string>): boolean =>
  weekdayOf(date) <= 5 && !holidays.has(date);

/** More steps than any list of holidays can make necessary. */
const STEPS_MAX = 1_000;

/** The nearest business day before (-1) or after (1) a date, the date itself left out. */
export function nextBusinessDay(date: string, direction: 1 | -1, holidays: ReadonlySet<string>): string {
  let day = addDays(date, direction);
  for (let step = 0; step < STEPS_MAX && !isBusinessDay(day, holidays); step += 1)
    day = addDays(day, direction);
  return day;
}

/** So many business days before a date; 0 is the date itself. */
export function businessDaysBefore(date: string, count: number, holidays: ReadonlySet<string>): string {
  let day = date;
  for (let left = count; left > 0; left -= 1) day = nextBusinessDay(day, -1, holidays);
  return day;
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
