import { z } from "zod";

import { DEMO_IDS } from "../demo.ts";
import { conflictWhen, invalidField } from "../../../lib/errors.ts";
import { created, empty, item, withMembers } from "../../../core/reply.ts";
import { withVersion, Id, LocalDate } from "../../../core/schema.ts";
import { resource } from "../../../core/resource.ts";
import { blockedDates, loadPlan, markChanged, holds } from "../repository.ts";
import { cacheDates } from "../services/plan-at.ts";
import { checkEntry } from "../services/recurrence-tasks.ts";
import type { Plan } from "../rules/compile-plan.ts";
import { BlockedDate, blockedDateFields } from "../schema/blocked-date.ts";
import { DELIVERY_LIMITS } from "../schema/limits.ts";
import { refuseWhenFull } from "./check-zone.ts";
import { mergePatch } from "../../../lib/merge-patch.ts";
import { newResource } from "../../../lib/new-resource.ts";
import type { Ctx } from "../../../core/route.ts";
import { fromInstant } from "../../../lib/instant.ts";
import { addDays, datesFrom, localAt } from "../../../lib/local-time.ts";
import { readEach } from "../../../core/read-page.ts";
import { findBlock, mayBlock } from "../rules/blocked-dates.ts";
import { expandBlocks } from "../rules/expand-blocks.ts";
import { holdStateAt } from "../rules/hold-state.ts";
import { Hold } from "../schema/hold.ts";
import { SlotId } from "../schema/slot.ts";

