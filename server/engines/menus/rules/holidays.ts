import type { Calendar } from "../schema/calendar.ts";
import type { Schedule } from "../schema/schedule.ts";
import type { TreeSchedule } from "../schema/tree.ts";

/**
 * A schedule with the days of its calendar as exceptions: its own exceptions take precedence. So a published version
 * keeps the days that it was published with, like everything else. A missing calendar has no days.
 */
export function withHolidays<T extends Pick<Schedule, "exceptions" | "holidays">>(
  schedule: T,
  calendars: readonly Pick<Calendar, "id" | "days">[],
): Omit<T, "exceptions" | "holidays"> & Pick<TreeSchedule, "exceptions"> {
  const { exceptions, holidays, ...rest } = schedule;
  if (holidays === null) return { ...rest, exceptions };
  const { calendar_id: id, closed, ranges } = holidays;
  const ownDates = new Set(exceptions.map(({ date }) => date));
  const days = calendars.find((calendar) => calendar.id === id)?.days ?? [];
  const dates = days.map(({ date }) => date).filter((date) => !ownDates.has(date));
  return { ...rest, exceptions: [...exceptions, ...dates.map((date) => ({ date, closed, ranges }))] };
}
