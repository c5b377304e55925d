import type { SlotUsage } from "../schema/slot.ts";

/** The fields of a hold that count for its slot. */
export interface UsageHold {
  readonly zone_id: string | null;
  readonly quantity: number;
  readonly expires_at_ms: number;
}

type Held = SlotUsage["held"][number];
type Expiry = Held["until"][number];

/** The usage of an unused slot. */
export const emptyUsage = (id: string, date: string): SlotUsage => ({ id, date, held: [], confirmed: [] });

/** A hold blocks capacity until `now >= expires_at`: at that instant it has expired. */
export const isLive = ([expiresAtMs]: Expiry, now: number): boolean => now < expiresAtMs;

/** The quantities of a slot that are booked and in active holds. */
export function countUsage(
  usage: SlotUsage | null,
  now: number,
): { readonly booked: number; readonly held: number } {
  let held = 0;
  for (const { until } of usage?.held ?? [])
    for (const expiry of until) if (isLive(expiry, now)) held += expiry[1];
  return { booked: (usage?.confirmed ?? []).reduce((sum, { quantity }) => sum + quantity, 0), held };
}

/** The next instant at which a hold of a slot expires; infinity for never. */
export function nextExpiry(usage: SlotUsage | null, now: number): number {
  let next = Number.POSITIVE_INFINITY;
  for (const { until } of usage?.held ?? [])
    for (const expiry of until) if (isLive(expiry, now)) next = Math.min(next, expiry[0]);
  return next;
}

/** Remaining capacity: capacity - booked - held, never below 0 (capacity may have been reduced). */
export function remainingOf(usage: SlotUsage | null, capacity: number, now: number): number {
  const { booked, held } = countUsage(usage, now);
  return Math.max(0, capacity - booked - held);
}

/** The usage with one more hold. The caller has checked that it fits; expired holds are removed. */
export function withHold(usage: SlotUsage, hold: UsageHold, now: number): SlotUsage {
  const { zone_id, quantity, expires_at_ms } = hold;
  const held = withoutExpired(usage.held, now);
  const zone = held.find((entry) => entry.zone_id === zone_id) ?? { zone_id, until: [] };
  const until = addTo(zone.until, expires_at_ms, quantity);
  return { ...usage, held: [...held.filter((entry) => entry !== zone), { zone_id, until }] };
}

/** The usage after a hold was confirmed. */
export const withConfirmed = (usage: SlotUsage, hold: UsageHold, now: number): SlotUsage =>
  withBooking(withoutHold(usage, hold, now), hold);

/** The usage with one more booking, which was no hold of this slot; bookings are counted per zone. */
export function withBooking(usage: SlotUsage, { zone_id, quantity }: UsageHold): SlotUsage {
  const before = usage.confirmed.find((entry) => entry.zone_id === zone_id)?.quantity ?? 0;
  return {
    ...usage,
    confirmed: [
      ...usage.confirmed.filter((entry) => entry.zone_id !== zone_id),
      { zone_id, quantity: before + quantity },
    ],
  };
}

/** The usage after a hold was released. One that has expired may be removed from it already: then all that expired with it are. */
export function withoutHold(usage: SlotUsage, hold: UsageHold, now: number): SlotUsage {
  const held = withoutExpired(usage.held, now).map((entry) =>
    entry.zone_id === hold.zone_id && entry.until.some(([ms]) => ms === hold.expires_at_ms)
      ? { ...entry, until: addTo(entry.until, hold.expires_at_ms, -hold.quantity) }
      : entry,
  );
  return { ...usage, held: held.filter(({ until }) => until.length > 0) };
}

/** The usage after a booking was cancelled. */
export const withoutConfirmed = (usage: SlotUsage, hold: UsageHold): SlotUsage => ({
  ...usage,
  confirmed: usage.confirmed
    .map((entry) =>
      entry.zone_id === hold.zone_id ? { ...entry, quantity: entry.quantity - hold.quantity } : entry,
    )
    .filter(({ quantity }) => quantity > 0),
});

/** True if the slot has an active hold or booking of a zone. One without a zone may belong to any. */
export const usesZone = (usage: SlotUsage, zoneId: string, now: number): boolean =>
  usage.confirmed.some(({ zone_id }) => zone_id === zoneId || zone_id === null) ||
  usage.held.some(
    ({ zone_id, until }) =>
      (zone_id === zoneId || zone_id === null) && until.some((expiry) => isLive(expiry, now)),
  );

/** The usage as version 1 of its schema stored it, one entry a hold, in the present form. */
export const fromHolds = (holds: readonly UsageHold[]): SlotUsage["held"] =>
  holds.reduce((usage, hold) => withHold(usage, hold, 0), emptyUsage("", "")).held;

const withoutExpired = (held: readonly Held[], now: number): Held[] =>
  held
    .map(({ zone_id, until }) => ({ zone_id, until: until.filter((expiry) => isLive(expiry, now)) }))
    .filter(({ until }) => until.length > 0);

/** Adds to the quantity that expires at an instant. */
function addTo(until: readonly Expiry[], expiresAtMs: number, quantity: number): Expiry[] {
  const at = until.findIndex(([ms]) => ms === expiresAtMs);
  const sum = (until[at]?.[1] ?? 0) + quantity;
  const others = until.filter((_, index) => index !== at);
  return sum > 0 ? [...others, [expiresAtMs, sum]] : others;
}
