import { z } from "zod";

import { Currency, Id, LocalDate } from "../../core/schema.ts";
import { DELIVERY_LIMITS } from "./schema/limits.ts";
import { Country } from "./schema/settings.ts";
import { Reason, Slot, SlotId } from "./schema/slot.ts";
import { Channel, Coordinates, Level, Region } from "./schema/zone.ts";

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
