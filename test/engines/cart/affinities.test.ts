import * as fc from "fast-check";
import { expect, it } from "vitest";

import { affinities, SUPPORT_MIN } from "../../../server/engines/cart/rules/affinities.ts";

const repeat = (order: string[], times: number): string[][] => Array.from({ length: times }, () => order);

it("finds what is bought together more often than chance", () => {
  const orders = [...repeat(["bread", "butter"], 6), ...repeat(["bread"], 4), ...repeat(["tea"], 10)];
  const found = affinities(orders);
  // 20 · 6 / (10 · 6)
  expect(found.get("bread")).toEqual([{ ref: "butter", orders: 6, lift: 2 }]);
  expect(found.get("tea")).toBeUndefined();
});

it("leaves out what fewer than five orders share, and counts a product once per order", () => {
  expect(affinities(repeat(["a", "b", "b"], SUPPORT_MIN - 1)).size).toBe(0);
  expect(affinities(repeat(["a", "b", "b"], SUPPORT_MIN)).get("a")).toEqual([
    { ref: "b", orders: 5, lift: 1 },
  ]);
});

it("says the same of a pair from both sides", () => {
  const orders = fc.array(fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 3 }), { maxLength: 60 });
  fc.assert(
    fc.property(orders, (all) => {
      const found = affinities(all);
      for (const [ref, others] of found) {
        for (const { ref: other, lift } of others) {
          expect(found.get(other)?.find((back) => back.ref === ref)?.lift).toBe(lift);
        }
      }
    }),
  );
});
