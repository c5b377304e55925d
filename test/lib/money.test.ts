import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { Problem } from "../../server/lib/errors.ts";
import { allocate, instalments, mulBps, mulRatio, roundTo, sum, taxesOf } from "../../server/lib/money.ts";

/** fast-check prints the seed of a failing run. */
const amount = fc.integer({ min: -1_000_000_000, max: 1_000_000_000 });
const total = fc.integer({ min: 0, max: 1_000_000_000 });
const weight = fc.oneof(fc.integer({ min: 0, max: 5 }), fc.integer({ min: 0, max: 1_000_000 }));
const weights = fc.array(weight, { minLength: 1, maxLength: 30 });
const add = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);

describe("mulBps", () => {
  it.each([
    ["A24 30% off 25999 leaves 18199", 25_999, 3000, 7800],
    ["A25 25% off 1999 leaves 1499", 1999, 2500, 500],
    ["A29 75% off 999 saves 749", 999, 7500, 749],
    ["a half goes up", 1, 5000, 1],
    ["a half below zero goes down", -1, 5000, -1],
    ["just under a half stays", 1, 4999, 0],
    ["where binary floating point gives 28: 29% of 100", 100, 2900, 29],
    ["20% of the largest amount", 9_007_199_254_740_991, 2000, 1_801_439_850_948_198],
  ])("%s", (_, value, bps, expected) => expect(mulBps(value, bps)).toBe(expected));

  it("is never -0", () => expect(Object.is(mulBps(-1, 1), 0)).toBe(true));

  it("is off by half a unit at most, and odd", () => {
    fc.assert(
      fc.property(amount, fc.integer({ min: 0, max: 20_000 }), (value, bps) => {
        const got = mulBps(value, bps);
        const error = BigInt(got) * 10_000n - BigInt(value) * BigInt(bps);
        expect(error >= -5000n && error <= 5000n).toBe(true);
        expect(mulBps(-value, bps) + got).toBe(0);
      }),
    );
  });

  it("422 amount_out_of_range instead of an inexact number", () => {
    const over = (): number => mulBps(9_007_199_254_740_991, 20_000);
    expect(over).toThrow(Problem);
    expect(over).toThrow("9007199254740991");
  });

  it("refuses a denominator that is not positive", () => expect(() => mulRatio(1, 1, 0)).toThrow(RangeError));
});

describe("allocate", () => {
  it.each([
    ["A22", 299, [4300, 1400, 2300], [161, 52, 86]],
    ["A23", 93, [10, 20, 10, 30, 50, 20, 10, 40], [5, 10, 5, 15, 24, 10, 5, 19]],
    ["A30 a meal deal of 500", 500, [350, 120, 180], [269, 92, 139]],
    ["a negative total like its opposite", -299, [4300, 1400, 2300], [-161, -52, -86]],
    ["all weights zero", 5, [0, 0, 0], [2, 2, 1]],
    ["nothing for a weight of zero", 100, [1, 0, 1], [50, 0, 50]],
    ["a tie of remainders to the larger weight", 1, [1, 3], [0, 1]],
    ["a tie of weights to the earlier place", 1, [1, 1], [1, 0]],
    ["nothing among nobody", 0, [], []],
  ])("%s", (_, value, by, shares) => expect(allocate(value, by)).toEqual(shares));

  it("refuses to lose money", () => {
    expect(() => allocate(1, [])).toThrow(RangeError);
    expect(() => allocate(1, [2, -1])).toThrow(RangeError);
  });

  it("adds up exactly, whatever the signs", () => {
    fc.assert(
      fc.property(amount, weights, (value, by) => {
        expect(add(allocate(value, by))).toBe(value);
      }),
      {
        numRuns: 2000,
      },
    );
  });

  it("gives no share above its weight while the total does not exceed their sum", () => {
    fc.assert(
      fc.property(weights, fc.double({ min: 0, max: 1, noNaN: true }), (by, part) => {
        const shares = allocate(Math.floor(add(by) * part), by);
        for (const [at, share] of shares.entries()) {
          expect(share).toBeGreaterThanOrEqual(0);
          if (add(by) > 0) expect(share).toBeLessThanOrEqual(by[at] ?? 0);
        }
      }),
      { numRuns: 2000 },
    );
  });

  it("is within one unit of the exact share", () => {
    fc.assert(
      fc.property(total, weights, (value, by) => {
        fc.pre(add(by) > 0);
        for (const [at, share] of allocate(value, by).entries()) {
          const exact = (value * (by[at] ?? 0)) / add(by);
          expect(Math.abs(share - exact)).toBeLessThan(1 + 1e-6);
        }
      }),
    );
  });

  it("does not depend on the order: the same weights get the same shares between them", () => {
    const pairs = (value: number, by: readonly number[]): string[] =>
      allocate(value, by)
        .map((share, at) => `${by[at]}:${share}`)
        .sort();
    const shuffled = weights.chain((by) =>
      fc.tuple(fc.constant(by), fc.shuffledSubarray(by, { minLength: by.length })),
    );
    fc.assert(
      fc.property(total, shuffled, (value, [by, other]) => {
        expect(pairs(value, by)).toEqual(pairs(value, other));
      }),
      { numRuns: 2000 },
    );
  });
});

