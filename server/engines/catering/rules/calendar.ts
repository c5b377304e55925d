import { dateOfDay, dayNumber, weekdayOfDay } from "../../../lib/local-time.ts";

/** Monday to Friday without the store's holidays. */
export const isBusinessDay = (date: string, holidays: ReadonlySet<string>): boolean =>
  isBusiness(dayNumber(date), holidays);

/** The same for days since 1970-01-01: a list of occurrences asks for tens of thousands. */
function isBusiness(day: number, holidays: ReadonlySet<string>): boolean {
  const weekday = weekdayOfDay(day);
  return weekday !== "sat" && weekday !== "sun" && !(holidays.size > 0 && holidays.has(dateOfDay(day)));
}

/** More steps than any list of holidays can make necessary. */
const STEPS_MAX = 1_000;

/** The nearest business day before (-1) or after (1) a date, the date itself left out. */
export const nextBusinessDay = (date: string, direction: 1 | -1, holidays: ReadonlySet<string>): string =>
  dateOfDay(nextBusiness(dayNumber(date), direction, holidays));

function nextBusiness(from: number, direction: 1 | -1, holidays: ReadonlySet<string>): number {
  let day = from + direction;
  for (let step = 0; step < STEPS_MAX && !isBusiness(day, holidays); step += 1) day += direction;
  return day;
}

/** So many business days before a date; 0 is the date itself. */
export function businessDaysBefore(date: string, count: number, holidays: ReadonlySet<string>): string {
  let day = dayNumber(date);
  for (let left = count; left > 0; left -= 1) day = nextBusiness(day, -1, holidays);
  return dateOfDay(day);
}
