import { invalid } from "./invalid.ts";
import type { Losses, Path } from "./losses.ts";
import { DAYS, endMinutes, minutesOf, toRules } from "./week.ts";
import type { Day, DaySpan, WeekRule } from "./week.ts";

export interface SpanText {
  readonly path: Path;
  readonly day: Day;
  /** Local time, as in 8:30, 08:30 or 08:30:00. */
  readonly start: string;
  readonly end: string;
}

/**
 * Daily periods of another system. An end of 23:59 is imported as midnight (none of them has
 * 24:00), and an end at or before the start is on the next day.
 */
export function readSpans(spans: readonly SpanText[], losses: Losses): WeekRule[] {
  return toRules(
    spans.flatMap(({ path, day, start, end }): DaySpan[] => {
      const [open, close] = readRange({ path, start, end }, losses);
      if (close > open) return [{ day, from: open, to: close }];
      const next = DAYS[(DAYS.indexOf(day) + 1) % DAYS.length] ?? day;
      return [
        { day, from: open, to: 1_440 },
        { day: next, from: 0, to: close },
      ];
    }),
  );
}

function readRange(
  { path, start, end }: { readonly path: Path; readonly start: string; readonly end: string },
  losses: Losses,
): [number, number] {
  const open = minutesOf(clockOf(start, path));
  const close = clockOf(end, path);
  if (close === "23:59") losses.add(path, "An end of 23:59 is imported as midnight.");
  return [open, endMinutes(close)];
}

function clockOf(time: string, path: Path): string {
  const [, hours = "", minutes = ""] = /^(\d{1,2}):(\d{2})/.exec(time) ?? [];
  const padded = `${hours.padStart(2, "0")}:${minutes}`;
  if (padded === "24:00") return "00:00";
  if (!/^([01]\d|2[0-3]):[0-5]\d$/.test(padded))
    throw invalid(path, "Expected a local time from 00:00 to 23:59.");
  return padded;
}
