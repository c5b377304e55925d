import { z } from "zod";

import { conflictWhen, invalidField } from "../../../lib/errors.ts";
import { WEEKDAYS } from "../../../lib/local-time.ts";
import type { Ctx } from "../../../core/route.ts";
import { empty } from "../../../core/reply.ts";
import { withVersion } from "../../../core/schema.ts";
import { resource } from "../../../core/resource.ts";
import { blockedDates, loadPlan, markChanged, slotWindows, zones } from "../repository.ts";
import { loadPlanAt } from "../services/plan-at.ts";
import type { Plan } from "../rules/compile-plan.ts";
import { DELIVERY_LIMITS } from "../schema/limits.ts";
import { SlotWindow, slotWindowFields } from "../schema/slot.ts";
import { refuseManyLinks, refuseWhenFull } from "./check-zone.ts";
import { refuseWhileWindowIsUsed } from "./live-use.ts";
import { mergePatch } from "../../../lib/merge-patch.ts";
import { DEMO_IDS } from "../demo.ts";

const WindowView = withVersion(SlotWindow);
const Create = z.strictObject({
  ...slotWindowFields,
  name: slotWindowFields.name.default(""),
  zone_ids: slotWindowFields.zone_ids.default([]),
  location_ids: slotWindowFields.location_ids.default([]),
  fee_delta: slotWindowFields.fee_delta.default(0),
  cut_off: slotWindowFields.cut_off.default(null),
  lead_minutes: slotWindowFields.lead_minutes.default(null),
  valid_from: slotWindowFields.valid_from.default(null),
  valid_until: slotWindowFields.valid_until.default(null),
  channels: slotWindowFields.channels.default([]),
});
const Patch = z.strictObject(slotWindowFields).partial();

const slotWindowResource = resource({
  id: "delivery.slot-windows",
  collection: slotWindows,
  view: WindowView,
  example: DEMO_IDS.midday,
});

const listWindows = slotWindowResource.list({ summary: "List slot windows" });

const createWindow = slotWindowResource.create({
  summary: "Create a slot window",
  description:
    "A slot window yields one slot on each of its days, with one capacity shared by all its zones and pickup locations. It needs at least one of them. Times are local " +
    "times of the store. A slot that has no length because of the change to daylight saving time is not offered.",
  body: Create,
  errors: [conflictWhen("limit_reached", "The store has reached its limit of slot windows")],
  example: {
    body: {
      name: "Late round",
      zone_ids: [DEMO_IDS.central],
      days: ["fri", "sat"],
      start: "20:00",
      end: "22:00",
      capacity: 6,
      fee_delta: 200,
      cut_off: { days_before: 0, time: "16:00" },
    },
  },
  make: async (body, ctx) => {
    const plan = await loadPlan(ctx.tx);
    refuseWhenFull(plan.windows.length, DELIVERY_LIMITS.windows, "slot windows");
    if (body.zone_ids.length + body.location_ids.length === 0) {
      throw invalidField(["zone_ids"], "Specify at least one zone or pickup location.");
    }
    const times = { created_at: ctx.nowAt, updated_at: ctx.nowAt };
    const window = checkWindow({ ...body, id: ctx.newId("win"), ...times }, plan);
    await linkZones(ctx, window.id, [], window.zone_ids);
    await markChanged(ctx.tx, ctx.newId);
    return window;
  },
});

const getWindow = slotWindowResource.get({ summary: "Show a slot window" });

const updateWindow = slotWindowResource.update({
  summary: "Change a slot window",
  description:
    "Existing holds and bookings keep the terms they were made with, even if the capacity is set below their number; " +
    "the slot then accepts no more.",
  body: Patch,
  example: { body: { capacity: 24 } },
  change: async (before, body, ctx) => {
    const plan = await loadPlan(ctx.tx);
    const next = checkWindow({ ...mergePatch(before, body), updated_at: ctx.nowAt }, plan);
    await linkZones(ctx, next.id, before.zone_ids, next.zone_ids);
    await markChanged(ctx.tx, ctx.newId);
    return next;
  },
});

const removeWindow = slotWindowResource.custom.remove({
  summary: "Delete a slot window",
  description:
    "References to it are removed from blocked dates. Refused while it has holds or bookings; set valid_until to end " +
    "it instead.",
  errors: [
    conflictWhen("has_bookings", "The window has holds or bookings for today or later"),
    conflictWhen("too_many_links", "More than 90 blocked dates refer to it"),
  ],
  handle: async ({ params }, ctx) => {
    const before = await ctx.current(slotWindows, params.id);
    const plan = await loadPlanAt(ctx.tx, ctx.now);
    await refuseWhileWindowIsUsed(ctx.tx, plan, before.value, ctx.now);
    await linkZones(ctx, params.id, before.value.zone_ids, []);
    await leaveWindow(ctx, plan, params.id);
    ctx.tx.remove(slotWindows, before);
    await markChanged(ctx.tx, ctx.newId);
    return empty();
  },
});

/** Validates a window and returns it with sorted unique days; throws 422 for unknown zones and reversed dates. */
function checkWindow(window: SlotWindow, plan: Plan): SlotWindow {
  const unknown = window.zone_ids.findIndex((id) => !plan.zonesById.has(id));
  if (unknown >= 0) throw invalidField(["zone_ids", unknown], "No zone with this id.");
  const unknownLocation = window.location_ids.findIndex((id) => !plan.locationsById.has(id));
  if (unknownLocation >= 0)
    throw invalidField(["location_ids", unknownLocation], "No location with this id.");
  const { valid_from: first, valid_until: last } = window;
  if (first !== null && last !== null && last < first)
    throw invalidField(["valid_until"], "`valid_until` must not be earlier than `valid_from`.");
  return {
    ...window,
    zone_ids: [...new Set(window.zone_ids)],
    location_ids: [...new Set(window.location_ids)],
    days: WEEKDAYS.filter((day) => window.days.includes(day)),
  };
}

/** Updates `slot_window_ids` of the zones to match a window's `zone_ids`. */
async function linkZones(
  { tx, nowAt }: Ctx,
  windowId: string,
  before: readonly string[],
  after: readonly string[],
): Promise<void> {
  const changed = [
    ...after.filter((id) => !before.includes(id)),
    ...before.filter((id) => !after.includes(id)),
  ];
  for (const id of changed) {
    const zone = await tx.get(zones, id);
    if (zone === null) continue;
    const rest = zone.value.slot_window_ids.filter((other) => other !== windowId);
    const windowIds = after.includes(id) ? [...rest, windowId] : rest;
    tx.put(zones, zone, { ...zone.value, slot_window_ids: windowIds, updated_at: nowAt });
  }
}

async function leaveWindow({ tx, nowAt }: Ctx, plan: Plan, windowId: string): Promise<void> {
  const blocks = plan.blockedDates.filter((entry) => entry.slot_window_ids.includes(windowId));
  refuseManyLinks(blocks.length);
  for (const { id, slot_window_ids: ids } of blocks) {
    const stored = await tx.require(blockedDates, id);
    const rest = ids.filter((other) => other !== windowId);
    if (rest.length === 0) tx.remove(blockedDates, stored);
    else tx.put(blockedDates, stored, { ...stored.value, slot_window_ids: rest, updated_at: nowAt });
  }
}

export const slotWindowRoutes = [listWindows, createWindow, getWindow, updateWindow, removeWindow];
