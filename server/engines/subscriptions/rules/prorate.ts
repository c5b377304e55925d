import { daysBetween, toEpochMs } from "../../../lib/local-time.ts";
import { mulRatio } from "../../../lib/money.ts";
import type { Period } from "../schema/parts.ts";

export type ProrationMode = "day" | "second" | "none";

export interface Proration {
  /** For what was paid and is not used any more; not negative. */
  readonly credit: number;
  /** For the new price over the same time. */
  readonly debit: number;
  /** debit - credit. */
  readonly net: number;
  readonly unused: number;
  readonly whole: number;
  readonly unit: "days" | "seconds";
}

export interface ProrationQuestion {
  readonly mode: ProrationMode;
  readonly oldAmount: number;
  readonly newAmount: number;
  readonly period: Period;
  /** Instant of the change, epoch milliseconds. */
  readonly at: number;
  /** Local date of the change: that day belongs to the new price. */
  readonly date: string;
  readonly timezone: string;
  readonly billingTime: string;
  /** What was collected for the period, or will be: no more than that is given back. Unlimited unless told. */
  readonly held?: number;
  /** Day on which the unused time ends, where that is not the end of the period. */
  readonly until?: string;
}

/**
 * What a change in the middle of a paid period costs. `day` counts days of the period's real boundaries, `second` the
 * time between their instants (Stripe's way), `none` charges nothing until the next cycle.
 */
export function prorate(question: ProrationQuestion): Proration {
  const { oldAmount, newAmount, mode } = question;
  const { unused, whole } = mode === "second" ? inSeconds(question) : inDays(question);
  const unit = mode === "second" ? ("seconds" as const) : ("days" as const);
  if (mode === "none" || whole <= 0) return { credit: 0, debit: 0, net: 0, unused: 0, whole, unit };
  const credit = Math.min(mulRatio(oldAmount, unused, whole), question.held ?? Infinity);
  const debit = mulRatio(newAmount, unused, whole);
  return { credit, debit, net: debit - credit, unused, whole, unit };
}

function inDays({ period, date, until = period.end }: ProrationQuestion): { unused: number; whole: number } {
  const whole = daysBetween(period.start, period.end);
  return { whole, unused: clamp(daysBetween(date, until), whole) };
}

function inSeconds({ period, at, timezone, billingTime }: ProrationQuestion): {
  unused: number;
  whole: number;
} {
  const start = toEpochMs(period.start, billingTime, timezone);
  const end = toEpochMs(period.end, billingTime, timezone);
  const whole = Math.round((end - start) / 1000);
  return { whole, unused: clamp(Math.round((end - at) / 1000), whole) };
}

const clamp = (value: number, most: number): number => Math.min(most, Math.max(0, value));
