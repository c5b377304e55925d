import type { Reason, Slot } from "../schema/slot.ts";

/** State of a requested delivery day. */
export interface Day {
  readonly inHorizon: boolean;
  /** Reason if the whole day is blocked for the zone. */
  readonly block: string | null;
  /** False if the zone delivers without slots. */
  readonly hasWindows: boolean;
  /** Slots of the zone on that day. */
  readonly slots: readonly Slot[];
}

/**
 * Why a day is not available; null if it is. A day with slots is as good as its best one, so the reason is
 * that of the slot that came closest: full before cut off, cut off before closed, closed before blocked.
 */
export function judgeDay(day: Day): Reason | null {
  if (day.block !== null) {
    const why = day.block === "" ? "." : `: ${day.block}.`;
    return { code: "date_blocked", detail: `The day is blocked${why}` };
  }
  if (!day.inHorizon) return { code: "outside_horizon", detail: "The day cannot be booked." };
  if (!day.hasWindows || day.slots.some(({ status }) => status === "open")) return null;
  for (const code of CLOSEST_FIRST) {
    const closest = day.slots.find(({ reason }) => reason?.code === code);
    if (closest?.reason) return closest.reason;
  }
  return { code: "no_slots", detail: "There is no delivery slot on this day." };
}

const CLOSEST_FIRST = [
  "slot_full",
  "lead_time_too_short",
  "cutoff_passed",
  "slot_closed",
  "date_blocked",
] as const;
