import { addDays, localAt, toEpochMs } from "./local-time.ts";

/**
 * The instant itself, or the end of the quiet hours that it falls into, by the wall clock of the zone. Quiet hours go over
 * midnight when they end before they begin; equal times mean none. A wall-clock time that the spring change skips is the
 * one after the gap.
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
