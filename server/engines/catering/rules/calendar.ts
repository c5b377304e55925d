import { addDays, isoWeekdayOf } from "../../../lib/local-time.ts";

/** Monday to Friday without the store's holidays. */
export const isBusinessDay = (date: string, holidays: ReadonlySet<string>): boolean =>
  isoWeekdayOf(date) <= 5 && !holidays.has(date);

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
