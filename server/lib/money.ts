import { fail } from "./errors.ts";

/**
 * Money is an integer of minor units (pence, cents) with its ISO 4217 code; rates are integers of basis points.
 * All that comes between is exact (BigInt), and a half is rounded away from zero, never by binary floating point.
 * A result beyond 2^53 - 1 is refused with 422 `amount_out_of_range`.
 */

/** One whole, in basis points. */
export const BPS = 10_000;

/** `amount * bps / 10000`, half away from zero: 25% of 1999 is 500. */
export const mulBps = (amount: number, bps: number): number => mulRatio(amount, bps, BPS);

/** `amount * numerator / denominator`, half away from zero. The denominator is positive. */
export function mulRatio(amount: number, numerator: number, denominator: number): number {
  if (denominator <= 0) throw new RangeError("The denominator of a ratio must be positive.");
  return toMinor(divideHalfUp(BigInt(amount) * BigInt(numerator), BigInt(denominator)));
}

/** Exact sum. */
export const sum = (amounts: readonly number[]): number =>
  toMinor(amounts.reduce((total, amount) => total + BigInt(amount), 0n));

/** `price * quantity`, exact. */
export const times = (price: number, quantity: number): number => toMinor(BigInt(price) * BigInt(quantity));

/**
 * Splits a total by weights so that the shares add up to it exactly: the whole parts first, then one unit each by
 * largest remainder; a tie goes to the larger weight, then to the earlier place. A negative total is split like its
 * opposite. Weights that are all zero count as equal. No share exceeds its weight while the total does not exceed
 * their sum, and equal weights differ by one unit at most. Throws a RangeError when there is something to split
 * but no line to take it, and on a negative weight.
 */
export function allocate(total: number, weights: readonly number[]): number[] {
  if (weights.length === 0 && total !== 0)
    throw new RangeError("At least one weight is required to allocate an amount.");
  if (weights.some((weight) => weight < 0)) throw new RangeError("A weight must not be negative.");
  const isEven = weights.every((weight) => weight === 0);
  const parts = weights.map((weight) => (isEven ? 1n : BigInt(weight)));
  const whole = parts.reduce((all, part) => all + part, 0n);
  const size = BigInt(Math.abs(total));
  const split = parts.map((part, at) => ({
    at,
    part,
    share: (size * part) / whole,
    rest: (size * part) % whole,
  }));
  const left = Number(size - split.reduce((all, { share }) => all + share, 0n));
  const byRest = [...split].sort((a, b) => compare(b.rest, a.rest) || compare(b.part, a.part) || a.at - b.at);
  const lucky = new Set(byRest.slice(0, left).map(({ at }) => at));
  return split.map(({ at, share }) => signed(toMinor(share) + (lucky.has(at) ? 1 : 0), total));
}

/**
 * Splits a total into instalments by basis points that add up to 10000. Each is the difference of two rounded running
 * totals, so the first is the rounded percentage itself (30% of 12345 is 3704, where `allocate` would give 3703), and
 * together they are the total. Throws a RangeError when the shares are not one whole.
 */
export function instalments(total: number, bps: readonly number[]): number[] {
  if (bps.some((share) => share < 0) || sum(bps) !== BPS) {
    throw new RangeError(`The shares of instalments must add up to ${BPS} basis points.`);
  }
  let running = 0;
  let paid = 0;
  return bps.map((share) => {
    running += share;
    const until = mulBps(total, running);
    const part = until - paid;
    paid = until;
    return part;
  });
}

/** Part of a bill that is taxed at one rate. */
export interface Taxable {
  /** After discounts; not negative. */
  readonly amount: number;
  readonly tax_rate_bps: number;
}

/** One line of a tax summary. `taxable` is without the tax, whether or not the prices include it. */
export interface TaxGroup {
  readonly tax_rate_bps: number;
  readonly taxable: number;
  readonly tax: number;
}

export interface Taxes {
  /** Tax of each part, in the order given; each rate's parts add up to the rate's tax. */
  readonly parts: readonly number[];
  /** By rate, ascending. */
  readonly groups: readonly TaxGroup[];
  readonly total: number;
}

/**
 * Tax by rate: worked out once on the sum of all parts of a rate, then allocated to them by amount, since rounding each
 * line by itself can differ by a penny on a mixed basket. `included` says that the amounts already contain the tax.
 */
export function taxesOf(items: readonly Taxable[], included: boolean): Taxes {
  const rates = [...new Set(items.map(({ tax_rate_bps: rate }) => rate))].sort((a, b) => a - b);
  const parts = items.map(() => 0);
  const groups = rates.map((rate): TaxGroup => {
    const places = items.flatMap((item, at) => (item.tax_rate_bps === rate ? [at] : []));
    const amounts = places.map((at) => items[at]?.amount ?? 0);
    const amount = sum(amounts);
    const tax = included ? mulRatio(amount, rate, BPS + rate) : mulBps(amount, rate);
    for (const [index, share] of allocate(tax, amounts).entries()) parts[places[index] ?? 0] = share;
    return { tax_rate_bps: rate, taxable: included ? amount - tax : amount, tax };
  });
  return { parts, groups, total: sum(groups.map(({ tax }) => tax)) };
}

/** Rounds to a multiple of `step` minor units, half away from zero, as cash without small coins needs it. */
export const roundTo = (amount: number, step: number): number =>
  step === 1 ? amount : times(mulRatio(amount, 1, step), step);

function divideHalfUp(value: bigint, by: bigint): bigint {
  const size = value < 0n ? -value : value;
  const rounded = (size * 2n + by) / (by * 2n);
  return value < 0n ? -rounded : rounded;
}

function toMinor(value: bigint): number {
  const amount = Number(value);
  if (Number.isSafeInteger(amount)) return amount;
  throw fail("unprocessable_content", "The amount would exceed 9007199254740991 minor units.", {
    code: "amount_out_of_range",
  });
}

const compare = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0);

/** The size with the sign of another amount; never -0. */
const signed = (size: number, like: number): number => (like < 0 && size !== 0 ? -size : size);
