import { isoWeekdayOf, localAt } from "../../../lib/local-time.ts";

/** Weekday (1 is Monday) and wall clock `HH:MM` of an instant in a zone. */
export function localTime(
  epochMs: number,
  timezone: string,
): { readonly weekday: number; readonly time: string } {
  const [date = "", time = ""] = localAt(epochMs, timezone).split("T");
  return { weekday: isoWeekdayOf(date), time };
}
