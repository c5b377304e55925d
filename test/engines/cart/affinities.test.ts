import * as fc from "fast-check";
import { expect, it } from "vitest";

import {
  affinities as affinitiesOf,
  createBaskets,
  REFS_PER_ORDER,
  SUPPORT_MIN,
} from "../../../server/engines/cart/rules/affinities.ts";
import { longestOf, many, TURN_MS } from "../../support/longest-turn.ts";

const affinities = (orders: readonly string[][]) => {
  const baskets = createBaskets();
  for (const order of orders) baskets.add(order);
  return affinitiesOf(baskets, "sto_a");
};

const repeat = (order: string[], times: number): string[][] => Array.from({ length: times }, () => order);

it("finds what is bought together more often than chance", async () => {
  const orders = [...repeat(["bread", "butter"], 6), ...repeat(["bread"], 4), ...repeat(["tea"], 10)];
  const found = await affinities(orders);
  // 20 · 6 / (10 · 6)
  expect(found.get("bread")).toEqual([{ ref: "butter", orders: 6, lift: 2 }]);
  expect(found.get("tea")).toBeUndefined();
});

it("leaves out what fewer than five orders share, and counts a product once per order", async () => {
  expect((await affinities(repeat(["a", "b", "b"], SUPPORT_MIN - 1))).size).toBe(0);
  expect((await affinities(repeat(["a", "b", "b"], SUPPORT_MIN))).get("a")).toEqual([
    { ref: "b", orders: 5, lift: 1 },
  ]);
});

it("says the same of a pair from both sides", async () => {
  const orders = fc.array(fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 3 }), { maxLength: 60 });
  await fc.assert(
    fc.asyncProperty(orders, async (all) => {
      const found = await affinities(all);
      for (const [ref, others] of found) {
        for (const { ref: other, lift } of others) {
          expect(found.get(other)?.find((back) => back.ref === ref)?.lift).toBe(lift);
        }
      }
    }),
  );
});

it("counts the first products of an order alone", async () => {
  const order = many(200, (n) => `ref-${String(n).padStart(3, "0")}`);
  const found = await affinities(repeat(order, SUPPORT_MIN));
  expect([...found.keys()].sort()).toEqual(order.slice(0, REFS_PER_ORDER));
  expect(found.get("ref-000")).toHaveLength(REFS_PER_ORDER - 1);
});

it("lists the strongest of thousands of products that are bought with one", async () => {
  const orders = many(1_000, (n) => repeat(["bag", `ref-${n}`], SUPPORT_MIN)).flat();
  const found = await affinities(orders);
  expect(found.get("bag")).toHaveLength(50);
  expect(found.get("bag")?.map(({ ref }) => ref)).toEqual(
    many(1_000, (n) => `ref-${n}`)
      .sort()
      .slice(0, 50),
  );
});

it("pauses between orders of hundreds of products", async () => {
  const prepare = () => many(500, (order) => many(200, (n) => `ref-${(order % 99) * 31 + n}`));
  expect(await longestOf(prepare, async (orders) => void (await affinities(orders)))).toBeLessThan(TURN_MS);
});
