import { z } from "zod";

import { fromInstant, toInstant } from "../../../lib/instant.ts";
import { fail, invalidField } from "../../../lib/errors.ts";
import type { Ctx, Reply } from "../../../core/route.ts";
import { created, defineRoute, item, ok } from "../../../core/route.ts";
import { Id, withVersion } from "../../../core/schema.ts";
import type { Stored } from "../../../core/tx.ts";
import { holds, loadPlan, saveUsage, slotUsages } from "../repository.ts";
import { extendedExpiry, holdStateAt, stepOf } from "../rules/hold-state.ts";
import type { HoldAction } from "../rules/hold-state.ts";
import {
  emptyUsage,
  remainingOf,
  withConfirmed,
  withHold,
  withoutConfirmed,
  withoutHold,
} from "../rules/hold-usage.ts";
import type { UsageHold } from "../rules/hold-usage.ts";
import { candidateOf, splitSlotId, usageIdOf } from "../rules/list-slots.ts";
import type { Candidate } from "../rules/list-slots.ts";
import { judgeSlot } from "../rules/slot-status.ts";
import type { Judgement } from "../rules/slot-status.ts";
import { Country, DELIVERY_LIMITS, Hold, SlotId } from "../schema.ts";
import type { SlotUsage } from "../schema.ts";
import { exampleBooking, exampleHold } from "./examples.ts";
import { zoneOfHold } from "./zone-of-hold.ts";

const HoldView = withVersion(Hold);
const Params = z.object({ id: Id });
const TtlSeconds = z.int().min(60).max(DELIVERY_LIMITS.holdSecondsMax);
const Create = z.strictObject({
  slot_id: SlotId,
  quantity: z.int().min(1).max(DELIVERY_LIMITS.capacity).default(1),
  reference: z.string().trim().min(1).max(120).nullable().default(null),
  ttl_seconds: TtlSeconds.optional().meta({
    description: "Lifetime of the hold. Default: the value in the settings",
  }),
  zone_id: Id.optional().meta({
    description: "Zone to deliver to. Optional when the slot window serves one zone only",
  }),
  postcode: z.string().max(64).optional().meta({ description: "Address to deliver to, instead of zone_id" }),
  country: Country.optional(),
});

const missing = { type: "not_found", when: "No hold with this id" } as const;
const full = { type: "conflict", code: "slot_full", when: "The slot does not have enough capacity" } as const;
const expired = {
  type: "conflict",
  code: "hold_expired",
  when: "The hold has expired and its capacity has been taken",
} as const;
const invalid = {
  type: "conflict",
  code: "invalid_transition",
  when: "The hold's status does not allow this",
} as const;

const createHold = defineRoute({
  id: "delivery.holds.create",
  method: "POST",
  path: "/holds",
  status: 201,
  summary: "Hold capacity of a slot while the customer pays",
  description:
    "Exact under concurrency: the holds and bookings of a slot never exceed its capacity. The hold expires exactly " +
    "at expires_at.",
  body: Create,
  data: HoldView,
  errors: [
    full,
    {
      type: "conflict",
      code: "slot_closed",
      when: "The slot has started, its cut-off has passed, or it is too far in the future",
    },
    { type: "conflict", code: "date_blocked", when: "The day is blocked" },
  ],
  example: {
    body: { slot_id: exampleHold.slot_id, reference: "order 1041", postcode: "SW1A 1AA" },
    data: exampleHold,
  },
  handle: async ({ body }, ctx) => {
    const plan = await loadPlan(ctx.tx);
    const window = plan.windowsById.get(splitSlotId(body.slot_id).windowId);
    if (window === undefined) throw invalidField(["slot_id"], "No slot window with this id.");
    const zone = zoneOfHold(plan, window, body);
    const slot = { window, zone, date: splitSlotId(body.slot_id).date };
    const candidate = candidateOf(plan, slot, plan.horizonAt(ctx.now));
    if (candidate === null) throw invalidField(["slot_id"], "The slot window has no slot on this day.");
    const usage = await ctx.tx.get(slotUsages, candidate.usageId);
    refuseUnlessOpen(judge(candidate, usage?.value ?? null, ctx.now, body.quantity));
    const ttlSeconds = body.ttl_seconds ?? plan.settings.hold_ttl_seconds;
    const hold = toHold(candidate, body, ctx, ctx.now + ttlSeconds * 1000);
    const before = usage?.value ?? emptyUsage(candidate.usageId, candidate.date);
    saveUsage(ctx.tx, usage, withHold(before, toUsageHold(hold), ctx.now));
    emitHold(ctx, "held", hold);
    return created(ctx.tx.create(holds, hold), `/holds/${hold.id}`);
  },
});

