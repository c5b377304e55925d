import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { demoAllergens } from "../../../../server/engines/allergens/demo.ts";
import { demoMenus } from "../../../../server/engines/menus/demo.ts";
import { ProductVersion } from "../../../../server/engines/allergens/schema/history.ts";
import { createShop, NOW, titlesOf } from "./shop.ts";
import type { Shop } from "./shop.ts";

let shop: Shop;
beforeEach(async () => {
  shop = await createShop();
  await shop.seed();
});
afterEach(() => shop.harness.close());

describe("the demo shop", () => {
  it("is the same from the same instant, and holds together", () => {
    const demo = demoAllergens(Date.parse(NOW));
    expect(demoAllergens(Date.parse(NOW))).toEqual(demo);
    expect(demo.products.length).toBeGreaterThanOrEqual(12);
    const ids = [...demo.products, ...demo.versions, ...demo.ingredients].map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const version of demo.versions) expect(ProductVersion.safeParse(version).error).toBeUndefined();
    for (const { id, revision } of demo.products)
      expect(
        demo.versions.filter(({ product_id: about }) => about === id).map((version) => version.revision),
      ).toEqual(Array.from({ length: revision }, (_, index) => index + 1));
  });

  it("is what the menus' demo sells", () => {
    const titles = new Map(demoAllergens(Date.parse(NOW)).products.map(({ id, title }) => [id, title]));
    const sold = demoMenus(Date.parse(NOW)).items.flatMap(({ title, product_id: id }) =>
      id === null ? [] : [[title["en"], titles.get(id)] as const],
    );
    expect(sold.length).toBeGreaterThan(12);
    for (const [item, product] of sold) expect(product).toContain(item);
  });

  it("answers as a bakery and a kitchen do", async () => {
    const { json } = await shop.get("/products?limit=3");
    expect(
      json.data.map(({ title, allergens }: { title: string; allergens: string[] }) => [title, allergens]),
    ).toEqual([
      ["Country sourdough", ["wheat", "rye"]],
      ["Butter croissant", ["wheat", "milk", "egg"]],
      ["Almond croissant", ["wheat", "milk", "almond", "egg"]],
    ]);
    expect(titlesOf(await shop.get("/products?excludes=gluten,milk"))).toEqual([
      "Soup of the day: roast tomato",
      "Espresso",
      "Fresh orange juice",
    ]);
    expect(titlesOf(await shop.get("/products?allergen=fish"))).toEqual(["Pissaladière"]);
    expect(titlesOf(await shop.get("/products?status=stale"))).toEqual(["Grain salad"]);
  });

  it("has labels without errors where it is verified", async () => {
    const { json } = await shop.get("/products?status=verified&limit=100");
    expect(json.data.length).toBeGreaterThan(10);
    for (const { id, title } of json.data) {
      const label = (await shop.get(`/products/${id}/label`)).json.data;
      expect([title, label.lint]).toEqual([title, []]);
    }
  });

  it("judges what menus sell, with what was chosen for it", async () => {
    const { items } = demoMenus(Date.parse(NOW));
    const { harness } = shop;
    const seeded = (await harness.admin("POST", "/api/platform/admin/seed", { body: {} })).json.data;
    const issued = await harness.admin("POST", "/api/platform/admin/keys", {
      body: { customer_id: seeded.customer_id, store: seeded.store, preset: "full" },
    });
    const verdict = async (title: string, ...avoid: string[]) => {
      const menu_item_id = items.find((item) => item.title["en"] === title)?.id;
      const body = { items: [{ menu_item_id }], avoid };
      const { json } = await harness.call("POST", "/v1/allergens/check", {
        key: issued.json.data.api_key,
        body,
      });
      return json.data.results[0].verdict;
    };
    expect([await verdict("Butter croissant", "milk"), await verdict("Butter croissant", "fish")]).toEqual([
      "unsafe",
      "safe",
    ]);
    // Nobody vouches for the wings, and the flat white's milk is no product.
    expect([await verdict("Ten wings", "celery"), await verdict("Flat white", "celery")]).toEqual([
      "unknown",
      "unknown",
    ]);
  });

  it("can be worked on: derive changes nothing, a change of butter reaches what is made of it", async () => {
    const [croissant] = (await shop.get("/products?q=butter%20croi")).json.data;
    const { diff } = (await shop.post(`/products/${croissant.id}/derive`)).json.data;
    expect(diff).toEqual({ added: [], removed: [], changed: [] });
    const library = (await shop.get("/ingredients?limit=100")).json.data;
    const butter = library.find(({ name }: { name: string }) => name === "butter");
    await shop.patch(`/ingredients/${butter.id}`, { may_contain: ["soy"] });
    expect((await shop.get(`/products/${croissant.id}`)).json.data.status).toBe("stale");
  });
});
