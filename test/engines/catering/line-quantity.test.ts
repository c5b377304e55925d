import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { quantityOf, stepsOf } from "../../../server/engines/catering/rules/price-event.ts";
import { line } from "./make.ts";

const tiers = [
  { from_heads: 50, unit_price: 900 },
  { from_heads: 20, unit_price: 1000 },
];

describe("quantityOf", () => {
  it.each([
    ["one each", {}, 30, 30],
    ["one for ten", { type: "ratio" as const, rule: { per: 10, min: 0 } }, 31, 4],
    ["two at least", { type: "staff" as const, rule: { per: 25, min: 2 } }, 10, 2],
    ["one of a fixed thing", { type: "fixed" as const }, 30, 1],
    ["what is written", { quantity: 7 }, 30, 7],
  ])("%s", (_, more, heads, expected) => expect(quantityOf(line(more), heads)).toBe(expected));
});

describe("stepsOf", () => {
  it.each([
    [19, [{ quantity: 19, unit_price: 1295 }]],
    [20, [{ quantity: 20, unit_price: 1000 }]],
    [60, [{ quantity: 60, unit_price: 900 }]],
  ])("all units: %s heads", (heads, expected) =>
    expect(stepsOf(line({ volume_tiers: tiers }), heads)).toEqual(expected),
  );

  it("graduated: each step at its own price", () =>
    expect(stepsOf(line({ volume_tiers: tiers, tier_mode: "graduated" }), 60)).toEqual([
      { quantity: 19, unit_price: 1295 },
      { quantity: 30, unit_price: 1000 },
      { quantity: 11, unit_price: 900 },
    ]));

  it("loses and doubles nobody", () => {
    const tier = fc.record({ from_heads: fc.integer({ min: 1, max: 200 }), unit_price: fc.nat(5000) });
    fc.assert(
      fc.property(
        fc.nat(300),
        fc.array(tier, { maxLength: 6 }),
        fc.constantFrom("all_units" as const, "graduated" as const),
        (heads, volume_tiers, tier_mode) => {
          const steps = stepsOf(line({ volume_tiers, tier_mode }), heads);
          expect(steps.reduce((all, { quantity }) => all + quantity, 0)).toBe(heads);
        },
      ),
    );
  });
});
