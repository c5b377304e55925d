import type { SlotUsage } from "../schema/slot.ts";

/** The fields of a hold that count for its slot. */
export interface UsageHold {
  readonly id: string;
  readonly zone_id: string | null;
  readonly quantity: number;
  readonly expires_at_ms: number;
}

/** The usage of an unused slot. */
export const emptyUsage = (id: string, date: string): SlotUsage => ({ id, date, holds: [], confirmed: [] });

/** A hold blocks capacity until `now >= expires_at`: at that instant it has expired. */
export const isLive = (hold: { readonly expires_at_ms: number }, now: number): boolean =>
  now < hold.expires_at_ms;

/** The quantities of a slot that are booked and in active holds. */
export function countUsage(
  usage: SlotUsage | null,
  now: number,
): { readonly booked: number; readonly held: number } {
  return {
    booked: (usage?.confirmed ?? []).reduce((sum, { quantity }) => sum + quantity, 0),
    held: (usage?.holds ?? []).reduce((sum, hold) => sum + (isLive(hold, now) ? hold.quantity : 0), 0),
  };
}

/** Remaining capacity: capacity - booked - held, never below 0 (capacity may have been reduced). */
export function remainingOf(usage: SlotUsage | null, capacity: number, now: number): number {
  const { booked, held } = countUsage(usage, now);
  return Math.max(0, capacity - booked - held);
}

/** The usage with one more hold. The caller has checked that it fits; expired holds are removed. */
export const withHold = (usage: SlotUsage, hold: UsageHold, now: number): SlotUsage => ({
  ...usage,
  holds: [...usage.holds.filter((other) => other.id !== hold.id && isLive(other, now)), { ...hold }],
});

/** The usage after a hold was confirmed; bookings are counted per zone. */
export function withConfirmed(usage: SlotUsage, hold: UsageHold, now: number): SlotUsage {
  const before = usage.confirmed.find(({ zone_id }) => zone_id === hold.zone_id)?.quantity ?? 0;
  return {
    ...withoutHold(usage, hold.id, now),
    confirmed: [
      ...usage.confirmed.filter(({ zone_id }) => zone_id !== hold.zone_id),
      { zone_id: hold.zone_id, quantity: before + hold.quantity },
    ],
  };
}

/** The usage after a hold was released. */
export const withoutHold = (usage: SlotUsage, holdId: string, now: number): SlotUsage => ({
  ...usage,
  holds: usage.holds.filter((other) => other.id !== holdId && isLive(other, now)),
});

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
  usage.holds.some((hold) => (hold.zone_id === zoneId || hold.zone_id === null) && isLive(hold, now));
