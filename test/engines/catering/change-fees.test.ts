import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import {
  billedHeads,
  cancelFee,
  increaseFee,
  reduceFee,
} from "../../../server/engines/catering/rules/change-fees.ts";

describe("fees", () => {
  it("A17: 100 to 80 heads at 1295 in the 50% band costs 12950", () =>
    expect(reduceFee(100 * 1295, 80 * 1295, 5000)).toBe(12_950));

  it.each([
    ["A21", 60, 52, 60],
    ["A21", 60, 66, 66],
    ["nobody counted", 60, null, 60],
  ])("%s: guaranteed %s, served %s", (_, guaranteed, served, expected) =>
    expect(billedHeads(guaranteed, served)).toBe(expected),
  );

  it("asks half of the price on top at one and a half times it", () => {
    expect(increaseFee(10_000, 12_000, 15_000)).toBe(1000);
    expect(increaseFee(10_000, 12_000, 20_000)).toBe(2000);
    expect(increaseFee(12_000, 10_000, 20_000)).toBe(0);
  });

  it("never costs more than what it is of", () => {
    const amount = fc.integer({ min: 0, max: 1_000_000_000 });
    fc.assert(
      fc.property(amount, amount, fc.integer({ min: 0, max: 10_000 }), (a, b, bps) => {
        expect(cancelFee(a, bps)).toBeLessThanOrEqual(a);
        expect(reduceFee(a, b, bps)).toBeLessThanOrEqual(Math.max(0, a - b));
        expect(reduceFee(a, b, bps)).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});
