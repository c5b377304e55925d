import { addDays, isoWeekdayOf, localAt, toEpochMs } from "../../../kernel/local-time.ts";

/** Weekday (1 is Monday) and wall clock `HH:MM` of an instant in a zone. */
export function localTime(
  epochMs: number,
  timezone: string,
): { readonly weekday: number; readonly time: string } {
  const [date = "", time = ""] = localAt(epochMs, timezone).split("T");
  return { weekday: isoWeekdayOf(date), time };
}

/**
 * The instant itself, or the end of the quiet hours that it falls into. Quiet hours go over midnight when they end before
 * they begin; equal times mean none. A wall-clock time that the spring change skips is the one after the gap.
 */
export function afterQuietHours(
  epochMs: number,
  { from, to }: { readonly from: string; readonly to: string },
  timezone: string,
): number {
  const [date = "", time = ""] = localAt(epochMs, timezone).split("T");
  const overNight = to < from;
  const isQuiet = overNight ? time >= from || time < to : time >= from && time < to;
  if (!isQuiet) return epochMs;
  return toEpochMs(overNight && time >= from ? addDays(date, 1) : date, to, timezone);
}
