import { z } from "zod";

import { conflictWhen, invalidField } from "../../../lib/errors.ts";
import { fromInstant, toInstant } from "../../../lib/instant.ts";
import { created, item, ok } from "../../../core/reply.ts";
import { Id, withVersion } from "../../../core/schema.ts";
import { resource } from "../../../core/resource.ts";
import { holds, loadPlan, saveUsage, slotUsages } from "../repository.ts";
import { loadPlanAt } from "../services/plan-at.ts";
import { countVisitorHold } from "../services/visitor-holds.ts";
import { extendedExpiry, holdStateAt } from "../rules/hold-state.ts";
import { emptyUsage, withBooking, withConfirmed, withHold, withoutHold } from "../rules/hold-usage.ts";
import { Channel, Coordinates } from "../schema/zone.ts";
import { Country } from "../schema/settings.ts";
import { DELIVERY_LIMITS } from "../schema/limits.ts";
import { Hold } from "../schema/hold.ts";
import { OrderItems } from "../schema.ts";
import { SlotId } from "../schema/slot.ts";
import {
  candidateOfHold,
  change,
  emitHold,
  emptyUsageOf,
  isSamePlace,
  judgeHold,
  leaveSlot,
  notOpen,
  openHold,
  placeOf,
  refuseUnlessFree,
  refuseUnlessOpen,
  slotMembers,
  toHold,
  toUsageHold,
  unchanged,
} from "./hold-steps.ts";
import { leadOfItems } from "./lead-of-items.ts";
import { isActive } from "./place-of-hold.ts";

const HoldView = withVersion(Hold);
const holdResource = resource({
  id: "delivery.holds",
  collection: holds,
  view: HoldView,
  example: "hld_01KDVDNA00GGGGGGGGGGGGGGH4",
});
const TtlSeconds = z.int().min(60).max(DELIVERY_LIMITS.holdSecondsMax);
/** Where the order goes, and how. */
const placeFields = {
  zone_id: Id.optional().meta({
    description: "Zone to deliver to. Optional when the slot window serves one place only",
  }),
  location_id: Id.optional().meta({ description: "Pickup location, instead of zone_id" }),
  postcode: z.string().max(64).optional().meta({ description: "Address to deliver to, instead of zone_id" }),
  country: Country.optional(),
  coordinates: Coordinates.optional().meta({ description: "Coordinates of the postcode" }),
  channel: Channel.optional().meta({ description: "Default: delivery, or pickup at a location" }),
};
const Create = z.strictObject({
  slot_id: SlotId,
  quantity: z
    .int()
    .min(1)
    .max(DELIVERY_LIMITS.capacity)
    .default(1)
    .meta({ description: "With a publishable key 1" }),
  reference: z.string().trim().min(1).max(120).nullable().default(null),
  ttl_seconds: TtlSeconds.optional().meta({
    description:
      "Lifetime of the hold. Default: the value in the settings, and with a publishable key at most that",
  }),
  ...placeFields,
  items: OrderItems.optional(),
});

const expired = conflictWhen("hold_expired", "The hold has expired and its capacity has been taken");
const invalid = conflictWhen("invalid_transition", "The hold's status does not allow this");

const createHold = holdResource.custom.create({
  open: "submit",
  summary: "Hold capacity of a slot while the customer pays",
  description:
    "Exact under concurrency: the holds and bookings of a slot never exceed its capacity. The hold expires exactly " +
    `at expires_at, at the latest when the slot ends. With publishable keys, an IP address has at most ${DELIVERY_LIMITS.visitorHolds} active holds; the next one is ` +
    "refused with 429.",
  body: Create,
  errors: [...notOpen],
  example: {
    body: {
      slot_id: "win_01KDVDNA00GGGGGGGGGGGGGGGN@2026-06-03",
      reference: "order 1041",
      postcode: "SW1A 1AA",
    },
  },
  handle: async ({ body }, ctx) => {
    // Everybody can read a publishable key: one request would hold all that a slot has.
    if (ctx.isPublic && body.quantity > 1)
      throw invalidField(["quantity"], "With a publishable key, a hold has the quantity 1.");
    const plan = await loadPlanAt(ctx.tx, ctx.now);
    const { candidate, channel } = await candidateOfHold(ctx.tx.part, plan, body, ctx.now);
    const { place } = candidate;
    if (place !== null && !isActive(place)) throw invalidField(["zone_id"], "The zone is not active.");
    const itemMinutes = await leadOfItems(ctx, body.items);
    const usage = await ctx.tx.get(slotUsages, candidate.usageId);
    const order = { channel, quantity: body.quantity, itemMinutes };
    refuseUnlessOpen(judgeHold(candidate, usage?.value ?? null, ctx.now, order));
    const { hold_ttl_seconds: ownSeconds } = plan.settings;
    const wantedSeconds = body.ttl_seconds ?? ownSeconds;
    const ttlSeconds = ctx.isPublic ? Math.min(wantedSeconds, ownSeconds) : wantedSeconds;
    const terms = { ...body, channel, item_lead_minutes: itemMinutes };
    const hold = toHold(candidate, terms, ctx, ctx.now + ttlSeconds * 1000);
    const before = usage?.value ?? emptyUsage(candidate.usageId, candidate.date);
    saveUsage(ctx.tx, usage, withHold(before, toUsageHold(hold), ctx.now));
    if (ctx.isPublic) await countVisitorHold(ctx, hold);
    emitHold(ctx, "held", hold);
    return created(ctx.tx.create(holds, hold), `/holds/${hold.id}`);
  },
});

