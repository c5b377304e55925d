import { sha256Hex } from "../../../core/ids.ts";
import { addDays, daysBetween, isoWeekdayOf, toEpochMs } from "../../../lib/local-time.ts";
import type { Billing, Contract } from "../schema.ts";
import type { Anchor, FirstPeriod, Interval, Period } from "../schema/parts.ts";
import { dateInMonth, dayOf, stepFrom } from "./calendar.ts";
import type { z } from "zod";

export interface ScheduleTerms {
  readonly interval: Interval;
  readonly anchor: Anchor;
  /** Day on which the first cycle is to begin: the start, or the end of the trial. */
  readonly start: string;
  readonly first_period: z.output<typeof FirstPeriod>;
  readonly cutoff_days: number;
}

/** The billing schedule of a new contract, and the day of its first delivery. */
export function scheduleFrom(terms: ScheduleTerms): { billing: Billing; delivery_from: string } {
  const { interval, anchor, start, first_period: firstPeriod, cutoff_days: cutoff } = terms;
  const first = firstBoundary(anchor, start);
  const hasStub = first !== start && firstPeriod !== "wait";
  const isByMonth = interval.unit === "month" || interval.unit === "year";
  const billing: Billing = {
    interval_unit: interval.unit,
    interval_count: interval.count,
    anchor_date: first,
    anchor_day: isByMonth ? ("day" in anchor && anchor.type !== "weekday" ? anchor.day : dayOf(first)) : null,
    anchor_index: hasStub ? 1 : 0,
    stub_start: hasStub ? start : null,
    first_period: firstPeriod,
    cutoff_days: cutoff,
  };
  // A start shortly before the first date is too late to be packed for it: billing stays, delivery waits for the next.
  const isTooLate = first !== start && daysBetween(start, first) <= cutoff;
  return { billing, delivery_from: isTooLate ? boundary(billing, billing.anchor_index + 1) : first };
}

/** The first date on or after `start` that the anchor names; a day that a month lacks is its last day. */
export function firstBoundary(anchor: Anchor, start: string): string {
  if (anchor.type === "none") return start;
  if (anchor.type === "weekday") return addDays(start, (anchor.day - isoWeekdayOf(start) + 7) % 7);
  const [year, month] = [Number(start.slice(0, 4)), Number(start.slice(5, 7))];
  if (anchor.type === "yearday") {
    const date = dateInMonth(year, anchor.month, anchor.day);
    return date >= start ? date : dateInMonth(year + 1, anchor.month, anchor.day);
  }
  const date = dateInMonth(year, month, anchor.day);
  if (date >= start) return date;
  return month === 12 ? dateInMonth(year + 1, 1, anchor.day) : dateInMonth(year, month + 1, anchor.day);
}

/** Start of the cycle of this index, from the anchor on; before the anchor, where the calendar would have put it. */
export const boundary = (billing: Billing, index: number): string =>
  stepFrom(
    billing.anchor_date,
    intervalOf(billing),
    index - billing.anchor_index,
    billing.anchor_day ?? dayOf(billing.anchor_date),
  );

const intervalOf = (billing: Billing): Interval => ({
  unit: billing.interval_unit,
  count: billing.interval_count,
});

/** Days of a cycle, half-open: it ends where the next begins. */
export function periodOf(billing: Billing, index: number): Period {
  const isStub = index === 0 && billing.stub_start !== null && billing.anchor_index === 1;
  const start = isStub ? (billing.stub_start ?? "") : boundary(billing, index);
  return { start, end: boundary(billing, index + 1) };
}

/** What of a contract says when its cycles are. */
export type Calendared = Pick<Contract, "billing" | "overrides" | "pending_change">;

/** The schedule that a cycle follows: a change of interval that is agreed for a later cycle counts from there. */
export function billingAt(
  { billing, pending_change: change }: Omit<Calendared, "overrides">,
  index: number,
): Billing {
  if (change === null || change.interval === null || index < change.at_cycle) return billing;
  const start = periodOf(billing, change.at_cycle).start;
  return rebased({ billing, next_cycle: change.at_cycle }, change.interval, start);
}

/** What is planned for the next cycle: lines or an interval that are agreed later replace only their own kind. */
export const planned = (
  { next_cycle, pending_change: known }: Pick<Contract, "next_cycle" | "pending_change">,
  lines: Contract["lines"] | null,
  interval: Interval | null,
): Contract["pending_change"] => ({
  at_cycle: next_cycle,
  lines: lines ?? known?.lines ?? null,
  interval: interval ?? known?.interval ?? null,
});

/** What is still planned after lines or an interval were changed at once. */
export function stillPlanned(
  { pending_change: known }: Pick<Contract, "pending_change">,
  lines: Contract["lines"] | null,
  interval: Interval | null,
): Contract["pending_change"] {
  const left = known && {
    ...known,
    lines: lines === null ? known.lines : null,
    interval: interval === null ? known.interval : null,
  };
  return left?.lines || left?.interval ? left : null;
}

