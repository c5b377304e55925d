import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import {
  carve,
  costByLine,
  costOf,
  evenly,
  fits,
  shareUnits,
  takeUnits,
  toLots,
  unitsOf,
} from "../../../server/engines/cart/rules/lots.ts";
import { add, category, everything, lineOf, refs } from "./make.ts";

it("splits a total evenly, odd pennies to the first", () => {
  expect(evenly(10, 3)).toEqual([
    { count: 1, amount: 4 },
    { count: 2, amount: 3 },
  ]);
  expect(evenly(0, 0)).toEqual([]);
});

it("carves picks out, and keeps units and the rest of the cost", () => {
  const lots = toLots([lineOf("a", 100, { quantity: 5 }), lineOf("b", 70)]);
  const [first] = lots;
  if (first === undefined) throw new Error("no lot");
  const after = carve(lots, [{ lot: first, count: 2, total: 151, marks: { bogo: true } }]);
  expect([unitsOf(after), costOf(after)]).toEqual([6, 300 + 70 + 151]);
  expect([...costByLine(after)]).toEqual([
    ["a", 451],
    ["b", 70],
  ]);
});

it("takes units in order, no more than there are", () => {
  const lots = toLots([lineOf("a", 1, { quantity: 2 }), lineOf("b", 1, { quantity: 2 })]);
  expect(takeUnits(lots, 3).map(({ count }) => count)).toEqual([2, 1]);
  expect(takeUnits(lots, 9).map(({ count }) => count)).toEqual([2, 2]);
});

describe("a filter", () => {
  const line = lineOf("x", 1, { category: "food", tags: ["vegan"] });
  it.each([
    ["nothing named", everything, true],
    ["its reference", refs("x", "y"), true],
    ["its category", category("food"), true],
    ["a tag", { ...everything, tags: ["vegan"] }, true],
    ["another reference", refs("y"), false],
    ["another reference, and its category", { ...category("food"), refs: ["y"] }, true],
  ])("%s", (_, filter, expected) => expect(fits(filter, line)).toBe(expected));
});

it("shares a total exactly, and like units alike", () => {
  const someLots = fc
    .array(
      fc.record({
        ref: fc.constantFrom("x", "y"),
        quantity: fc.integer({ min: 1, max: 5 }),
        unit_price: fc.integer({ min: 0, max: 300 }),
      }),
      { minLength: 1, maxLength: 6 },
    )
    .map((lines) => toLots(lines.map((line, at) => lineOf(`l${at}`, line.unit_price, line))));
  fc.assert(
    fc.property(someLots, fc.integer({ min: 0, max: 10_000 }), (lots, bps) => {
      const total = Math.floor((costOf(lots) * bps) / 10_000);
      const shares = shareUnits(
        total,
        lots.map((lot) => ({ lot, count: lot.count })),
      );
      expect(add(shares.map((share) => share.total))).toBe(total);
      for (const a of shares) {
        expect(a.total).toBeLessThanOrEqual(a.count * a.lot.amount);
        for (const b of shares.filter(({ lot }) => lot.kind === a.lot.kind)) {
          expect(Math.abs(a.total / a.count - b.total / b.count)).toBeLessThanOrEqual(1);
        }
      }
    }),
  );
});
