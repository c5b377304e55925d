import { z } from "zod";

import type { Ctx } from "../../../core/route.ts";
import { Id, LocalDate } from "../../../core/schema.ts";
import { datesFrom } from "../../../lib/local-time.ts";
import { holds } from "../repository.ts";
import { findBlock } from "../rules/blocked-dates.ts";
import { expandBlocks } from "../rules/expand-blocks.ts";
import type { Plan } from "../rules/compile-plan.ts";
import { holdStateAt } from "../rules/hold-state.ts";
import type { BlockedDate } from "../schema/blocked-date.ts";
import { Hold } from "../schema/hold.ts";
import { SlotId } from "../schema/slot.ts";

/** A hold or booking as far as a person needs it to contact the customer. */
export const AffectedBooking = z.object({
  hold_id: Id,
  slot_id: SlotId,
  date: LocalDate,
  zone_id: Id.nullable(),
  location_id: Id.nullable(),
  quantity: z.int().min(1),
  reference: z.string().nullable(),
  state: Hold.shape.state,
});
type AffectedBooking = z.output<typeof AffectedBooking>;

const BOOKINGS_MAX = 500;

/** Bookings and active holds from today on in slots that an entry blocks, ordered by day. */
export async function bookingsOn(ctx: Ctx, plan: Plan, entry: BlockedDate): Promise<AffectedBooking[]> {
  if (entry.action === "open") return [];
  const { today, last } = plan.horizonAt(ctx.now);
  const source = { entries: [entry], calendars: plan.calendars, calendarIds: [] };
  const blocks = expandBlocks(source, today, last);
  const affected: AffectedBooking[] = [];
  for (const date of datesFrom(today, last)) {
    for (const hold of await holdsOn(ctx, date)) {
      const window = plan.windowsById.get(hold.slot_window_id);
      if (affected.length >= BOOKINGS_MAX) return affected;
      if (window === undefined) continue;
      const time = { start: window.start, end: window.end };
      const placeId = hold.zone_id ?? hold.location_id;
      if (findBlock(blocks, { placeId, windowId: window.id, time, date }) !== null) {
        affected.push(affectedOf(hold));
      }
    }
  }
  return affected;
}

async function holdsOn({ tx, now }: Ctx, date: string): Promise<Hold[]> {
  const booked = await tx.peekAll(holds, { index: "booked", value: date });
  const held = await tx.peekAll(holds, { index: "held", value: date });
  return [...booked, ...held]
    .map(({ value }) => value)
    .filter((hold) => ["held", "confirmed"].includes(holdStateAt(hold, now)));
}

const affectedOf = ({ id, slot_id, date, zone_id, location_id, quantity, reference, state }: Hold) => ({
  hold_id: id,
  slot_id,
  date,
  zone_id,
  location_id,
  quantity,
  reference,
  state,
});
