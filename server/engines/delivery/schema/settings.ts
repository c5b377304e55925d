import { z } from "zod";

import { Currency, Id, Instant, TimeZone } from "../../../core/schema.ts";
import { DELIVERY_LIMITS } from "./limits.ts";

const MINUTES_MAX = 43_200;

export const Minutes = z
  .int()
  .min(0)
  .max(MINUTES_MAX)
  .meta({ description: "Elapsed minutes, independent of daylight saving time" });

export const Country = z
  .string()
  .regex(/^[A-Z]{2}$/, "Expected an ISO 3166-1 code such as GB.")
  .refine((code) => code !== "UK", "Expected GB: UK is not an ISO 3166-1 code.")
  .meta({ description: "ISO 3166-1 alpha-2 code" });

/** Default settings of a store. */
export const settingsFields = {
  country: Country.meta({ description: "Default country of a postcode" }),
  time_zone: TimeZone,
  currency: Currency,
  horizon_days: z
    .int()
    .min(1)
    .max(DELIVERY_LIMITS.horizonDays)
    .meta({ description: "Number of days that can be booked, including today" }),
  hold_ttl_seconds: z
    .int()
    .min(60)
    .max(DELIVERY_LIMITS.holdSecondsMax)
    .meta({ description: "Default lifetime of a hold" }),
  calendar_ids: z
    .array(Id)
    .max(DELIVERY_LIMITS.calendars)
    .meta({ description: "Calendars whose days are blocked for the whole store" }),
  default_lead_minutes: Minutes,
  autocorrect_postcodes: z.boolean().meta({
    description: "Match a mistyped postcode by its suggestion (O/0, I/1); the response includes both",
  }),
};

export const Settings = z.object({
  id: z.literal("settings"),
  ...settingsFields,
  updated_at: Instant.nullable().meta({ description: "Null while the defaults apply" }),
});
export type Settings = z.output<typeof Settings>;
