import { z } from "zod";

import { Id, Instant, LocalDate, resourceFields } from "../../../core/schema.ts";
import { DELIVERY_LIMITS } from "./limits.ts";
import { SlotId } from "./slot.ts";
import { Channel } from "./zone.ts";

export const HoldState = z.enum(["held", "confirmed", "released", "expired"]);

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
  item_lead_minutes: z.int().min(0).optional().meta({
    description: "Longest lead time of the items that it is for; absent in holds made by earlier versions",
  }),
  reference: z.string().max(120).nullable(),
  state: HoldState,
  expires_at: Instant.meta({ description: "The hold expires exactly at this time" }),
  confirmed_at: Instant.nullable(),
  released_at: Instant.nullable(),
});
export type Hold = z.output<typeof Hold>;

/** The holds of an IP address with publishable keys. The id is derived from the hash of the address, which is another one tomorrow. */
export const VisitorHolds = z.strictObject({
  id: Id,
  hold_ids: z.array(Id).max(DELIVERY_LIMITS.visitorHolds),
  at: Instant.meta({ description: "When the last of them was created" }),
});
