import { conflict } from "../../../lib/errors.ts";
import { addDays, datesFrom } from "../../../lib/local-time.ts";
import type { Tx } from "../../../core/tx.ts";
import { readUsages, slotUsages } from "../repository.ts";
import type { Plan } from "../rules/compile-plan.ts";
import { remainingOf, usesZone } from "../rules/hold-usage.ts";
import { usageIdOf } from "../rules/list-slots.ts";
import type { SlotUsage, SlotWindow } from "../schema/slot.ts";
import { DELIVERY_LIMITS } from "../schema/limits.ts";

/**
 * Throws 409 `has_bookings` if a zone or location has holds or bookings for today or later.
 *
 * New ones can only appear in slots of windows that serve it: these are read one by one, so that the commit
 * conflicts if one is added concurrently. The index contains the remaining ones in windows that no longer serve it.
 */
export async function refuseWhilePlaceIsUsed(
  tx: Tx,
  plan: Plan,
  placeId: string,
  now: number,
): Promise<void> {
  const { today } = plan.horizonAt(now);
  const inUse = (usage: SlotUsage): boolean =>
    usage.date >= addDays(today, -1) && usesZone(usage, placeId, now);
  const current = await readAll(tx, plan.windowsOf(placeId), today);
  if (current.some(inUse) || (await findFiled(tx, placeId, today)).some(inUse)) {
    throw conflict("has_bookings", "It has holds or bookings for today or later. Release them first.");
  }
}

/** Throws 409 `has_bookings` if a window has holds or bookings for today or later. */
export async function refuseWhileWindowIsUsed(
  tx: Tx,
  plan: Plan,
  window: SlotWindow,
  now: number,
): Promise<void> {
  const { today } = plan.horizonAt(now);
  const usages = await readAll(tx, [window], today);
  const capacity = DELIVERY_LIMITS.capacity;
  if (usages.some((usage) => remainingOf(usage, capacity, now) < capacity)) {
    throw conflict(
      "has_bookings",
      "The slot window has holds or bookings for today or later. Release them first.",
    );
  }
}

/** The usage of a window for every day that could have been booked under any horizon. */
async function readAll(tx: Tx, windows: readonly SlotWindow[], today: string): Promise<SlotUsage[]> {
  const dates = datesFrom(addDays(today, -1), addDays(today, DELIVERY_LIMITS.horizonDays));
  const ids = windows.flatMap((window) => dates.map((date) => usageIdOf(window.id, date)));
  return [...(await readUsages(tx, ids)).values()].map(({ value }) => value);
}

async function findFiled(tx: Tx, zoneId: string, today: string): Promise<SlotUsage[]> {
  const usages: SlotUsage[] = [];
  let cursor: string | undefined;
  do {
    const page = await tx.peekPage(slotUsages, { index: "zone", value: zoneId, limit: 100, cursor });
    usages.push(...page.items.map(({ value }) => value).filter(({ date }) => date >= addDays(today, -1)));
    // Latest day first: once a page ends in the past, all following entries are in the past.
    const isPast = (page.items.at(-1)?.value.date ?? "") < addDays(today, -1);
    cursor = isPast ? undefined : (page.next ?? undefined);
  } while (cursor !== undefined);
  return usages;
}
