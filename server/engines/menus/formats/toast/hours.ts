import type { Losses, Path } from "../losses.ts";
import { readSpans } from "../read-hours.ts";
import { DAYS } from "../week.ts";
import type { Day, WeekRule } from "../week.ts";
import type { ToastSchedule } from "./shape.ts";

const DAY_OF: Readonly<Record<string, Day>> = Object.fromEntries(
  ["MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY", "SUNDAY"].map((name, at) => [
    name,
    DAYS[at] ?? "mon",
  ]),
);

export const rulesOf = (schedules: readonly ToastSchedule[], path: Path, losses: Losses): WeekRule[] =>
  readSpans(
    schedules.flatMap(({ days, timeRanges }, at) =>
      days.flatMap((day) =>
        timeRanges.map(({ start, end }, index) => ({
          path: [...path, at, "timeRanges", index],
          day: DAY_OF[day] ?? "mon",
          start,
          end,
        })),
      ),
    ),
    losses,
  );
