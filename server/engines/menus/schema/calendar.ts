import { z } from "zod";

import { LocalDate, resourceFields } from "../../../core/schema.ts";
import { MENU_LIMITS } from "./limits.ts";
import { Title } from "./parts.ts";

/** Days on which a store has other hours, shared by all schedules that refer to them. */
export const calendarFields = {
  title: Title,
  days: z
    .array(
      z.strictObject({
        date: LocalDate,
        title: z.string().trim().max(120).default("").meta({ description: "For example, Boxing Day" }),
      }),
    )
    .max(MENU_LIMITS.daysPerCalendar),
};
export const Calendar = z.object({ ...resourceFields, ...calendarFields });
export type Calendar = z.output<typeof Calendar>;