const BlockedDateView = withVersion(BlockedDate);
const fields = blockedDateFields;
const Create = z.strictObject({
  scope: fields.scope.default("all"),
  zone_ids: fields.zone_ids.default([]),
  location_ids: fields.location_ids.default([]),
  slot_window_ids: fields.slot_window_ids.default([]),
  date: fields.date.default(null),
  from: fields.from.default(null),
  to: fields.to.default(null),
  rrule: fields.rrule.default(null),
  calendar_id: fields.calendar_id.default(null),
  ranges: fields.ranges.default([]),
  reason: fields.reason.default(""),
  action: fields.action.default("block"),
});
const Patch = z.strictObject(fields).partial();
/** A hold or booking as far as a person needs it to contact the customer. */
const AffectedBooking = z.object({
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

const SavedView = BlockedDateView.extend({
  bookings: z
    .array(AffectedBooking)
    .meta({ description: "Holds and bookings in slots that the entry blocks, at most 500" }),
});

const blockedDateResource = resource({
  id: "delivery.blocked-dates",
  collection: blockedDates,
  view: BlockedDateView,
  example: DEMO_IDS.summer,
});

const listBlockedDates = blockedDateResource.list({ summary: "List blocked dates" });

const createBlockedDate = blockedDateResource.custom.create({
  summary: "Block days, or open days that a calendar blocks",
  description:
    "Specify the days with exactly one of date, from and to, rrule with from, or calendar_id. ranges restricts the " +
    "entry to parts of the day. An entry with action open overrides blocks that come from a calendar or a " +
    "recurrence, but not a date or range that was blocked by hand. Existing bookings stay valid; the response lists " +
    "those in slots that are blocked now.",
  body: Create,
  data: SavedView,
  errors: [conflictWhen("limit_reached", "The store has reached its limit of blocked dates")],
  example: {
    body: { from: "2026-12-24", to: "2026-12-26", reason: "Christmas" },
  },
  handle: async ({ body }, ctx) => {
    const plan = await loadPlan(ctx.tx);
    refuseWhenFull(plan.blockedDates.length, DELIVERY_LIMITS.blockedDates, "blocked dates");
    const entry = { ...newResource(ctx.newId("blk"), ctx.nowAt), ...body };
    await refuseFaults(ctx, entry, plan);
    await markChanged(ctx.tx, ctx.newId);
    const affected = await bookingsOn(ctx, plan, entry);
    return created(
      withMembers(ctx.tx.create(blockedDates, entry), { bookings: affected }),
      `/blocked-dates/${entry.id}`,
    );
  },
});

const getBlockedDate = blockedDateResource.get({ summary: "Show a blocked date" });

const updateBlockedDate = blockedDateResource.custom.update({
  summary: "Change a blocked date",
  body: Patch,
  data: SavedView,
  example: { body: { reason: "Summer holiday" } },
  handle: async ({ params, body }, ctx) => {
    const before = await ctx.current(blockedDates, params.id);
    const plan = await loadPlan(ctx.tx);
    const next = { ...mergePatch(before.value, body), updated_at: ctx.nowAt };
    await refuseFaults(ctx, next, plan);
    await markChanged(ctx.tx, ctx.newId);
    const affected = await bookingsOn(ctx, plan, next);
    return item(withMembers(ctx.tx.put(blockedDates, before, next), { bookings: affected }));
  },
});

const removeBlockedDate = blockedDateResource.custom.remove({
  summary: "Delete a blocked date",
  handle: async ({ params }, ctx) => {
    ctx.tx.remove(blockedDates, await ctx.current(blockedDates, params.id));
    await markChanged(ctx.tx, ctx.newId);
    return empty();
  },
});

/** Throws 422 for an inconsistent entry or a reference that does not exist. */
async function refuseFaults({ tx }: Ctx, entry: BlockedDate, plan: Plan): Promise<void> {
  const fault = await checkEntry(tx, entry);
  if (fault !== null) throw invalidField([fault.field], fault.detail);
  const others = plan.blockedDates.filter(({ id }) => id !== entry.id);
  const { recurrences, partDays } = DELIVERY_LIMITS;
  if (entry.rrule !== null && others.filter(({ rrule }) => rrule !== null).length >= recurrences) {
    throw invalidField(
      ["rrule"],
      `The limit of ${recurrences} recurrences per store is reached. Delete one first.`,
    );
  }
  if (entry.ranges.length > 0 && others.filter(({ ranges }) => ranges.length > 0).length >= partDays) {
    throw invalidField(
      ["ranges"],
      `The limit of ${partDays} blocked dates for parts of a day per store is reached. Delete one first.`,
    );
  }
  const zone = entry.zone_ids.findIndex((id) => !plan.zonesById.has(id));
  if (zone >= 0) throw invalidField(["zone_ids", zone], "No zone with this id.");
  const location = entry.location_ids.findIndex((id) => !plan.locationsById.has(id));
  if (location >= 0) throw invalidField(["location_ids", location], "No location with this id.");
  const window = entry.slot_window_ids.findIndex((id) => !plan.windowsById.has(id));
  if (window >= 0) throw invalidField(["slot_window_ids", window], "No slot window with this id.");
  if (entry.calendar_id !== null && !plan.calendars.has(entry.calendar_id)) {
    throw invalidField(["calendar_id"], "No calendar with this id.");
  }
}

export const blockedDateRoutes = [
  listBlockedDates,
  createBlockedDate,
  getBlockedDate,
  updateBlockedDate,
  removeBlockedDate,
];

const BOOKINGS_MAX = 500;

/**
 * Bookings and active holds that are not over and that an entry blocks, ordered by day. They stay as they were made, whatever has become of
 * the times of their window and of the horizon.
 */
async function bookingsOn(ctx: Ctx, plan: Plan, entry: BlockedDate): Promise<AffectedBooking[]> {
  if (entry.action === "open") return [];
  const { today } = plan.daysAt(ctx.now);
  // A slot over midnight began yesterday.
  const [first, last] = [addDays(today, -1), addDays(today, DELIVERY_LIMITS.horizonDays)];
  await cacheDates(ctx.tx, [entry], { today: first, last });
  const source = { entries: [entry], calendars: plan.calendars, calendarIds: [] };
  const blocks = expandBlocks(source, first, last);
  const timeOf = (at: string): string => localAt(fromInstant(at), plan.settings.time_zone).slice(-5);
  const affected: AffectedBooking[] = [];
  for (const date of datesFrom(first, last)) {
    if (!mayBlock(blocks, date)) continue;
    for await (const hold of holdsOn(ctx, date)) {
      const { slot_window_id: windowId, starts_at: starts, ends_at: ends } = hold;
      if (affected.length >= BOOKINGS_MAX) return affected;
      const time = { start: timeOf(starts), end: timeOf(ends) };
      const placeId = hold.zone_id ?? hold.location_id;
      if (fromInstant(ends) > ctx.now && findBlock(blocks, { placeId, windowId, time, date }) !== null) {
        affected.push(affectedOf(hold));
      }
    }
  }
  return affected;
}

/** Read one by one, however many there are: visitors hold slots, and a hold that has expired stays listed for days. */
async function* holdsOn({ tx, now }: Ctx, date: string): AsyncGenerator<Hold, void, undefined> {
  for (const index of ["booked", "held"]) {
    const listed = readEach(tx.part, holds, { index, value: date }, (from, page) => tx.peekPage(from, page));
    for await (const { value: hold } of listed) {
      if (["held", "confirmed"].includes(holdStateAt(hold, now))) yield hold;
    }
  }
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
