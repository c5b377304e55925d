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

it("an item is exported with the allergens and diets that it has with its default modifiers", async () => {
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
  const allergens = (id: string) =>
    items.find((each: { id: string }) => each.id === id).nutritional_info?.allergens;
  expect([allergens(item), allergens(plain)]).toEqual([["Milk"], undefined]);
  const otter = await exported("otter");
  const tags = (id: string) => otter.items[id].skuDetails.dietaryClassifications;
  expect([tags(item), tags(plain)]).toEqual([[{ tag: "HALAL" }], [{ tag: "VEGAN" }, { tag: "HALAL" }]]);
});

it("an item from whose modifiers a guest has to select has the diets that it suits with any of them", async () => {
  const named = (title: string, claims: string[], more: object = {}) =>
    product({ title, ingredients: [{ name: title, ...more }], dietary: claims.map((claim) => ({ claim })) });
  const bowl = await named("rice", ["vegan", "halal"]);
  const beans = await named("beans", ["vegan", "halal"]);
  const cheddar = await named("cheddar", ["halal"], { contains: ["milk"], animal_origin: "dairy" });
  const modifiers = [
    await shop.make("/modifiers", { title: "Beans", product_id: beans }),
    await shop.make("/modifiers", { title: "Cheddar", product_id: cheddar }),
  ];
  const group = await shop.make("/modifier-groups", { title: "On top", min: 1, modifier_ids: modifiers });
  const { menu, item } = await makeMenu(shop, {
    item: { product_id: bowl, modifier_groups: [{ group_id: group }] },
  });
  const diets = async () =>
    (await shop.get(`/${menu}/export?format=otter`)).json.data.document.items[item].skuDetails
      .dietaryClassifications;
  expect(await diets()).toEqual([{ tag: "HALAL" }]);
  await shop.post(`/${menu}/publish`, {});
  const [{ items }] = (await shop.get(`/${menu}/live`)).json.data.categories;
  expect(items[0]).toMatchObject({ allergens: [], allergen_status: "unknown" });
  const price = async (selections: object[]) =>
    (await shop.post("/price", { menu_id: menu, lines: [{ item_id: item, quantity: 1, selections }] })).json
      .data.lines[0].allergen_status;
  expect(await price([])).toBe("unknown");
  expect(await price([{ group_id: group, modifier_id: modifiers[0] }])).toBe("complete");
});
