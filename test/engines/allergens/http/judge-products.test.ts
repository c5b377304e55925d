import { afterEach, beforeEach, expect, it } from "vitest";

import { storePartition } from "../../../../server/core/partitions.ts";
import { createShop } from "./shop.ts";
import type { Shop } from "./shop.ts";

// What other engines ask: POST /v1/cart/upsells/suggestions offers only what is safe.

let shop: Shop;
beforeEach(async () => {
  shop = await createShop();
});
afterEach(() => shop.harness.close());

/** How a product is judged for a guest who avoids something: [allergens, diets]. */
async function verdict(id: string, avoid: readonly string[], diets: readonly string[] = []) {
  const { runTx, ports } = shop.harness.services;
  const guest = { avoid, diets, now: shop.harness.clock.now() };
  const found = await runTx(storePartition(shop.key.storeId, "live"), (tx) =>
    ports.engines.judgeProducts(tx, [id], guest),
  );
  const judged = found.get(id);
  return judged === undefined ? null : [judged.allergens, judged.diets];
}

it("products are judged as POST /check judges them", async () => {
  const cake = await shop.verified("Cake", [
    { name: "almond", contains: ["almond"] },
    { name: "syrup", contains: ["wheat"], exemption: "wheat_glucose_syrup" },
  ]);
  expect(await verdict(cake, ["nuts"])).toEqual(["unsafe", "safe"]);
  expect(await verdict(cake, ["almond"])).toEqual(["unsafe", "safe"]);
  // Only the origin of an ingredient that need not be declared.
  expect(await verdict(cake, ["wheat"])).toEqual(["safe", "safe"]);
  expect(await verdict(cake, ["milk"])).toEqual(["safe", "safe"]);
  expect(await verdict(cake, [], ["vegan"])).toEqual(["safe", "unknown"]);
  expect(await verdict("prd_nothing", ["milk"])).toBeNull();
});

it("what is avoided may be written as people write it; a word that is no code may mean anything", async () => {
  const cake = await shop.verified("Cake", [{ name: "egg", contains: ["egg"] }]);
  expect(await verdict(cake, ["Eggs"])).toEqual(["unsafe", "safe"]);
  expect(await verdict(cake, ["something white"])).toEqual(["unknown", "safe"]);
});

it("what another mode has declared says nothing of what the shop's mode has declared", async () => {
  const soup = await shop.make("/products", { title: "Soup", ingredients: [{ name: "stock" }] });
  const verified = await shop.post(`/products/${soup}/verify`, { by: "Priya", mode: "us" });
  expect(verified.status, verified.text).toBe(200);
  expect(await verdict(soup, ["celery"])).toEqual(["unknown", "safe"]);
  const made = await shop.harness.call("POST", "/v1/cart/bundles", {
    key: shop.key,
    body: {
      title: "Box",
      type: "fixed",
      components: [{ ref: soup, qty: 1 }],
      pricing: { kind: "fixed_price", value: 500 },
    },
  });
  expect(made.status, made.text).toBe(201);
  const { json } = await shop.harness.call("GET", `/v1/cart/bundles/${made.json.data.id}/allergens`, {
    key: shop.key,
  });
  expect(json.data).toEqual({ allergens: [], may_contain: [], unknown: [soup] });
});
