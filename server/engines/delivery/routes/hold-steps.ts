import { conflict, conflictWhen, invalidField } from "../../../lib/errors.ts";
import { fromInstant, toInstant } from "../../../lib/instant.ts";
import { item, ok } from "../../../core/reply.ts";
import type { Reply } from "../../../core/reply.ts";
import type { Ctx } from "../../../core/route.ts";
import type { Stored } from "../../../core/tx.ts";
import { holds, saveUsage, slotUsages } from "../repository.ts";
import { loadPlanAt } from "../services/plan-at.ts";
import type { Plan } from "../rules/compile-plan.ts";
import { holdStateAt, stepOf } from "../rules/hold-state.ts";
import type { HoldAction } from "../rules/hold-state.ts";
import { emptyUsage, remainingOf, withoutConfirmed, withoutHold } from "../rules/hold-usage.ts";
import type { UsageHold } from "../rules/hold-usage.ts";
import { candidateOf, splitSlotId, usageIdOf } from "../rules/list-slots.ts";
import type { Candidate } from "../rules/list-slots.ts";
import { defaultChannel, isOffered, placeIdOf, placeOffers } from "../rules/places.ts";
import { judgeSlot } from "../rules/slot-status.ts";
import type { Judgement, SlotOrder } from "../rules/slot-status.ts";
import type { Hold } from "../schema/hold.ts";
import type { SlotUsage } from "../schema/slot.ts";
import { isActive, locationPlace, placeOfHold, zonePlace } from "./place-of-hold.ts";
import type { NamedPlace } from "./place-of-hold.ts";
import { newResource } from "../../../lib/new-resource.ts";

/** Why a slot cannot be taken: one code per reason. */
export const notOpen = [
  conflictWhen("slot_full", "The slot does not have enough capacity"),
  conflictWhen("slot_closed", "The slot has started"),
  conflictWhen("cutoff_passed", "The cut-off of the slot has passed"),
  conflictWhen("lead_time_too_short", "The slot starts before the lead time of the slot or of an item ends"),
  conflictWhen("outside_horizon", "The day cannot be booked yet"),
  conflictWhen("date_blocked", "The day is blocked"),
  conflictWhen("channel_not_offered", "The slot is not offered in this channel"),
] as const;

interface OpenHold {
  readonly before: Stored<Hold>;
  readonly usage: Stored<SlotUsage> | null;
  readonly step: "apply" | "keep" | "apply_if_free";
}

/** The hold, the usage of its slot, and the effect of the action; throws 409 if the action is not allowed. */
export async function openHold(ctx: Ctx, id: string, action: HoldAction): Promise<OpenHold> {
  const before = await ctx.tx.require(holds, id);
  const state = holdStateAt(before.value, ctx.now);
  const step = stepOf(action, state);
  if (step === "expired") throw conflict("hold_expired", "The hold has expired. Create a new one.");
  if (step === "invalid") {
    throw conflict("invalid_transition", `A hold with status \`${state}\` cannot be ${PAST[action]}.`);
  }
  const { slot_window_id: windowId, date } = before.value;
  return { before, step, usage: await ctx.tx.get(slotUsages, usageIdOf(windowId, date)) };
}

const PAST: Readonly<Record<HoldAction, string>> = {
  confirm: "confirmed",
  extend: "extended",
  release: "released",
  move: "moved",
};

/**
 * Nothing is written. The response is a plain value: an item in a replayed response would have the version of this
 * commit.
 */
export const unchanged = ({ value, version }: Stored<Hold>): Reply<Hold & { version: number }> =>
  ok({ ...value, version });

/** Emits the event of a hold or booking. */
export function emitHold(
  { tx, newId, nowAt }: Ctx,
  action: "held" | "booked" | "moved" | "released" | "cancelled",
  hold: Hold,
): void {
  const { id, slot_window_id, date, zone_id, location_id, quantity } = hold;
  const data = { hold_id: id, slot_window_id, date, zone_id, location_id, quantity };
  tx.emit({ id: newId("evt"), type: `delivery.slot.${action}`, at: nowAt, data });
}

export function change(
  ctx: Ctx,
  before: Stored<Hold>,
  more: Partial<Hold>,
): Reply<Hold & { version: number }> {
  return item(ctx.tx.put(holds, before, { ...before.value, ...more, updated_at: ctx.nowAt }));
}

/** An expired hold has no priority over a new one. */
export async function refuseUnlessFree(ctx: Ctx, hold: Hold, usage: Stored<SlotUsage> | null): Promise<void> {
  const plan = await loadPlanAt(ctx.tx, ctx.now);
  const window = plan.windowsById.get(hold.slot_window_id);
  const place = zonePlace(plan, hold.zone_id) ?? locationPlace(plan, hold.location_id);
  const isGone = place === null ? (hold.zone_id ?? hold.location_id) !== null : !isActive(place);
  const candidate =
    window === undefined || isGone
      ? null
      : candidateOf(plan, { window, place, date: hold.date }, plan.horizonAt(ctx.now));
  const { quantity, item_lead_minutes: itemMinutes = 0 } = hold;
  const order = { channel: hold.channel ?? "delivery", quantity, itemMinutes };
  const judged = candidate === null ? null : judgeHold(candidate, usage?.value ?? null, ctx.now, order);
  if (judged?.status === "open") return;
  const why = judged?.reason?.detail ?? "Its slot is no longer offered.";
  throw conflict("hold_expired", `The hold has expired and can no longer be confirmed. ${why}`);
}

