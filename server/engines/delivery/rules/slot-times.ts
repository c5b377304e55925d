import { dayNumber, minutesOf, minutesToEpochMs } from "../../../lib/local-time.ts";
import type { Weekday } from "../../../lib/local-time.ts";
import type { SlotWindow } from "../schema/slot.ts";

/** Times of one slot in epoch milliseconds. */
export interface SlotTimes {
  readonly startsAt: number;
  readonly endsAt: number;
  /** End of the ordering period, exclusive; null without a cut-off. */
  readonly cutOffAt: number | null;
}

/**
 * The slot of a window on a date, or null if it has no length: start and end are local times, and when daylight
 * saving time starts, nothing may be left between them. An end at or before the start is on the next day.
 *
 * `{days_before, time}` is local time of the store, `{minutes_before}` elapsed minutes.
 */
export function slotTimes(
  window: Pick<SlotWindow, "start" | "end" | "cut_off">,
  date: string,
  timeZone: string,
): SlotTimes | null {
  const day = dayNumber(date);
  const endDay = window.end <= window.start ? day + 1 : day;
  const startsAt = minutesToEpochMs(day, minutesOf(window.start), timeZone);
  const endsAt = minutesToEpochMs(endDay, minutesOf(window.end), timeZone);
  if (endsAt <= startsAt) return null;
  return { startsAt, endsAt, cutOffAt: cutOffOf(window.cut_off, day, startsAt, timeZone) };
}

function cutOffOf(
  cutOff: SlotWindow["cut_off"],
  day: number,
  startsAt: number,
  timeZone: string,
): number | null {
  if (cutOff === null) return null;
  if ("minutes_before" in cutOff) return startsAt - cutOff.minutes_before * 60_000;
  return minutesToEpochMs(day - cutOff.days_before, minutesOf(cutOff.time), timeZone);
}

/** True if a window has a slot on a date with this weekday: by weekday, and within its first and last day. */
export const runsOn = (
  window: Pick<SlotWindow, "days" | "valid_from" | "valid_until">,
  date: string,
  weekday: Weekday,
): boolean =>
  window.days.includes(weekday) &&
  (window.valid_from === null || window.valid_from <= date) &&
  (window.valid_until === null || date <= window.valid_until);
