import { addDays, isoWeekdayOf } from "../../../lib/local-time.ts";

interface Days {
  readonly from: string;
  readonly to: string;
}

/** The days in whole days, ISO weeks (ISO 8601, from Monday) or months; the first and the last piece end where the days do. */
export function splitDays({ from, to }: Days, interval: "day" | "week" | "month"): Days[] {
  const pieces: Days[] = [];
  for (let start = from; start <= to;) {
    const last = lastDay(start, interval);
    const end = last < to ? last : to;
    pieces.push({ from: start, to: end });
    start = addDays(end, 1);
  }
  return pieces;
}

function lastDay(day: string, interval: "day" | "week" | "month"): string {
  if (interval === "day") return day;
  if (interval === "week") return addDays(day, 7 - isoWeekdayOf(day));
  const nextMonth = addDays(`${day.slice(0, 7)}-28`, 4);
  return addDays(`${nextMonth.slice(0, 7)}-01`, -1);
}
