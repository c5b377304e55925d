import { z } from "zod";

import {
  Id,
  Instant,
  LocalDate,
  LocalTime,
  Metadata,
  resourceFields,
  TimeZone,
} from "../../../core/schema.ts";
import { CATERING_LIMITS, Dietary, Heads, Line, OrderDietary, Service, ShortNote, Text } from "./parts.ts";

const limits = CATERING_LIMITS;

const LocalDateTime = z
  .string()
  .regex(
    /^\d{4}-\d{2}-\d{2}T([01]\d|2[0-3]):[0-5]\d$/,
    "Expected a local date and time such as 2026-06-09T12:30.",
  )
  .refine((text) => z.iso.date().safeParse(text.slice(0, 10)).success, "There is no such day.")
  .meta({ description: "Wall clock in the order's zone" });

export const HolidayPolicy = z.enum(["skip", "previous", "next", "keep"]).meta({
  description: "On a holiday: leave out, move to the business day before or after, or deliver all the same",
});

const RRule = z.string().trim().min(1).max(300).meta({ description: "RFC 5545, of whole days" });

/** What the days of a recurring order follow from. */
export const scheduleFields = {
  dtstart: LocalDateTime,
  rrule: RRule,
  timezone: TimeZone,
  exdates: z.array(LocalDateTime).max(limits.edits),
  rdates: z.array(LocalDateTime).max(limits.edits),
  until: LocalDate.nullable(),
  month_end: z
    .boolean()
    .meta({ description: "A day that a month has not is its last day; else it is left out" }),
  holiday_policy: HolidayPolicy,
};

export const Edit = z.strictObject({
  original_start: LocalDateTime,
  skip: z.boolean(),
  date: LocalDate.nullable(),
  start: LocalTime.nullable(),
  headcount: Heads.nullable(),
  note: ShortNote,
  confirmed: z.boolean(),
});
export type Edit = z.output<typeof Edit>;

const CountOrigin = z.enum([
  "manual",
  "rsvp",
  "calendar_upload",
  "calendar_feed",
  "api",
  "previous",
  "default",
]);

export const Resolved = z.strictObject({
  count: Heads.meta({ description: "Heads as counted" }),
  size: Heads.meta({ description: "Heads to order for, after buffer, bounds and pack size" }),
  origin: CountOrigin,
  source_id: Id.nullable(),
  source_ids: z.array(Id).max(limits.sources).optional().meta({
    description:
      "All sources of the recurring order at that time: late answers of their guests reach the order",
  }),
  confidence: z.enum(["high", "medium", "low"]),
  evidence: z.array(z.string().max(200)).max(12),
  dietary: OrderDietary,
});
export type Resolved = z.output<typeof Resolved>;

export const Progress = z.strictObject({
  original_start: LocalDateTime,
  state: z.enum(["counted", "ordered", "cancelled"]),
  order_id: Id.nullable(),
  headcount: Resolved.nullable(),
  blocked: z.string().max(60).nullable().meta({ description: "Why no order could be created" }),
});
export type Progress = z.output<typeof Progress>;

const Menu = z.strictObject({ title: Text, lines: z.array(Line).min(1).max(limits.lines) });

export const RecurringStatus = z.enum(["active", "paused", "ended"]);

export const RecurringOrder = z.strictObject({
  ...resourceFields,
  account_id: Id,
  status: RecurringStatus,
  title: Text,
  ...scheduleFields,
  duration_minutes: z.int().min(15).max(1440),
  service: Service,
  site: ShortNote,
  lines: z.array(Line).max(limits.lines),
  menu_rotation: z
    .array(Menu)
    .max(limits.rotation)
    .meta({ description: "Menus that take turns in place of lines" }),
  dietary: Dietary,
  lead_days: z
    .int()
    .min(0)
    .max(60)
    .meta({ description: "Business days before the event at which heads are counted" }),
  count_at: LocalTime,
  default_heads: Heads,
  headcount_source_ids: z.array(Id).max(limits.sources),
  approval_mode: z.enum(["auto", "confirm_each"]),
  policy_id: Id.nullable(),
  po_number: z.string().max(60).nullable(),
  cost_centre: z.string().max(40).nullable(),
  edits: z.array(Edit).max(limits.edits),
  progress: z.array(Progress).max(limits.edits),
  weekday_counts: z
    .record(z.string().regex(/^[1-7]$/), Heads)
    .meta({ description: "The last count of each weekday by which was ordered, 1 is Monday" }),
  next_action_at: Instant.nullable(),
  metadata: Metadata,
});
export type RecurringOrder = z.output<typeof RecurringOrder>;

export const Occurrence = z.strictObject({
  id: Id,
  original_start: LocalDateTime,
  date: LocalDate,
  start: LocalTime,
  starts_at: Instant,
  count_at: Instant.meta({ description: "Deadline of the headcount" }),
  state: z.enum(["planned", "scheduled", "counted", "ordered", "skipped", "moved", "cancelled"]),
  reason: z.string().nullable().meta({ description: "Why it is skipped or moved" }),
  warnings: z.array(z.string()),
  note: z.string(),
  order_id: Id.nullable(),
  headcount: Resolved.nullable(),
  blocked: z.string().nullable(),
});
export type Occurrence = z.output<typeof Occurrence>;