describe("instalments", () => {
  it("gives the rounded percentage first: 30% and 70% of 12345", () =>
    expect(instalments(12_345, [3000, 7000])).toEqual([3704, 8641]));

  it("refuses shares that are not one whole", () => {
    expect(() => instalments(100, [3000, 6999])).toThrow(RangeError);
    expect(() => instalments(100, [11_000, -1000])).toThrow(RangeError);
    expect(() => instalments(100, [])).toThrow(RangeError);
  });

  it("adds up exactly, and each running total is the rounded percentage", () => {
    const shares = fc
      .array(fc.integer({ min: 0, max: 10_000 }), { maxLength: 6 })
      .map((cuts) => [0, ...cuts.sort((a, b) => a - b), 10_000])
      .map((cuts) => cuts.slice(1).map((cut, at) => cut - (cuts[at] ?? 0)));
    fc.assert(
      fc.property(amount, shares, (value, bps) => {
        const parts = instalments(value, bps);
        expect(add(parts)).toBe(value);
        for (const at of parts.keys()) {
          expect(add(parts.slice(0, at + 1))).toBe(mulBps(value, add(bps.slice(0, at + 1))));
        }
      }),
    );
  });
});

const lines = fc.array(
  fc.record({ amount: fc.integer({ min: 0, max: 1_000_000 }), tax_rate_bps: fc.constantFrom(0, 500, 2000) }),
  { maxLength: 20 },
);

describe("taxesOf", () => {
  it("rounds once per rate, not per line: three lines of 0.02 at 20% owe a penny, not nothing", () => {
    const cheap = { amount: 2, tax_rate_bps: 2000 };
    expect(taxesOf([cheap, cheap, cheap], false)).toEqual({
      parts: [1, 0, 0],
      groups: [{ tax_rate_bps: 2000, taxable: 6, tax: 1 }],
      total: 1,
    });
  });

  it("finds the tax inside of gross prices: 1200 at 20% holds 200", () =>
    expect(taxesOf([{ amount: 1200, tax_rate_bps: 2000 }], true).groups).toEqual([
      { tax_rate_bps: 2000, taxable: 1000, tax: 200 },
    ]));

  it("owes nothing on nothing", () =>
    expect(taxesOf([], false)).toEqual({ parts: [], groups: [], total: 0 }));

  it("adds up by line and by rate, included or not", () => {
    fc.assert(
      fc.property(lines, fc.boolean(), (items, included) => {
        const taxes = taxesOf(items, included);
        expect(add(taxes.parts)).toBe(taxes.total);
        for (const group of taxes.groups) {
          const own = taxes.parts.filter((_, at) => items[at]?.tax_rate_bps === group.tax_rate_bps);
          expect(add(own)).toBe(group.tax);
          const amounts = add(
            items.filter((item) => item.tax_rate_bps === group.tax_rate_bps).map((item) => item.amount),
          );
          expect(group.taxable + (included ? group.tax : 0)).toBe(amounts);
        }
        for (const [at, tax] of taxes.parts.entries())
          expect(tax).toBeLessThanOrEqual(items[at]?.amount ?? 0);
      }),
    );
  });

  it("does not depend on the order of lines", () => {
    const shuffled = lines.chain((items) =>
      fc.tuple(fc.constant(items), fc.shuffledSubarray(items, { minLength: items.length })),
    );
    fc.assert(
      fc.property(shuffled, fc.boolean(), ([items, other], included) => {
        expect(taxesOf(items, included).groups).toEqual(taxesOf(other, included).groups);
      }),
    );
  });
});

describe("roundTo", () => {
  it.each([
    [1002, 5, 1000],
    [1003, 5, 1005],
    [-1003, 5, -1005],
    [1003, 1, 1003],
  ])("%i to a multiple of %i is %i", (value, step, expected) => expect(roundTo(value, step)).toBe(expected));
});

describe("sum", () => {
  it("is exact, and refuses what cannot be", () => {
    expect(sum([1, 2, -4])).toBe(-1);
    expect(() => sum([9_007_199_254_740_991, 1])).toThrow(Problem);
  });
});
