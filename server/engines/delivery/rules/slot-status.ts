import type { Reason, Slot } from "../schema/slot.ts";
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

/** What is ordered for a slot. */
export interface SlotOrder {
  readonly quantity?: number;
  /** Longest lead time of the items, in elapsed minutes. */
  readonly itemMinutes?: number;
}

/**
 * The status of a slot at an instant. Open if nothing blocks the date, the slot has not started, the date is within the
 * horizon, `now < cut-off`, `now + lead <= start` (elapsed minutes; the longer of the slot's lead and the items') and
 * the capacity for `quantity` is available; the first failed condition, in this order, is the reason. Each has its code.
 */
export function judgeSlot(
  facts: SlotFacts,
  now: number,
  { quantity = 1, itemMinutes = 0 }: SlotOrder = {},
): Judgement {
  const { block, remaining } = facts;
  const code = closedBy(facts, now, itemMinutes);
  if (code === "date_blocked") {
    const detail = block === "" ? "The day is blocked." : `The day is blocked: ${block}.`;
    return refuse("blocked", code, detail);
  }
  if (code !== null) {
    const leadMinutes = Math.max(facts.leadMinutes, itemMinutes);
    return refuse("closed", code, DETAILS[code].replace("{lead}", String(leadMinutes)));
  }
  if (remaining < quantity) {
    return refuse("full", "slot_full", remaining === 0 ? "No capacity is left." : `Only ${remaining} left.`);
  }
  return { status: "open", reason: null };
}

/** Why a slot is not open whatever its capacity; null if only that decides. */
export function closedBy(
  { times, block, inHorizon, leadMinutes }: Omit<SlotFacts, "remaining">,
  now: number,
  itemMinutes = 0,
): keyof typeof DETAILS | "date_blocked" | null {
  if (block !== null) return "date_blocked";
  if (times.startsAt <= now) return "slot_closed";
  if (!inHorizon) return "outside_horizon";
  if (times.cutOffAt !== null && now >= times.cutOffAt) return "cutoff_passed";
  if (now + Math.max(leadMinutes, itemMinutes) * 60_000 > times.startsAt) return "lead_time_too_short";
  return null;
}

/** The instant from which a slot that `closedBy` does not close is closed. */
export function closesAt({
  times: { startsAt, cutOffAt },
  leadMinutes,
}: Pick<SlotFacts, "times" | "leadMinutes">): number {
  return Math.min(startsAt, startsAt - leadMinutes * 60_000 + 1, cutOffAt ?? startsAt);
}

const DETAILS = {
  slot_closed: "The slot has started.",
  outside_horizon: "The day cannot be booked yet.",
  cutoff_passed: "The time to order for this slot has passed.",
  lead_time_too_short: "Orders must be placed at least {lead} minutes before the slot starts.",
} as const;

const refuse = (status: Slot["status"], code: Reason["code"], detail: string): Judgement => ({
  status,
  reason: { code, detail },
});
