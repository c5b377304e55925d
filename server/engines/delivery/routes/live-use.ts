import { conflict } from "../../../lib/errors.ts";
import { addDays, datesFrom } from "../../../lib/local-time.ts";
import { giveWay, inSlices } from "../../../lib/slices.ts";
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
  const inUse = (usage: SlotUsage): boolean => usesZone(usage, placeId, now);
  const isUsed =
    (await isInWindows(tx, plan.windowsOf(placeId), { today, inUse })) ||
    (await isFiled(tx, placeId, { today, inUse }));
  if (isUsed) {
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
  const capacity = DELIVERY_LIMITS.capacity;
  const inUse = (usage: SlotUsage): boolean => remainingOf(usage, capacity, now) < capacity;
  if (await isInWindows(tx, [window], { today, inUse })) {
    throw conflict(
      "has_bookings",
      "The slot window has holds or bookings for today or later. Release them first.",
    );
  }
}

interface Search {
  readonly today: string;
  readonly inUse: (usage: SlotUsage) => boolean;
}

/** The first day that is not over yet in every time zone. */
const firstDay = (today: string): string => addDays(today, -1);

/** Whether windows are in use on any day that could have been booked under any horizon. */
async function isInWindows(
  tx: Tx,
  windows: readonly SlotWindow[],
  { today, inUse }: Search,
): Promise<boolean> {
  const dates = datesFrom(firstDay(today), addDays(today, DELIVERY_LIMITS.horizonDays));
  for (const window of windows) {
    await giveWay(tx.part);
    const usages = await readUsages(
      tx,
      dates.map((date) => usageIdOf(window.id, date)),
    );
    for await (const { value } of inSlices(usages.values(), tx.part)) if (inUse(value)) return true;
  }
  return false;
}

/** Whether one of the usages that the index contains for a zone is in use, today or later. */
async function isFiled(tx: Tx, zoneId: string, { today, inUse }: Search): Promise<boolean> {
  let cursor: string | undefined;
  do {
    const page = await tx.peekPage(slotUsages, { index: "zone", value: zoneId, limit: 100, cursor });
    for await (const { value } of inSlices(page.items, tx.part)) {
      // Latest day first: all following entries are in the past.
      if (value.date < firstDay(today)) return false;
      if (inUse(value)) return true;
    }
    cursor = page.next ?? undefined;
  } while (cursor !== undefined);
  return false;
}
