import { localDateAt, toEpochMs } from "../../../lib/local-time.ts";
import type { Contract } from "../schema.ts";
import { dayOf } from "./calendar.ts";
import { billingDate, billingInstant, cyclePeriod, keptOverrides } from "./cycle-dates.ts";

/** More than a year of days: the longest pause is shorter. */
const CYCLES_SKIPPED_MAX = 400;

/** A paused contract as it goes on at `now`: by the calendar as it was, or recounted from that day. */
export function afterPause(contract: Contract, now: number): Contract {
  const { pause, billing, next_cycle: first } = contract;
  if (pause === null) return contract;
  const today = localDateAt(now, contract.timezone);
  const resumed = { ...contract, status: pause.was, pause: null };
  const isToCome = (index: number): boolean =>
    cyclePeriod(contract, index).start > today ||
    billingInstant(contract, billingDate(contract, index)) > now;
  // Where the next cycle is still to come, nothing has passed.
  if (isToCome(first)) return resumed;
  if (pause.mode === "shift") {
    // Days that were paid for before the pause are not taken away.
    const end = contract.current_period?.end ?? today;
    const start = end > today ? end : today;
    const day = billing.anchor_day === null ? null : dayOf(start);
    const shifted = {
      ...billing,
      anchor_date: start,
      anchor_day: day,
      anchor_index: first,
      stub_start: null,
    };
    const after = { ...resumed, billing: shifted };
    return { ...after, overrides: keptOverrides(contract, after) };
  }
  // Cycles whose time passed meanwhile are left out permanently: they keep their indices.
  let next = first;
  const end = next + CYCLES_SKIPPED_MAX;
  while (next < end && !isToCome(next)) next += 1;
  return { ...resumed, next_cycle: next };
}

/** A contract as it will be when its pause ends: on its day, or now where it has none. */
export function asResumed(contract: Contract, now: number): Contract {
  const { pause, timezone } = contract;
  const day = pause?.resume_on ?? null;
  return afterPause(contract, day === null ? now : Math.max(now, toEpochMs(day, "00:00", timezone)));
}