const getHold = holdResource.custom.get({
  summary: "Show a hold",
  handle: async ({ params }, { tx, now }) => {
    const stored = await tx.require(holds, params.id);
    const state = holdStateAt(stored.value, now);
    // A hold expires without a write: an ETag would still match the active hold.
    return state === stored.value.state
      ? item(stored)
      : ok({ ...stored.value, state, version: stored.version });
  },
});

const confirmHold = holdResource.action("confirm", {
  summary: "Confirm a hold as a booking",
  description:
    "An expired hold can still be confirmed if its slot is open and has enough capacity. Confirming twice has no " +
    "further effect.",
  errors: [expired, invalid],
  handle: async ({ params }, ctx) => {
    const { before, usage, step } = await openHold(ctx, params.id, "confirm");
    if (step === "keep") return unchanged(before);
    if (step === "apply_if_free") await refuseUnlessFree(ctx, before.value, usage);
    const entry = toUsageHold(before.value);
    saveUsage(ctx.tx, usage, withConfirmed(usage?.value ?? emptyUsageOf(before.value), entry, ctx.now));
    emitHold(ctx, "booked", before.value);
    return change(ctx, before, { state: "confirmed", confirmed_at: ctx.nowAt });
  },
});

const extendHold = holdResource.action("extend", {
  summary: "Extend a hold",
  description: "The new lifetime counts from now and ends at most two hours after the hold was created.",
  body: z.strictObject({ ttl_seconds: TtlSeconds.optional() }),
  errors: [expired, invalid],
  example: { body: { ttl_seconds: 600 } },
  handle: async ({ params, body }, ctx) => {
    const { before, usage } = await openHold(ctx, params.id, "extend");
    const { settings } = await loadPlan(ctx.tx);
    const ttlSeconds = body.ttl_seconds ?? settings.hold_ttl_seconds;
    const { created_at, ends_at, expires_at } = before.value;
    const times = { createdAt: fromInstant(created_at), expiresAt: fromInstant(expires_at) };
    const extended = extendedExpiry(times, ctx.now, ttlSeconds, DELIVERY_LIMITS.holdSecondsMax);
    const until = Math.min(extended, fromInstant(ends_at));
    const entry = toUsageHold(before.value);
    const without = withoutHold(usage?.value ?? emptyUsageOf(before.value), entry, ctx.now);
    saveUsage(ctx.tx, usage, withHold(without, { ...entry, expires_at_ms: until }, ctx.now));
    return change(ctx, before, { expires_at: toInstant(until) });
  },
});

const releaseHold = holdResource.action("release", {
  summary: "Release a hold or cancel a booking",
  description: "Its capacity becomes available immediately. Releasing twice has no further effect.",
  handle: async ({ params }, ctx) => {
    const { before, usage, step } = await openHold(ctx, params.id, "release");
    if (step === "keep") return unchanged(before);
    leaveSlot(ctx, before.value, usage);
    emitHold(ctx, before.value.state === "confirmed" ? "cancelled" : "released", before.value);
    return change(ctx, before, { state: "released", released_at: ctx.nowAt });
  },
});

const moveHold = holdResource.action("move", {
  summary: "Move a hold or a booking to another slot",
  description:
    "Capacity of the new slot is reserved and that of the old one released in one step: if the new slot is not open, " +
    "nothing changes. The place, the channel and the lead time of the items stay the same unless specified; " +
    "the same slot is checked for them again.",
  body: z.strictObject({ slot_id: SlotId, ...placeFields, items: OrderItems.optional() }),
  errors: [expired, invalid, ...notOpen],
  example: {
    body: { slot_id: `win_01KDVDNA00GGGGGGGGGGGGGGGN@2026-06-04` },
  },
  handle: async ({ params, body }, ctx) => {
    const { before, usage } = await openHold(ctx, params.id, "move");
    const plan = await loadPlanAt(ctx.tx, ctx.now);
    const { candidate, channel } = await candidateOfHold(
      ctx.tx.part,
      plan,
      { ...placeOf(before.value, body), ...body },
      ctx.now,
    );
    const isSameSlot = candidate.slotId === before.value.slot_id;
    if (isSameSlot && !isSamePlace(candidate, before.value))
      throw invalidField(["slot_id"], "The hold is already in this slot; its place alone cannot be changed.");
    const { item_lead_minutes: known = 0, expires_at: expiresAt, quantity } = before.value;
    const itemMinutes = body.items === undefined ? known : await leadOfItems(ctx, body.items);
    const isSameChannel = body.channel === undefined || body.channel === before.value.channel;
    if (isSameSlot && isSameChannel && itemMinutes === known) return unchanged(before);
    const target = isSameSlot ? usage : await ctx.tx.get(slotUsages, candidate.usageId);
    // Its own slot has the capacity for it.
    const order = { channel, quantity: isSameSlot ? 0 : quantity, itemMinutes };
    if (!isSameSlot || !isSameChannel || itemMinutes > known)
      refuseUnlessOpen(judgeHold(candidate, target?.value ?? null, ctx.now, order));
    if (isSameSlot) return change(ctx, before, { channel, item_lead_minutes: itemMinutes });
    const slot = slotMembers(candidate);
    const ends = { expires_at: expiresAt < slot.ends_at ? expiresAt : slot.ends_at };
    const moved = { ...before.value, ...slot, ...ends, channel, item_lead_minutes: itemMinutes };
    leaveSlot(ctx, before.value, usage);
    const next = target?.value ?? emptyUsage(candidate.usageId, candidate.date);
    const entry = toUsageHold(moved);
    const joined = moved.state === "confirmed" ? withBooking(next, entry) : withHold(next, entry, ctx.now);
    saveUsage(ctx.tx, target, joined);
    emitHold(ctx, "moved", moved);
    return change(ctx, before, moved);
  },
});

export const holdRoutes = [createHold, getHold, confirmHold, extendHold, releaseHold, moveHold];
