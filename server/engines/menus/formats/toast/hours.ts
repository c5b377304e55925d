import type { Losses, Path } from "../losses.ts";
import { readSpans } from "../read-hours.ts";
import type { WeekRule } from "../week.ts";
import type { ToastSchedule } from "./shape.ts";
import { dayNamed } from "../week.ts";

export const rulesOf = (schedules: readonly ToastSchedule[], path: Path, losses: Losses): WeekRule[] =>
  readSpans(
    schedules.flatMap(({ days, timeRanges }, at) =>
      days.flatMap((day) =>
        timeRanges.map(({ start, end }, index) => ({
          path: [...path, at, "timeRanges", index],
          day: dayNamed(day),
          start,
          end,
        })),
      ),
    ),
    losses,
  );