const getHold = defineRoute({
  id: "delivery.holds.get",
  method: "GET",
  path: "/holds/:id",
  summary: "Show a hold",
  params: Params,
  data: HoldView,
  errors: [missing],
  example: { params: { id: exampleHold.id }, data: exampleHold },
  handle: async ({ params }, { tx, now }) => {
    const stored = await tx.require(holds, params.id);
    const state = holdStateAt(stored.value, now);
    // A hold expires without a write: an ETag would still match the active hold.
    return state === stored.value.state
      ? item(stored)
      : ok({ ...stored.value, state, version: stored.version });
  },
});

const confirmHold = defineRoute({
  id: "delivery.holds.confirm",
  method: "POST",
  path: "/holds/:id/confirm",
  summary: "Confirm a hold as a booking",
  description:
    "An expired hold can still be confirmed if its slot is open and has enough capacity. Confirming twice has no " +
    "further effect.",
  params: Params,
  data: HoldView,
  errors: [missing, expired, invalid],
  example: { params: { id: exampleHold.id }, data: exampleBooking },
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

const extendHold = defineRoute({
  id: "delivery.holds.extend",
  method: "POST",
  path: "/holds/:id/extend",
  summary: "Extend a hold",
  description: "The new lifetime counts from now and ends at most two hours after the hold was created.",
  params: Params,
  body: z.strictObject({ ttl_seconds: TtlSeconds.optional() }),
  data: HoldView,
  errors: [missing, expired, invalid],
  example: { params: { id: exampleHold.id }, body: { ttl_seconds: 600 }, data: exampleHold },
  handle: async ({ params, body }, ctx) => {
    const { before, usage } = await openHold(ctx, params.id, "extend");
    const { settings } = await loadPlan(ctx.tx);
    const ttlSeconds = body.ttl_seconds ?? settings.hold_ttl_seconds;
    const { created_at, expires_at } = before.value;
    const times = { createdAt: fromInstant(created_at), expiresAt: fromInstant(expires_at) };
    const until = extendedExpiry(times, ctx.now, ttlSeconds, DELIVERY_LIMITS.holdSecondsMax);
    const entry = { ...toUsageHold(before.value), expires_at_ms: until };
    saveUsage(ctx.tx, usage, withHold(usage?.value ?? emptyUsageOf(before.value), entry, ctx.now));
    return change(ctx, before, { expires_at: toInstant(until) });
  },
});

const releaseHold = defineRoute({
  id: "delivery.holds.release",
  method: "POST",
  path: "/holds/:id/release",
  summary: "Release a hold or cancel a booking",
  description: "Its capacity becomes available immediately. Releasing twice has no further effect.",
  params: Params,
  data: HoldView,
  errors: [missing],
  example: {
    params: { id: exampleHold.id },
    data: { ...exampleHold, state: "released", released_at: "2026-06-01T09:05:00.000Z" },
  },
  handle: async ({ params }, ctx) => {
    const { before, usage, step } = await openHold(ctx, params.id, "release");
    if (step === "keep") return unchanged(before);
    const entry = toUsageHold(before.value);
    const isBooked = before.value.state === "confirmed";
    // Usage of days long past has been swept: no capacity is left to release.
    if (usage !== null) {
      const freed = isBooked
        ? withoutConfirmed(usage.value, entry)
        : withoutHold(usage.value, entry.id, ctx.now);
      saveUsage(ctx.tx, usage, freed);
    }
    emitHold(ctx, isBooked ? "cancelled" : "released", before.value);
    return change(ctx, before, { state: "released", released_at: ctx.nowAt });
  },
});

interface OpenHold {
  readonly before: Stored<Hold>;
  readonly usage: Stored<SlotUsage> | null;
  readonly step: "apply" | "keep" | "apply_if_free";
}

/** The hold, the usage of its slot, and the effect of the action; throws 409 if the action is not allowed. */
async function openHold(ctx: Ctx, id: string, action: HoldAction): Promise<OpenHold> {
  const before = await ctx.tx.require(holds, id);
  const state = holdStateAt(before.value, ctx.now);
  const step = stepOf(action, state);
  if (step === "expired")
    throw fail("conflict", "The hold has expired. Create a new one.", { code: "hold_expired" });
  if (step === "invalid") {
    throw fail("conflict", `A hold with status \`${state}\` cannot be ${PAST[action]}.`, {
      code: "invalid_transition",
    });
  }
  const { slot_window_id: windowId, date } = before.value;
  return { before, step, usage: await ctx.tx.get(slotUsages, usageIdOf(windowId, date)) };
}

const PAST: Readonly<Record<HoldAction, string>> = {
  confirm: "confirmed",
  extend: "extended",
  release: "released",
};

/**
 * Nothing is written. The response is a plain value: an item in a replayed response would have the version of this
 * commit.
 */
const unchanged = ({ value, version }: Stored<Hold>): Reply<Hold & { version: number }> =>
  ok({ ...value, version });

/** Emits the event of a hold or booking. */
function emitHold(
  { tx, newId, nowAt }: Ctx,
  action: "held" | "booked" | "released" | "cancelled",
  hold: Hold,
): void {
  const { id, slot_window_id, date, zone_id, quantity } = hold;
  const data = { hold_id: id, slot_window_id, date, zone_id, quantity };
  tx.emit({ id: newId("evt"), type: `delivery.slot.${action}`, at: nowAt, data });
}

function change(ctx: Ctx, before: Stored<Hold>, more: Partial<Hold>): Reply<Hold & { version: number }> {
  return item(ctx.tx.put(holds, before, { ...before.value, ...more, updated_at: ctx.nowAt }));
}

/** An expired hold has no priority over a new one. */
async function refuseUnlessFree(ctx: Ctx, hold: Hold, usage: Stored<SlotUsage> | null): Promise<void> {
  const plan = await loadPlan(ctx.tx);
  const window = plan.windowsById.get(hold.slot_window_id);
  const zone = hold.zone_id === null ? null : plan.zonesById.get(hold.zone_id);
  const candidate =
    window === undefined || zone === undefined
      ? null
      : candidateOf(plan, { window, zone, date: hold.date }, plan.horizonAt(ctx.now));
  const judged = candidate === null ? null : judge(candidate, usage?.value ?? null, ctx.now, hold.quantity);
  if (judged?.status === "open") return;
  const why = judged?.reason?.detail ?? "Its slot is no longer offered.";
  throw fail("conflict", `The hold has expired and can no longer be confirmed. ${why}`, {
    code: "hold_expired",
  });
}

const judge = (candidate: Candidate, usage: SlotUsage | null, now: number, quantity: number): Judgement =>
  judgeSlot(
    { ...candidate.facts, remaining: remainingOf(usage, candidate.window.capacity, now) },
    now,
    quantity,
  );

const CODES = { full: "slot_full", closed: "slot_closed", blocked: "date_blocked" } as const;

function refuseUnlessOpen({ status, reason }: Judgement): void {
  if (status === "open") return;
  throw fail("conflict", reason?.detail ?? "The slot is not open.", { code: CODES[status] });
}

function toHold(
  { slotId, window, zone, date, facts }: Candidate,
  { quantity, reference }: { quantity: number; reference: string | null },
  ctx: Ctx,
  expiresAt: number,
): Hold {
  return {
    id: ctx.newId("hld"),
    created_at: ctx.nowAt,
    updated_at: ctx.nowAt,
    slot_id: slotId,
    slot_window_id: window.id,
    zone_id: zone?.id ?? null,
    date,
    starts_at: toInstant(facts.times.startsAt),
    ends_at: toInstant(facts.times.endsAt),
    quantity,
    reference,
    state: "held",
    expires_at: toInstant(expiresAt),
    confirmed_at: null,
    released_at: null,
  };
}

const toUsageHold = ({ id, zone_id, quantity, expires_at }: Hold): UsageHold => ({
  id,
  zone_id,
  quantity,
  expires_at_ms: fromInstant(expires_at),
});

const emptyUsageOf = ({ slot_window_id: windowId, date }: Hold): SlotUsage =>
  emptyUsage(usageIdOf(windowId, date), date);

export const holdRoutes = [createHold, getHold, confirmHold, extendHold, releaseHold];
