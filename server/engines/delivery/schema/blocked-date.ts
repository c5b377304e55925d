import { z } from "zod";

import { Id, LocalDate, resourceFields } from "../../../core/schema.ts";
import { DELIVERY_LIMITS } from "./limits.ts";
import { DayRange } from "./location.ts";

const BlockScope = z.enum(["all", "zones", "locations", "slot_windows"]);

export const blockedDateFields = {
  scope: BlockScope,
  zone_ids: z.array(Id).max(DELIVERY_LIMITS.zones),
  location_ids: z.array(Id).max(DELIVERY_LIMITS.locations),
  slot_window_ids: z.array(Id).max(DELIVERY_LIMITS.windows),
  date: LocalDate.nullable(),
  from: LocalDate.nullable().meta({ description: "First day; with rrule, the day the recurrence starts" }),
  to: LocalDate.nullable().meta({ description: "Last day" }),
  rrule: z
    .string()
    .max(300)
    .nullable()
    .meta({ description: "RFC 5545 recurrence of days, such as FREQ=WEEKLY;BYDAY=MO" }),
  calendar_id: Id.nullable(),
  ranges: z.array(DayRange).max(10).meta({ description: "Parts of the day. Empty: the whole day" }),
  reason: z.string().trim().max(200),
  action: z.enum(["block", "open"]).meta({
    description: "open overrides blocks that come from a calendar or a recurrence, never a date set by hand",
  }),
};

export const BlockedDate = z.object({ ...resourceFields, ...blockedDateFields });
export type BlockedDate = z.output<typeof BlockedDate>;

export const CalendarEvent = z.strictObject({
  date: LocalDate,
  title: z.string().trim().min(1).max(120),
  substitute: z.boolean(),
});
export type CalendarEvent = z.output<typeof CalendarEvent>;

export const Calendar = z.object({
  ...resourceFields,
  name: z.string().trim().min(1).max(120),
  source: z.string().trim().max(200),
  events: z.array(CalendarEvent).max(DELIVERY_LIMITS.eventsPerCalendar),
});
export type Calendar = z.output<typeof Calendar>;
