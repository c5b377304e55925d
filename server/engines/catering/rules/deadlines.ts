import type { Cutoff, FeeBand, IncreaseBand, PolicyTerms } from "../schema/policy.ts";
import { toEpochMs } from "../../../lib/local-time.ts";
import { businessDaysBefore } from "./calendar.ts";
import type { EventInfo } from "../schema/parts.ts";

export type EventDay = Pick<EventInfo, "date" | "start" | "timezone">;

export interface DeadlineInput {
  readonly event: EventDay;
  readonly holidays: ReadonlySet<string>;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** Business days back from the event's date, at a local time; never after the event begins. Epoch milliseconds. */
export function deadlineAt(cutoff: Cutoff, event: EventDay, holidays: ReadonlySet<string>): number {
  const date = businessDaysBefore(event.date, cutoff.business_days_before, holidays);
  return Math.min(
    toEpochMs(date, cutoff.at, event.timezone),
    toEpochMs(event.date, event.start, event.timezone),
  );
}

/** A band and when it ends; null once every cutoff has passed. */
export interface BandFound<B> {
  readonly band: B | null;
  readonly until: number | null;
}

/** The first band, from the earliest cutoff on, whose cutoff is still ahead: on time is strictly before it. */
export function bandAt<B extends { readonly cutoff: Cutoff }>(
  bands: readonly B[],
  { event, holidays, now }: DeadlineInput,
): BandFound<B> {
  const dated = bands
    .map((band) => ({ band, until: deadlineAt(band.cutoff, event, holidays) }))
    .sort((a, b) => a.until - b.until);
  return dated.find(({ until }) => now < until) ?? { band: null, until: null };
}

/** Bands that hold for an order of this size. */
export const bandsFor = (bands: readonly FeeBand[], heads: number): FeeBand[] =>
  bands.filter(({ min_heads: min, max_heads: max }) => heads >= min && (max === null || heads <= max));

export interface FeeShare {
  readonly bps: number;
  /** Until when it holds, epoch milliseconds; null when it holds to the end. */
  readonly until: number | null;
}

/** Share of the price that cancelling now costs, by the headcount the order began with. */
export const cancelShare = (policy: PolicyTerms, heads: number, input: DeadlineInput): FeeShare =>
  shareOf(bandsFor(policy.cancel_bands, heads), policy.late_cancel_bps, input);

/** Share of the difference that taking heads off now costs. */
export const reduceShare = (policy: PolicyTerms, heads: number, input: DeadlineInput): FeeShare =>
  shareOf(bandsFor(policy.reduce_bands, heads), policy.late_reduce_bps, input);

function shareOf(bands: readonly FeeBand[], late: number, input: DeadlineInput): FeeShare {
  // Without any band there is nothing to be late for.
  if (bands.length === 0) return { bps: 0, until: null };
  const { band, until } = bandAt(bands, input);
  return { bps: band?.fee_bps ?? late, until };
}

/** What an extra head costs after the guarantee deadline, in basis points of its price. */
export function increaseMultiplier(policy: PolicyTerms, input: DeadlineInput): FeeShare {
  const { band, until }: BandFound<IncreaseBand> = bandAt(policy.increase_bands, input);
  return { bps: band?.multiplier_bps ?? policy.late_increase_bps, until };
}
