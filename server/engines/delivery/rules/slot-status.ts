import type { Reason, Slot } from "../schema.ts";
import type { SlotTimes } from "./slot-times.ts";

export interface SlotFacts {
  readonly times: SlotTimes;
  /** Reason of a block, null if the date is not blocked. */
  readonly block: string | null;
  /** True if the date can be booked. */
  readonly inHorizon: boolean;
  readonly leadMinutes: number;
  readonly remaining: number;
}

export type Judgement = Pick<Slot, "status" | "reason">;

/**
 * The status of a slot at an instant. Open if nothing blocks the date, `now < cut-off`, `now + lead <= start`
 * (elapsed minutes), the date is within the horizon and the capacity for `quantity` is available; the first failed
 * condition, in this order, is the reason.
 */
export function judgeSlot(facts: SlotFacts, now: number, quantity = 1): Judgement {
  const { times, block, inHorizon, leadMinutes, remaining } = facts;
  if (block !== null) {
    return shut(
      "blocked",
      "date_blocked",
      block === "" ? "No deliveries on this day." : `No deliveries: ${block}.`,
    );
  }
  if (times.startsAt <= now) return shut("closed", "slot_closed", "The slot has started.");
  if (!inHorizon) return shut("closed", "slot_closed", "The day cannot be booked yet.");
  if (times.cutOffAt !== null && now >= times.cutOffAt) {
    return shut("closed", "cutoff_passed", "The time to order for this slot has passed.");
  }
  if (now + leadMinutes * 60_000 > times.startsAt) {
    return shut(
      "closed",
      "slot_closed",
      `Orders must be placed at least ${leadMinutes} minutes before the slot starts.`,
    );
  }
  if (remaining < quantity) {
    return shut("full", "slot_full", remaining === 0 ? "No capacity is left." : `Only ${remaining} left.`);
  }
  return { status: "open", reason: null };
}

const shut = (status: Slot["status"], code: Reason["code"], detail: string): Judgement => ({
  status,
  reason: { code, detail },
});
