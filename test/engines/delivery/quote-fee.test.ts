import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { quoteFee } from "../../../server/engines/delivery/rules/quote-fee.ts";
import { seeded } from "../../seeded.ts";
import { Z1, Z2, Z3, zone } from "./fixture.ts";

describe("quoteFee", () => {
  it.each([
    // DA10 to DA13, DA15: fee, to minimum, to free
    ["Z1", Z1, 2999, 0, [499, 0, 2001]],
    ["Z1", Z1, 3000, 0, [299, 0, 2000]],
    ["Z1", Z1, 5000, 0, [0, 0, 0]],
    ["Z1", Z1, 1499, 0, [499, 1, 3501]],
    ["Z3", Z3, 3000, 0, [899, 0, null]],
    ["Z2", Z2, 4000, 0, [399, 0, 4000]],
    // Edges of [from, next.from), empty basket, surcharges.
    ["Z1", Z1, 4999, 0, [299, 0, 1]],
    ["Z1", Z1, 0, 0, [499, 1500, 5000]],
    ["Z1", Z1, Number.MAX_SAFE_INTEGER, 0, [0, 0, 0]],
    ["Z1", Z1, 3000, 150, [449, 0, 2000]],
    ["Z1", Z1, 5000, 150, [150, 0, 0]],
    ["Z1", Z1, 3000, -500, [0, 0, 2000]],
  ])("%s", (...[, zoneOf, basket, delta, expected]) => {
    const { fee, toMinimum, toFree } = quoteFee(zoneOf, basket, delta);
    expect([fee, toMinimum, toFree]).toEqual(expected);
  });

  it("free_from counts as a last tier with fee 0", () => {
    const sugar = zone("zon_s", { fee_tiers: [{ id: "fee_0", from: 0, fee: 499 }], free_from: 4000 });
    expect(quoteFee(sugar, 3999)).toMatchObject({ fee: 499, toFree: 1, freeFrom: 4000 });
    expect(quoteFee(sugar, 4000)).toMatchObject({ fee: 0, toFree: 0, freeFrom: 4000 });
  });

  it("looks upwards for the free tier when a cheaper basket was free", () => {
    const odd = zone("zon_o", {
      fee_tiers: [
        { id: "fee_0", from: 0, fee: 0 },
        { id: "fee_1", from: 5000, fee: 500 },
      ],
    });
    expect(quoteFee(odd, 100)).toMatchObject({ fee: 0, toFree: 0 });
    expect(quoteFee(odd, 6000)).toMatchObject({ fee: 500, toFree: null });
  });

  it("adding what is missing makes the order allowed, and the delivery free", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(Z1, Z2, Z3),
        fc.nat(20_000),
        fc.integer({ min: -900, max: 900 }),
        (each, basket, delta) => {
          const quote = quoteFee(each, basket, delta);
          expect(quote.fee).toBeGreaterThanOrEqual(0);
          expect(quoteFee(each, basket + quote.toMinimum).toMinimum).toBe(0);
          if (quote.toFree !== null) expect(quoteFee(each, basket + quote.toFree).fee).toBe(0);
          if (quote.toFree !== null && quote.toFree > 0) {
            expect(quoteFee(each, basket + quote.toFree - 1).fee).toBeGreaterThan(0);
          }
        },
      ),
      seeded(1000),
    );
  });
});
