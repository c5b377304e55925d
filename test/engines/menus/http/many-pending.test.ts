import { afterAll, beforeAll, expect, it } from "vitest";

import { storePartition } from "../../../../server/core/partitions.ts";
import { ingredients, products } from "../../../../server/engines/allergens/repository.ts";
import { items } from "../../../../server/engines/menus/repository.ts";
import { many } from "../../../support/longest-turn.ts";
import { createShop, makeMenu, publish, store } from "./shop.ts";
import type { Shop } from "./shop.ts";

let shop: Shop;
beforeAll(async () => {
  shop = await createShop();
});
afterAll(() => shop.harness.close());

const DISHES = 450;
const INGREDIENTS = 600;

it("a menu of many dishes is published while a change of an ingredient of all of them is pending", async () => {
  const { key } = shop;
  const { newId, runTx } = shop.harness.services;
  const part = storePartition(key.storeId, "live");
  const make = async (path: string, body: object): Promise<string> =>
    (await shop.harness.call("POST", `/v1/allergens${path}`, { key, body })).json.data.id;
  const butter = await make("/ingredients", { name: "butter", contains: ["milk"] });
  const flour = await make("/ingredients", { name: "flour" });
  const bread = await make("/products", {
    title: "Bread",
    ingredients: [{ ingredient_id: butter }, { ingredient_id: flour }],
  });
  const { menu, item } = await makeMenu(shop);
  const [food, product, dish] = await runTx(part, (tx) =>
    Promise.all([
      tx.require(ingredients, flour),
      tx.require(products, bread),
      tx.require(items, item),
    ] as const),
  );
  const foods = many(INGREDIENTS, (n) => ({ ...food.value, id: newId("ing"), name: `flour ${n}` }));
  await store(shop, ingredients, foods);
  const [butterLine, flourLine] = product.value.ingredients;
  if (butterLine === undefined || flourLine === undefined) throw new Error("The product has two lines.");
  const made = many(DISHES, (n) => {
    const own = foods.slice((n * 4) % INGREDIENTS, ((n * 4) % INGREDIENTS) + 4);
    const lines = own.map(({ id }) => ({ ...flourLine, id: newId("lin"), ingredient_id: id }));
    return { ...product.value, id: newId("prd"), ingredients: [butterLine, ...lines] };
  });
  for (let start = 0; start < DISHES; start += 8) await store(shop, products, made.slice(start, start + 8));
  const dishes = made.map(({ id }) => ({ ...dish.value, id: newId("itm"), product_id: id }));
  await store(shop, items, dishes);
  await shop.make("/categories", { title: "More", menu_ids: [menu], item_ids: dishes.map(({ id }) => id) });
  const body = { may_contain: ["soy"] };
  const changed = await shop.harness.call("PATCH", `/v1/allergens/ingredients/${butter}`, { key, body });
  expect(changed.status).toBe(200);
  expect(await publish(shop, menu)).toBe(1);
  const [live] = (await shop.get(`/${menu}/live`)).json.data.categories.slice(-1);
  expect(live.items).toHaveLength(DISHES);
  for (const { may_contain: warned } of live.items) expect(warned).toEqual(["soy"]);
}, 60_000);
