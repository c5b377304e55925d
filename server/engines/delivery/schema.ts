import { z } from "zod";

import { WEEKDAYS } from "../../lib/local-time.ts";
import {
  Currency,
  Id,
  Instant,
  LocalDate,
  LocalTime,
  Minor,
  resourceFields,
  TimeZone,
} from "../../core/schema.ts";

/** Limits of the engine: everything a customer can create has one. */
export const DELIVERY_LIMITS = {
  zones: 200,
  patternsPerZone: 4_000,
  patternsPerStore: 20_000,
  tiersPerZone: 50,
  windows: 200,
  zonesPerWindow: 50,
  locations: 100,
  /** Positions of a zone's area. */
  positionsPerArea: 1_000,
  itemsPerRequest: 100,
  capacity: 2_000,
  blockedDates: 1_000,
  /** Recurring blocked dates: each is expanded by its rule. */
  recurrences: 50,
  /** Blocked dates for parts of a day: each is compared with every slot. */
  partDays: 100,
  calendars: 20,
  /** Other documents that the deletion of one may change, in one commit. */
  linksPerRemoval: 90,
  eventsPerCalendar: 1_000,
  horizonDays: 60,
  holdSecondsMax: 7_200,
} as const;

const MINUTES_MAX = 43_200;
const Minutes = z
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

export const Level = z.enum([
  "polygon",
  "radius",
  "unit",
  "sector",
  "outcode",
  "district",
  "prefix",
  "range",
  "area",
  "all",
]);
export type Level = z.output<typeof Level>;

export const PatternText = z.string().min(1).max(32);

export const FeeTierRow = z.object({ id: Id, from: Minor, fee: Minor });
export type FeeTierRow = z.output<typeof FeeTierRow>;
export const FeeTier = FeeTierRow.extend({ zone_id: Id });
export type FeeTier = z.output<typeof FeeTier>;

/** How an order reaches the customer. Any other channel is a sales channel, such as `web`. */
export const METHODS = ["delivery", "pickup", "dine_in"] as const;
export const Channel = z.string().regex(/^[a-z0-9_-]{1,32}$/);

const Degrees = z.number().min(-180).max(180);
/** Longitude, latitude. A tuple of equal members is a list in the OpenAPI document, which every tool can draw. */
const Position = z.tuple([Degrees, Degrees]).refine(([, latitude]) => Math.abs(latitude) <= 90, {
  path: [1],
  message: "A latitude must be between -90 and 90. Positions are longitude, latitude.",
});
const Ring = z.array(Position).min(4);
const Rings = z.array(Ring).min(1);
/** GeoJSON (RFC 7946) geometries, and a circle, which GeoJSON does not have. Positions are longitude, latitude. */
export const Area = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("Circle"),
    coordinates: Position,
    radius_meters: z.number().min(1).max(500_000),
  }),
  z.strictObject({ type: z.literal("Polygon"), coordinates: Rings }),
  z.strictObject({ type: z.literal("MultiPolygon"), coordinates: z.array(Rings).min(1) }),
]);
export type Area = z.output<typeof Area>;

export const Coordinates = z.strictObject({
  latitude: z.number().min(-90).max(90),
  longitude: z.number().min(-180).max(180),
});
export type Coordinates = z.output<typeof Coordinates>;

/** The writable fields of a zone, without its tiers. */
export const zoneFields = {
  name: z.string().trim().min(1).max(120),
  country: Country,
  patterns: z
    .array(PatternText)
    .max(DELIVERY_LIMITS.patternsPerZone)
    .meta({ description: "SW1A 1AA, SW1A 1, SW1A, SW1, SW1-SW9, SW or *" }),
  excludes: z.array(PatternText).max(DELIVERY_LIMITS.patternsPerZone),
  area: Area.nullable().meta({
    description:
      "GeoJSON Polygon or MultiPolygon, or a Circle; matched with the coordinates of a request. Positions are longitude, latitude",
  }),
  priority: z
    .int()
    .min(-1000)
    .max(1000)
    .meta({ description: "Precedence between equally specific patterns" }),
  active: z.boolean(),
  minimum_order: Minor,
  free_from: Minor.nullable().meta({ description: "Shorthand for a last tier with fee 0" }),
  lead_minutes: Minutes.nullable(),
};
export const Zone = z.object({
  ...resourceFields,
  ...zoneFields,
  fee_tiers: z.array(FeeTierRow),
  slot_window_ids: z.array(Id).meta({ description: "Derived from zone_ids of the slot windows" }),
});
export type Zone = z.output<typeof Zone>;

export const Outcode = z.object({ pattern: PatternText, level: Level, zone_id: Id, exclude: z.boolean() });
export type Outcode = z.output<typeof Outcode>;

