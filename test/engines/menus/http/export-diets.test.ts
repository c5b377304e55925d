import { afterEach, beforeEach, expect, it } from "vitest";

import { createShop, makeMenu } from "./shop.ts";
import type { Shop } from "./shop.ts";

let shop: Shop;
beforeEach(async () => {
  shop = await createShop();
});
afterEach(() => shop.harness.close());

/** A verified product of /v1/allergens. */
async function product(body: object): Promise<string> {
  const call = (path: string, sent: object) =>
    shop.harness.call("POST", `/v1/allergens${path}`, { key: shop.key, body: sent });
  const { id } = (await call("/products", body)).json.data;
  expect((await call(`/products/${id}/verify`, { by: "Priya" })).status).toBe(200);
  return id;
}

it("an item is exported with the diets that it suits with its default modifiers", async () => {
  const patty = await product({
    title: "Bean burger",
    ingredients: [{ name: "beans" }],
    dietary: [{ claim: "vegan" }, { claim: "halal" }],
  });
  const cheddar = await product({
    title: "Cheddar",
    ingredients: [{ name: "cheddar", contains: ["milk"], animal_origin: "dairy" }],
    dietary: [{ claim: "halal" }],
  });
  const cheese = await shop.make("/modifiers", { title: "Cheddar", product_id: cheddar, default: true });
  const group = await shop.make("/modifier-groups", { title: "Cheese", max: 1, modifier_ids: [cheese] });
  const { menu, category, item } = await makeMenu(shop, {
    item: { product_id: patty, modifier_groups: [{ group_id: group }] },
  });
  const plain = await shop.make("/items", { title: "Plain", price: 700, product_id: patty });
  await shop.patch(`/categories/${category}`, { item_ids: [item, plain] });
  const exported = async (format: string) =>
    (await shop.get(`/${menu}/export?format=${format}`)).json.data.document;
  const { items } = await exported("uber");
  const labels = (id: string) =>
    items.find((each: { id: string }) => each.id === id).dish_info.classifications.dietary_label_info;
  expect([labels(item), labels(plain)]).toEqual([undefined, { labels: ["VEGAN"] }]);
  const otter = await exported("otter");
  const tags = (id: string) => otter.items[id].skuDetails.dietaryClassifications;
  expect([tags(item), tags(plain)]).toEqual([[{ tag: "HALAL" }], [{ tag: "VEGAN" }, { tag: "HALAL" }]]);
});
