import { z } from "zod";

import { Id, LocalDate, LocalTime, resourceFields } from "../../../core/schema.ts";
import { MENU_LIMITS } from "./limits.ts";
import { Title, Weekday } from "./parts.ts";

const TimeRange = z.strictObject({
  start: LocalTime,
  end: LocalTime.meta({
    description: "At or before start: on the next day; 00:00 to 00:00 is the whole day",
  }),
});
export type TimeRange = z.output<typeof TimeRange>;

/** Hours of a day that replace the rules. */
const instead = {
  closed: z.boolean().default(false),
  ranges: z.array(TimeRange).max(10).default([]).meta({ description: "Replaces the rules; empty if closed" }),
};
export const ScheduleException = z.strictObject({ date: LocalDate, ...instead });

export const scheduleFields = {
  title: Title,
  rules: z
    .array(TimeRange.extend({ days: z.array(Weekday).min(1).max(7) }))
    .max(MENU_LIMITS.rulesPerSchedule),
  valid_from: LocalDate.nullable().meta({ description: "First day on which a range may start" }),
  valid_until: LocalDate.nullable().meta({ description: "Last day on which a range may start" }),
  exceptions: z.array(ScheduleException).max(MENU_LIMITS.exceptionsPerSchedule),
  holidays: z
    .strictObject({ calendar_id: Id, ...instead })
    .nullable()
    .meta({ description: "Applies on the calendar's days that have no exception" }),
};
export const Schedule = z.object({ ...resourceFields, ...scheduleFields });
export type Schedule = z.output<typeof Schedule>;
