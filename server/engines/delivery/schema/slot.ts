import { z } from "zod";

import { Id, Instant, LocalDate, LocalTime, resourceFields } from "../../../core/schema.ts";
import { DELIVERY_LIMITS } from "./limits.ts";
import { Weekday } from "./location.ts";
import { Minutes } from "./settings.ts";
import { Channel } from "./zone.ts";

const CutOff = z.union([
  z.strictObject({ minutes_before: Minutes }),
  z.strictObject({
    days_before: z.int().min(0).max(30),
    time: LocalTime.meta({ description: "Local time of the store on that earlier day" }),
  }),
]);

type CutOff = z.output<typeof CutOff>;

export const slotWindowFields = {
  name: z.string().trim().max(120),
  zone_ids: z.array(Id).max(DELIVERY_LIMITS.zonesPerWindow),
  location_ids: z
    .array(Id)
    .max(DELIVERY_LIMITS.zonesPerWindow)
    .meta({ description: "Pickup locations that offer it" }),
  days: z.array(Weekday).min(1).max(7),
  start: LocalTime,
  end: LocalTime.meta({ description: "At or before start: on the next day" }),
  capacity: z.int().min(1).max(DELIVERY_LIMITS.capacity),
  fee_delta: z
    .int()
    .min(-1_000_000)
    .max(1_000_000)
    .meta({ description: "Added to the zone's fee, in minor units" }),
  cut_off: CutOff.nullable(),
  lead_minutes: Minutes.nullable(),
  valid_from: LocalDate.nullable().meta({ description: "First day" }),
  valid_until: LocalDate.nullable().meta({ description: "Last day" }),
  channels: z
    .array(Channel)
    .max(10)
    .meta({
      description:
        "Channels it is offered in: delivery, pickup, dine_in, or sales channels of your own such as web. Without " +
        "delivery, pickup and dine_in: all three. Empty: all",
    }),
};

export const SlotWindow = z.object({ ...resourceFields, ...slotWindowFields });
export type SlotWindow = z.output<typeof SlotWindow>;

export const ReasonCode = z.enum([
  "postcode_invalid",
  "postcode_not_deliverable",
  "out_of_zone",
  "zone_excluded",
  "below_minimum_order",
  "no_slots",
  "slot_full",
  "slot_closed",
  "date_blocked",
  "cutoff_passed",
  "coordinates_required",
  "slot_unknown",
  "outside_horizon",
  "lead_time_too_short",
  "channel_not_offered",
]);
export type ReasonCode = z.output<typeof ReasonCode>;

export const Reason = z.object({ code: ReasonCode, detail: z.string() });
export type Reason = z.output<typeof Reason>;

export const SlotStatus = z.enum(["open", "full", "closed", "blocked"]);

export const Slot = z.object({
  id: z.string().meta({ description: "<slot window id>@<date>" }),
  slot_window_id: Id,
  zone_id: Id.nullable().meta({ description: "Null for a slot of a pickup location" }),
  location_id: Id.nullable(),
  starts_at: Instant,
  ends_at: Instant,
  local: z.object({ date: LocalDate, start: LocalTime, end: LocalTime }),
  capacity: z.int(),
  booked: z.int().nonnegative().meta({ description: "Quantity of its bookings (confirmed holds)" }),
  held: z
    .int()
    .nonnegative()
    .meta({ description: "Quantity of its holds that are neither confirmed nor expired" }),
  remaining: z.int().nonnegative(),
  cut_off_at: Instant.nullable(),
  fee: z.int().nonnegative().nullable().meta({ description: "Null when no basket total was given" }),
  fee_delta: z.int(),
  channels: z.array(Channel).meta({ description: "Those of the slot window" }),
  status: SlotStatus,
  reason: Reason.nullable().meta({ description: "Why the slot is not open" }),
});
export type Slot = z.output<typeof Slot>;

export const SlotId = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,64}@\d{4}-\d{2}-\d{2}$/, {
    error: "Expected <slot window id>@<YYYY-MM-DD>.",
    abort: true,
  })
  .refine((id) => LocalDate.safeParse(id.slice(-10)).success, "The part after @ must be an existing date.");

/** The usage of one slot: a single document, read and written by every change, so that concurrent changes conflict. */
export const SlotUsage = z.object({
  id: z.string().meta({ description: "<date>@<slot window id>" }),
  date: LocalDate,
  /** Quantities of unconfirmed holds by zone and by when they expire, including expired ones until the next write. */
  held: z.array(
    z.object({
      zone_id: Id.nullable(),
      until: z
        .array(z.tuple([z.int(), z.int().min(1)]))
        .meta({ description: "Epoch milliseconds, quantity" }),
    }),
  ),
  confirmed: z.array(z.object({ zone_id: Id.nullable(), quantity: z.int().min(1) })),
});
export type SlotUsage = z.output<typeof SlotUsage>;