const Weekday = z.enum(WEEKDAYS);
const DayRange = z.strictObject({ start: LocalTime, end: LocalTime });

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
  /** Unconfirmed holds, including expired ones until the next write. */
  holds: z.array(
    z.object({ id: Id, zone_id: Id.nullable(), quantity: z.int().min(1), expires_at_ms: z.int() }),
  ),
  confirmed: z.array(z.object({ zone_id: Id.nullable(), quantity: z.int().min(1) })),
});
export type SlotUsage = z.output<typeof SlotUsage>;

const HoldState = z.enum(["held", "confirmed", "released", "expired"]);
export const Hold = z.object({
  ...resourceFields,
  slot_id: SlotId,
  slot_window_id: Id,
  zone_id: Id.nullable(),
  location_id: Id.nullable(),
  channel: Channel.nullable().meta({ description: "Null for holds made by earlier versions" }),
  date: LocalDate,
  starts_at: Instant,
  ends_at: Instant,
  quantity: z.int().min(1).max(DELIVERY_LIMITS.capacity),
  reference: z.string().max(120).nullable(),
  state: HoldState,
  expires_at: Instant.meta({ description: "The hold expires exactly at this time" }),
  confirmed_at: Instant.nullable(),
  released_at: Instant.nullable(),
});
export type Hold = z.output<typeof Hold>;

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

export const Region = z.enum(["geographic", "crown_dependency", "forces", "non_geographic", "special"]);
export type Region = z.output<typeof Region>;

/** Items of an order, whose lead times its slot must leave. */
export const OrderItems = z
  .array(z.object({ menu_item_id: Id }))
  .max(DELIVERY_LIMITS.itemsPerRequest)
  .meta({
    description: "Menu items of the order; slots that start before the longest lead time ends are closed",
  });

/** The specification's request with additional optional fields; unknown fields are dropped. */
export const ValidateRequest = z
  .object({
    postcode: z.string().max(64),
    basketTotal: z.int().min(0).meta({ description: "In minor units of the store's currency" }),
    slot_id: SlotId.optional(),
    date: LocalDate.optional(),
    country: Country.optional(),
    channel: Channel.optional().meta({ description: "Default: delivery, or pickup with location_id" }),
    location_id: Id.optional().meta({
      description: "Pickup location, instead of a delivery to the postcode",
    }),
    coordinates: Coordinates.optional().meta({
      description: "Coordinates of the postcode or address, for zones with an area",
    }),
    items: OrderItems.optional(),
  })
  .refine(({ slot_id, date }) => !slot_id || !date || slot_id.endsWith(`@${date}`), {
    path: ["date"],
    message: "The date differs from the one in slot_id.",
  });
export type ValidateRequest = z.output<typeof ValidateRequest>;

const ZoneRef = z.object({ id: Id, name: z.string() });
export const ValidateAnswer = z.object({
  deliverable: z.boolean().meta({ description: "True if reasons is empty" }),
  postcode: z.string().meta({ description: "The normalised form that was matched" }),
  country: Country,
  precision: z.enum(["unit", "outcode", "none"]),
  estimate: z.boolean().meta({ description: "Only an outcode is known and finer patterns exist inside it" }),
  outcode: z.string().nullable(),
  area: z.string().nullable(),
  region: Region.nullable(),
  zone: ZoneRef.nullable(),
  location: ZoneRef.nullable().meta({ description: "The pickup location with the id location_id" }),
  currency: Currency,
  basket_total: z.int(),
  fee: z.int().nonnegative().nullable(),
  minimum_order: z.int().nullable(),
  free_delivery_from: z.int().nullable(),
  amount_to_minimum: z.int().nonnegative().nullable(),
  amount_to_free_delivery: z.int().nonnegative().nullable(),
  slot: Slot.nullable().meta({ description: "The slot with the id slot_id" }),
  next_slots: z.array(Slot).max(3),
  suggestion: z.string().optional().meta({ description: "Suggested correction of the postcode" }),
  corrected_from: z
    .string()
    .optional()
    .meta({ description: "The postcode as sent, if the suggestion was used" }),
  reasons: z.array(Reason),
});
export type ValidateAnswer = z.output<typeof ValidateAnswer>;

export const MatchCandidate = z.object({
  zone_id: Id,
  name: z.string(),
  priority: z.int(),
  included_by: z.object({ pattern: z.string(), level: Level }).nullable(),
  excluded_by: z.object({ pattern: z.string(), level: Level }).nullable(),
  outcome: z.enum(["chosen", "outranked", "excluded", "inactive"]),
  detail: z.string(),
});
export type MatchCandidate = z.output<typeof MatchCandidate>;

export const MatchAnswer = z.object({
  postcode: z.string(),
  country: Country,
  precision: z.enum(["unit", "outcode", "none"]),
  estimate: z.boolean(),
  zone: ZoneRef.nullable(),
  suggestion: z.string().optional(),
  candidates: z.array(MatchCandidate),
  reasons: z.array(Reason),
});