/** Days of a cycle of a contract. */
export const cyclePeriod = (contract: Omit<Calendared, "overrides">, index: number): Period =>
  periodOf(billingAt(contract, index), index);

/** Day on which a cycle is billed: its start, unless it was moved. */
export const billingDate = (contract: Calendared, index: number): string =>
  contract.overrides[String(index)]?.date ?? cyclePeriod(contract, index).start;

/**
 * What was agreed for single cycles, after the calendar of a contract changed: a day or a skip was meant for the date that the
 * cycle had, so it stays only where the cycle begins when it did. Lines are meant for the cycle itself.
 */
export function keptOverrides(before: Contract, after: Contract): Contract["overrides"] {
  const isStill = (index: number): boolean =>
    isDatable(after, index) && cyclePeriod(before, index).start === cyclePeriod(after, index).start;
  const fits = (index: number, date: string | null): boolean =>
    date !== null && date < cyclePeriod(after, index).end;
  const kept = Object.entries(before.overrides).map(([at, known]) => {
    const index = Number(at);
    if (index < before.next_cycle) return [at, known] as const;
    const { skip, date, lines } = known;
    const isSame = isStill(index);
    return [at, { skip: skip && isSame, date: isSame && fits(index, date) ? date : null, lines }] as const;
  });
  return Object.fromEntries(
    kept.filter(([, { skip, date, lines }]) => skip || date !== null || lines !== null),
  );
}

const PER_YEAR = { day: 365, week: 52, month: 12, year: 1 } as const;

/** False for a cycle that ends beyond the year 9999, the last that a date has on the wire: it will not be billed. */
export function isDatable(contract: Omit<Calendared, "overrides">, index: number): boolean {
  const billing = billingAt(contract, index);
  const steps = index + 1 - billing.anchor_index;
  const years = (steps * billing.interval_count) / PER_YEAR[billing.interval_unit];
  return Number(billing.anchor_date.slice(0, 4)) + years < 9999;
}

/** A new interval counts from the day on which it begins. */
export function rebased(
  contract: Pick<Contract, "billing" | "next_cycle">,
  { unit, count }: Interval,
  start: string,
): Contract["billing"] {
  const isByMonth = unit === "month" || unit === "year";
  return {
    ...contract.billing,
    interval_unit: unit,
    interval_count: count,
    anchor_date: start,
    anchor_day: isByMonth ? dayOf(start) : null,
    anchor_index: contract.next_cycle,
    stub_start: null,
  };
}

/** Day from which a new interval counts: today, or the first day of a contract that has not begun. */
export function countedFrom(
  {
    billing,
    current_period: current,
    next_cycle: next,
  }: Pick<Contract, "billing" | "current_period" | "next_cycle">,
  today: string,
): string {
  const { start } = periodOf(billing, next);
  return current === null && next === 0 && start > today ? start : today;
}

/** Whether a cycle begins when the contract has ended: it is not billed, on whichever day that was to be. */
export const isAfterEnd = (contract: Calendared & Pick<Contract, "cancellation">, index: number): boolean =>
  contract.cancellation !== null && cyclePeriod(contract, index).start >= contract.cancellation.effective_on;

const SPREAD_SECONDS = 3600;

/** Contracts of one billing time are spread over an hour by their ids, so that no gateway gets them all at once. */
export const spreadSeconds = (contractId: string): number =>
  Number.parseInt(sha256Hex(contractId).slice(0, 8), 16) % SPREAD_SECONDS;

/** Instant at which a date is billed. */
export const billingInstant = (
  contract: Pick<Contract, "id" | "billing_time" | "timezone">,
  date: string,
): number => toEpochMs(date, contract.billing_time, contract.timezone) + spreadSeconds(contract.id) * 1000;

/** Days of a cycle on which something is delivered: `interval` of them, evenly stepped from its start. */
export function deliveryDates(
  contract: Pick<Contract, "billing" | "pending_change" | "delivery" | "delivery_from">,
  index: number,
): string[] {
  const { delivery } = contract;
  if (delivery === null) return [];
  const billing = billingAt(contract, index);
  const { start, end } = periodOf(billing, index);
  const step = billing.interval_count / delivery.interval;
  // A changed interval can be too short for as many deliveries: a month has no parts.
  const count = billing.anchor_day === null ? step : Math.max(1, Math.floor(step));
  const unit = { unit: billing.interval_unit, count };
  const day = billing.anchor_day ?? dayOf(start);
  const dates = Array.from({ length: delivery.interval }, (_, at) => stepFrom(start, unit, at, day));
  // A part of a cycle may be too short for all of them; its first day counts only where the delivery may begin there.
  return dates.filter((date) => date >= contract.delivery_from && date < end);
}