/** The state of a slot for an order; it must be offered in the order's channel. */
export function judgeHold(
  candidate: Candidate,
  usage: SlotUsage | null,
  now: number,
  { channel, ...order }: SlotOrder & { readonly channel: string },
): Judgement {
  const { window, place, facts } = candidate;
  if (!isOffered(window, channel) || (place !== null && !placeOffers(place, channel))) {
    const detail = `The slot is not offered in the channel \`${channel}\`.`;
    return { status: "closed", reason: { code: "channel_not_offered", detail } };
  }
  return judgeSlot({ ...facts, remaining: remainingOf(usage, window.capacity, now) }, now, order);
}

export function refuseUnlessOpen({ status, reason }: Judgement): void {
  if (status === "open") return;
  throw conflict(reason?.code ?? "slot_closed", reason?.detail ?? "The slot is not open.");
}

/** The slot, the place and the channel of a hold; throws 422 for a slot or place that does not exist. */
export async function candidateOfHold(
  part: string,
  plan: Plan,
  request: NamedPlace & { readonly slot_id: string; readonly channel?: string | undefined },
  now: number,
): Promise<{ readonly candidate: Candidate; readonly channel: string }> {
  const { windowId, date } = splitSlotId(request.slot_id);
  const window = plan.windowsById.get(windowId);
  if (window === undefined) throw invalidField(["slot_id"], "No slot window with this id.");
  const place = await placeOfHold(part, plan, window, request);
  const candidate = candidateOf(plan, { window, place, date }, plan.horizonAt(now));
  if (candidate === null) throw invalidField(["slot_id"], "The slot window has no slot on this day.");
  const channel = request.channel ?? (place === null ? "delivery" : defaultChannel(place));
  return { candidate, channel };
}

/** The place and channel that a moved hold keeps where the request specifies no other; a delivery that is to be collected has another. */
export function placeOf(
  { zone_id: zoneId, location_id: locationId, channel }: Hold,
  request: NamedPlace,
): NamedPlace & { readonly channel?: string } {
  const isNamed = [request.zone_id, request.location_id, request.postcode].some(
    (value) => value !== undefined,
  );
  const isSameKind = !isNamed || (request.location_id === undefined) === (locationId === null);
  return {
    ...(isNamed || zoneId === null ? {} : { zone_id: zoneId }),
    ...(isNamed || locationId === null ? {} : { location_id: locationId }),
    ...(isSameKind && channel !== null ? { channel } : {}),
  };
}

export const isSamePlace = ({ place }: Candidate, hold: Hold): boolean =>
  (place === null ? null : placeIdOf(place)) === (hold.zone_id ?? hold.location_id);

/** Releases the capacity of a hold or booking. Usage of days long past has been swept: nothing is left to release. */
export function leaveSlot(ctx: Ctx, hold: Hold, usage: Stored<SlotUsage> | null): void {
  if (usage === null) return;
  const entry = toUsageHold(hold);
  saveUsage(
    ctx.tx,
    usage,
    hold.state === "confirmed"
      ? withoutConfirmed(usage.value, entry)
      : withoutHold(usage.value, entry, ctx.now),
  );
}

/** The members of a hold that come from its slot. */
export const slotMembers = ({ slotId, window, place, date, facts }: Candidate) => ({
  slot_id: slotId,
  slot_window_id: window.id,
  zone_id: place?.kind === "zone" ? place.zone.id : null,
  location_id: place?.kind === "location" ? place.location.id : null,
  date,
  starts_at: toInstant(facts.times.startsAt),
  ends_at: toInstant(facts.times.endsAt),
});

export function toHold(
  candidate: Candidate,
  {
    quantity,
    reference,
    channel,
    item_lead_minutes,
  }: Pick<Hold, "quantity" | "reference" | "channel" | "item_lead_minutes">,
  ctx: Ctx,
  expiresAt: number,
): Hold {
  return {
    ...newResource(ctx.newId("hld"), ctx.nowAt),
    ...slotMembers(candidate),
    channel,
    quantity,
    item_lead_minutes,
    reference,
    state: "held",
    expires_at: toInstant(Math.min(expiresAt, candidate.facts.times.endsAt)),
    confirmed_at: null,
    released_at: null,
  };
}

export const toUsageHold = ({ zone_id, location_id, quantity, expires_at }: Hold): UsageHold => ({
  zone_id: zone_id ?? location_id,
  quantity,
  expires_at_ms: fromInstant(expires_at),
});

export const emptyUsageOf = ({ slot_window_id: windowId, date }: Hold): SlotUsage =>
  emptyUsage(usageIdOf(windowId, date), date);
