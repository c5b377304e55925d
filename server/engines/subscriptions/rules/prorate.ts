import { daysBetween, toEpochMs } from "../../../lib/local-time.ts";
import type { Period } from "../schema/parts.ts";
import type { Proration } from "../schema/requests.ts";

export type ProrationMode = "day" | "second" | "none";

/** A part of a period as a fraction. */
export interface Share {
  readonly unused: number;
  readonly whole: number;
}

export interface ShareQuestion {
  readonly mode: ProrationMode;
  readonly period: Period;
  /** Instant of the change, epoch milliseconds. */
  readonly at: number;
  /** Local date of the change: that day belongs to the new price. */
  readonly date: string;
  readonly timezone: string;
  readonly billingTime: string;
}

/** A paid period, or the rest of one, before and after a change. */
export interface ProratedPart {
  readonly oldAmount: number;
  readonly newAmount: number;
  readonly share: Share;
}

export interface ProrationTerms {
  readonly mode: ProrationMode;
  /** What was collected for these periods, or will be: the credit never exceeds it. Default: unlimited. */
  readonly held?: number;
  /** Millionths of a minor unit that earlier prorations rounded away, positive in the customer's favour. Default: 0. */
  readonly rounding?: number;
}

export interface ProrationResult {
  readonly proration: Proration;
  /** The net amount of each part; their sum is the net amount of all. */
  readonly nets: readonly number[];
  /** `rounding` after this proration. */
  readonly rounding: number;
  /** The credit that `held` did not allow. */
  readonly refused: number;
}

/** Amounts are compared in billionths of a millionth of a minor unit, so that only results are rounded. */
const SCALE = 10n ** 15n;
const PER_MILLIONTH = 10n ** 9n;

/** The part of a period that remains: by days of its real boundaries, or by seconds between their instants (Stripe's way). */
export const shareLeft = (question: ShareQuestion): Share =>
  question.mode === "second" ? inSeconds(question) : inDays(question);

/** What a share of an amount is worth, scaled by `SCALE`. */
export const worth = (amount: number, { unused, whole }: Share): bigint =>
  whole <= 0 ? 0n : (BigInt(amount) * BigInt(unused) * SCALE) / BigInt(whole);

/** The smaller of two shares. */
export const leastShare = (one: Share, other: Share | null): Share =>
  other === null || BigInt(one.unused) * BigInt(other.whole) <= BigInt(other.unused) * BigInt(one.whole)
    ? one
    : other;

export const fromMillionths = (value: number): bigint => BigInt(value) * PER_MILLIONTH;

/** A scaled amount in minor units, half away from zero. */
export function toMinorUnits(value: bigint): number {
  const size = value < 0n ? -value : value;
  const rounded = Number((size * 2n + SCALE) / (SCALE * 2n));
  return value < 0n ? 0 - rounded : rounded;
}

/**
 * What a change in the middle of paid periods costs: a credit for the old price over the time that remains, a debit for the new one.
 * Rounding does not add up: what one proration rounds away, the credit of the next one includes. Mode `none` costs nothing.
 */
export function prorate(
  parts: readonly ProratedPart[],
  { mode, held = Infinity, rounding = 0 }: ProrationTerms,
): ProrationResult {
  const unit = mode === "second" ? ("seconds" as const) : ("days" as const);
  const whole = parts.reduce((all, { share }) => all + share.whole, 0);
  if (mode === "none") {
    const proration = { credit: 0, debit: 0, net: 0, unused: 0, whole, unit };
    return { proration, nets: parts.map(() => 0), rounding, refused: 0 };
  }
  const before = parts.map(({ oldAmount, share }) => worth(oldAmount, share));
  const after = parts.map(({ newAmount, share }) => worth(newAmount, share));
  const due = total(before) + fromMillionths(rounding);
  const claim = Math.max(0, toMinorUnits(due));
  const credit = Math.min(claim, held);
  // What only rounding adds beyond `held` is not refused: it stays in `rounding`.
  const refused = claim > held ? Math.max(0, toMinorUnits(total(before)) - held) : 0;
  const debit = toMinorUnits(total(after));
  const net = debit - credit;
  const left = due - BigInt(credit + refused) * SCALE - (total(after) - BigInt(debit) * SCALE);
  const unused = parts.reduce((all, { share }) => all + share.unused, 0);
  return {
    proration: { credit, debit, net, unused, whole, unit },
    nets: netsOf(before, after, net),
    rounding: Number(left / PER_MILLIONTH),
    refused,
  };
}

/** Rounds each part; the first one takes what rounding leaves. */
function netsOf(before: readonly bigint[], after: readonly bigint[], net: number): number[] {
  const rest = before.slice(1).map((old, index) => toMinorUnits((after[index + 1] ?? 0n) - old));
  return before.length === 0 ? [] : [net - rest.reduce((all, one) => all + one, 0), ...rest];
}

const total = (values: readonly bigint[]): bigint => values.reduce((all, one) => all + one, 0n);

function inDays({ period, date }: ShareQuestion): Share {
  const whole = daysBetween(period.start, period.end);
  return { whole, unused: clamp(daysBetween(date, period.end), whole) };
}

function inSeconds({ period, at, timezone, billingTime }: ShareQuestion): Share {
  const start = toEpochMs(period.start, billingTime, timezone);
  const end = toEpochMs(period.end, billingTime, timezone);
  const whole = Math.round((end - start) / 1000);
  return { whole, unused: clamp(Math.round((end - at) / 1000), whole) };
}

const clamp = (value: number, most: number): number => Math.min(most, Math.max(0, value));
