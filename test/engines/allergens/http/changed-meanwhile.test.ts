import { afterEach, expect, it } from "vitest";

import type { Op } from "../../../../server/storage/contract.ts";
import { createShop, interrupted } from "./shop.ts";
import type { Shop } from "./shop.ts";

// A recipe that takes an ingredient in while that is changed: if it is verified meanwhile, nothing marks it as stale later.

let shop: Shop;
afterEach(() => shop.harness.close());

const isChange = (op: Op): boolean => "put" in op && op.value.includes('"may_contain":["milk"]');

it.each([
  ["a new product", (own: Shop, spread: string) => own.verified("Bun", [{ ingredient_id: spread }])],
  [
    "a product that gets another recipe",
    async (own: Shop, spread: string, pie: string) => {
      await own.put(`/products/${pie}/ingredients`, { ingredients: [{ ingredient_id: spread }] });
      await own.post(`/products/${pie}/verify`, { by: "Priya" });
      return pie;
    },
  ],
])("shows %s that was verified meanwhile as what the ingredient contains now", async (_name, take) => {
  const made = { spread: "", pie: "", taken: "" };
  shop = await createShop(
    interrupted(isChange, async () => {
      made.taken = await take(shop, made.spread, made.pie);
    }),
  );
  made.spread = await shop.make("/ingredients", { name: "spread" });
  made.pie = await shop.verified("Pie", [{ name: "salt" }]);
  const changed = await shop.patch(`/ingredients/${made.spread}`, { may_contain: ["milk"] });
  expect(changed.status, changed.text).toBe(200);
  const check = await shop.post("/check", { product_ids: [made.taken], avoid: ["milk"] });
  expect(check.json.data.verdict, check.text).toBe("unsafe");
  expect((await shop.get(`/products/${made.taken}`)).json.data.status).toBe("stale");
});
