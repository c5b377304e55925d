import { z } from "zod";

import { LocalTime, resourceFields } from "../../../core/schema.ts";
import { WEEKDAYS } from "../../../lib/local-time.ts";
import { Minutes } from "./settings.ts";

export const Weekday = z.enum(WEEKDAYS);

export const DayRange = z.strictObject({ start: LocalTime, end: LocalTime });

/** The writable fields of a pickup location. */
export const locationFields = {
  name: z.string().trim().min(1).max(120),
  address: z.string().trim().max(300),
  channels: z
    .array(z.enum(["pickup", "dine_in"]))
    .min(1)
    .max(2),
  hours: z
    .array(DayRange.extend({ days: z.array(Weekday).min(1).max(7) }))
    .max(28)
    .meta({ description: "Opening hours; a slot must be within them. Empty: no restriction" }),
  lead_minutes: Minutes.nullable(),
};

export const Location = z.object({ ...resourceFields, ...locationFields });
export type Location = z.output<typeof Location>;
