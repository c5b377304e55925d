import { DAY_MS } from "../../../lib/instant.ts";
import { dateOfDay, dayNumber, weekdayOfDay } from "../../../lib/local-time.ts";
import type { TimeRange } from "../schema/schedule.ts";
import type { TreeSchedule } from "../schema/tree.ts";
import { dayOf, stretchesOf, timeMs } from "./wall-clock.ts";

/** A time interval, `[fromMs, untilMs)`, epoch milliseconds. */
export interface Interval {
  readonly fromMs: number;
  readonly untilMs: number;
}

/**
 * Open intervals of a schedule inside `[fromMs, untilMs)`, in order, adjacent ones merged. In local time of its zone:
 * when
 * daylight saving time ends, a repeated time is open twice; when it starts, a skipped time is never open.
 */
export function openIntervals(schedule: TreeSchedule, timeZone: string, span: Interval): Interval[] {
  const intervals = stretchesOf(timeZone, span.fromMs, span.untilMs).flatMap(
    ({ fromMs, untilMs, offsetMs }) => {
      const first = dayOf(fromMs + offsetMs) - 1;
      const last = dayOf(untilMs + offsetMs);
      const days = Array.from({ length: last - first + 1 }, (_, at) => first + at);
      return days
        .flatMap((day) => localRangesOf(schedule, day))
        .map((range) => ({
          fromMs: Math.max(range.fromMs - offsetMs, fromMs),
          untilMs: Math.min(range.untilMs - offsetMs, untilMs),
        }))
        .filter((range) => range.fromMs < range.untilMs);
    },
  );
  return unite(intervals);
}

/** The union of intervals, in order, adjacent and overlapping ones merged. */
export function unite(intervals: readonly Interval[]): Interval[] {
  const merged: Interval[] = [];
  for (const next of [...intervals].sort((a, b) => a.fromMs - b.fromMs)) {
    const last = merged.at(-1);
    if (last === undefined || last.untilMs < next.fromMs) merged.push(next);
    else merged[merged.length - 1] = { fromMs: last.fromMs, untilMs: Math.max(last.untilMs, next.untilMs) };
  }
  return merged;
}

/** The intersection of two lists of intervals; each list is in order and without overlaps. */
export function intersect(left: readonly Interval[], right: readonly Interval[]): Interval[] {
  const common: Interval[] = [];
  let other = 0;
  for (const { fromMs, untilMs } of left) {
    while (other < right.length && (right[other]?.untilMs ?? 0) <= fromMs) other += 1;
    for (let at = other; at < right.length; at += 1) {
      const range = right[at];
      if (range === undefined || range.fromMs >= untilMs) break;
      common.push({ fromMs: Math.max(fromMs, range.fromMs), untilMs: Math.min(untilMs, range.untilMs) });
    }
  }
  return common;
}

/** Ranges that start on a day, in milliseconds since 1970-01-01T00:00 local time. */
export function localRangesOf(schedule: TreeSchedule, day: number): Interval[] {
  return rangesOf(schedule, day).map(({ start, end }) => ({
    fromMs: day * DAY_MS + timeMs(start),
    untilMs: (end <= start ? day + 1 : day) * DAY_MS + timeMs(end),
  }));
}

function rangesOf(schedule: TreeSchedule, day: number): readonly TimeRange[] {
  const { valid_from: first, valid_until: last } = schedule;
  if ((first !== null && day < dayNumber(first)) || (last !== null && day > dayNumber(last))) return [];
  const own = dateOfDay(day);
  const exception = schedule.exceptions.find(({ date }) => date === own);
  if (exception !== undefined) return exception.closed ? [] : exception.ranges;
  const weekday = weekdayOfDay(day);
  return schedule.rules.filter(({ days }) => days.includes(weekday));
}
