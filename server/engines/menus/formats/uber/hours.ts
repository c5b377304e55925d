import type { DraftHours } from "../draft.ts";
import { invalid } from "../invalid.ts";
import type { Losses, Path } from "../losses.ts";
import { readSpans } from "../read-hours.ts";
import { DAYS, endInDay, timeOf } from "../week.ts";
import type { Day, DaySpan, WeekRule } from "../week.ts";
import type { UberDayHours, UberItem } from "./shape.ts";

const NAMES = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"] as const;
const DAY_OF: Readonly<Record<string, Day>> = Object.fromEntries(
  NAMES.map((name, at) => [name, DAYS[at] ?? "mon"]),
);

export const readUberHours = (hours: readonly UberDayHours[], path: Path, losses: Losses): WeekRule[] =>
  readSpans(
    hours.flatMap(({ day_of_week: day, time_periods: periods }, at) =>
      periods.map(({ start_time: start, end_time: end }, index) => ({
        path: [...path, at, "time_periods", index],
        day: DAY_OF[day] ?? "mon",
        start,
        end,
      })),
    ),
    losses,
  );

/** One entry per day; an end at midnight is written as 23:59, as in the published examples. */
export const writeUberHours = (week: readonly DaySpan[]): UberDayHours[] =>
  NAMES.flatMap((name, at) => {
    const spans = week.filter(({ day }) => day === DAYS[at]);
    if (spans.length === 0) return [];
    const periods = spans.map(({ from, to }) => ({ start_time: timeOf(from), end_time: endInDay(to) }));
    return [{ day_of_week: name, time_periods: periods }];
  });

/**
 * Hours in which an item is visible. The documentation puts the dates next to the hours and its examples around them,
 * so
 * both are accepted; with dates only, it is visible all day.
 */
export function readVisibility(item: UberItem, path: Path, losses: Losses): { hours?: DraftHours } {
  const info = item.visibility_info;
  const windows = info?.hours ?? [];
  const [first] = windows;
  if (info == null || first === undefined) return {};
  if (windows.length > 1)
    losses.add([...path, "visibility_info", "hours"], "Only the first of several periods is imported.");
  const from = dateOf(first.start_date ?? info.start_date, [...path, "visibility_info", "start_date"]);
  const until = dateOf(first.end_date ?? info.end_date, [...path, "visibility_info", "end_date"]);
  const week = first.hours_of_week ?? [];
  const here = [...path, "visibility_info", "hours", 0, "hours_of_week"];
  const allDay = [{ days: DAYS, start: "00:00", end: "00:00" }];
  return {
    hours: {
      rules: week.length === 0 ? allDay : readUberHours(week, here, losses),
      validFrom: from,
      validUntil: until,
    },
  };
}

function dateOf(date: string | null | undefined, path: Path): string | null {
  if (date == null || date === "") return null;
  const day = date.slice(0, 10);
  if (!/^\d{4}-\d{2}-\d{2}$/.test(day) || Number.isNaN(Date.parse(day)))
    throw invalid(path, "Expected a date.");
  return day;
}
