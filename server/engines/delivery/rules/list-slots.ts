import { toInstant } from "../../../lib/instant.ts";
import { datesFrom } from "../../../lib/local-time.ts";
import type { Slot, SlotUsage, SlotWindow, Zone } from "../schema.ts";
import { findBlock } from "./blocked-dates.ts";
import type { Horizon, Plan } from "./compile-plan.ts";
import { remainingOf } from "./hold-usage.ts";
import { quoteFee } from "./quote-fee.ts";
import { judgeSlot } from "./slot-status.ts";
import type { SlotFacts } from "./slot-status.ts";
import { runsOn } from "./slot-times.ts";

/** A slot before its usage is considered. */
export interface Candidate {
  readonly slotId: string;
  /** Id of its usage document. */
  readonly usageId: string;
  readonly window: SlotWindow;
  /** The zone it is offered to; null if a hold has none and the window serves several. */
  readonly zone: Zone | null;
  readonly date: string;
  readonly facts: Omit<SlotFacts, "remaining">;
}

export const slotIdOf = (windowId: string, date: string): string => `${windowId}@${date}`;
/** Date first, so that the usage of consecutive days is adjacent. */
export const usageIdOf = (windowId: string, date: string): string => `${date}@${windowId}`;
export const splitSlotId = (slotId: string): { windowId: string; date: string } => ({
  windowId: slotId.slice(0, -11),
  date: slotId.slice(-10),
});

/** Filters of the slots of a zone: from one date to another, inclusive, in one sales channel or all. */
export interface SlotSpan {
  readonly from: string;
  readonly to: string;
  readonly channel?: string | undefined;
}

/** The slots of a zone, ordered by start. Each day is computed when it is reached. */
export function* candidatesOf(
  plan: Plan,
  zone: Zone,
  { from, to, channel }: SlotSpan,
  horizon: Horizon,
): Generator<Candidate> {
  for (const date of datesFrom(from, to)) {
    for (const candidate of candidatesOn(plan, { zone, date }, horizon)) {
      const { channels } = candidate.window;
      if (channel === undefined || channels.length === 0 || channels.includes(channel)) yield candidate;
    }
  }
}

interface ZoneDay {
  readonly zone: Zone;
  readonly date: string;
}

/** Cached slots per requested zone and day, valid while the plan and the day are the same. */
const kept = new WeakMap<Horizon, Map<string, readonly Candidate[]>>();
const KEPT_DAYS_MAX = 1_200;

function candidatesOn(plan: Plan, day: ZoneDay, horizon: Horizon): readonly Candidate[] {
  if (day.date < horizon.today || day.date > horizon.last) return makeCandidates(plan, day, horizon);
  const days = kept.get(horizon) ?? new Map<string, readonly Candidate[]>();
  kept.set(horizon, days);
  const id = `${day.date} ${day.zone.id}`;
  const cached = days.get(id);
  if (cached !== undefined) return cached;
  if (days.size >= KEPT_DAYS_MAX) days.clear();
  const made = makeCandidates(plan, day, horizon);
  days.set(id, made);
  return made;
}

const makeCandidates = (plan: Plan, { zone, date }: ZoneDay, horizon: Horizon): Candidate[] =>
  plan.windowsOf(zone.id).flatMap((window) => candidateOf(plan, { window, zone, date }, horizon) ?? []);

/** One slot; null if the window has none on this date. */
export function candidateOf(
  plan: Plan,
  { window, zone, date }: { window: SlotWindow; zone: Zone | null; date: string },
  horizon: Horizon,
): Candidate | null {
  if (!runsOn(window, date)) return null;
  const times = plan.timesOf(window, date);
  if (times === null) return null;
  const leadMinutes = window.lead_minutes ?? zone?.lead_minutes ?? plan.settings.default_lead_minutes;
  const inHorizon = horizon.today <= date && date <= horizon.last;
  const block = blockOf(window, zone, date, horizon);
  return {
    slotId: slotIdOf(window.id, date),
    usageId: usageIdOf(window.id, date),
    window,
    zone,
    date,
    facts: { times, block, inHorizon, leadMinutes },
  };
}

/** Without a zone, the slot is blocked only if it is blocked for every zone of the window. */
function blockOf(window: SlotWindow, zone: Zone | null, date: string, { blocks }: Horizon): string | null {
  const query = { date, windowId: window.id, time: { start: window.start, end: window.end } };
  if (zone !== null) return findBlock(blocks, { ...query, zoneId: zone.id });
  const reasons = window.zone_ids.map((zoneId) => findBlock(blocks, { ...query, zoneId }));
  return reasons.includes(null) ? null : (reasons[0] ?? findBlock(blocks, { ...query, zoneId: null }));
}

/** True if only capacity could keep the slot from being open. */
export const mayBeOpen = (candidate: Candidate, now: number): boolean =>
  judgeSlot({ ...candidate.facts, remaining: candidate.window.capacity }, now).status === "open";

/** The slot as returned, with its usage. Without a basket total it has no fee. */
export function toSlot(
  candidate: Candidate & { readonly zone: Zone },
  usage: SlotUsage | null,
  now: number,
  basketTotal: number | null,
): Slot {
  const { window, zone, date, facts } = candidate;
  const remaining = remainingOf(usage, window.capacity, now);
  const { startsAt, endsAt, cutOffAt } = facts.times;
  return {
    id: candidate.slotId,
    slot_window_id: window.id,
    zone_id: zone.id,
    starts_at: toInstant(startsAt),
    ends_at: toInstant(endsAt),
    local: { date, start: window.start, end: window.end },
    capacity: window.capacity,
    remaining,
    cut_off_at: cutOffAt === null ? null : toInstant(cutOffAt),
    fee: basketTotal === null ? null : quoteFee(zone, basketTotal, window.fee_delta).fee,
    fee_delta: window.fee_delta,
    ...judgeSlot({ ...facts, remaining }, now),
  };
}
