import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { createShop, pointersOf, refusal } from "./shop.ts";
import type { Shop } from "./shop.ts";

let shop: Shop;
beforeEach(async () => {
  shop = await createShop();
});
afterEach(() => shop.harness.close());

const facts = (fat: number, carbohydrate: number, protein: number) => ({
  basis: "per_100g",
  fat,
  saturates: 0,
  carbohydrate,
  sugars: 0,
  fibre: 0,
  protein,
  salt: 0,
});

describe("nutrition from the library to the menu", () => {
  it("is calculated from the recipe, follows the library, and is shown by a menu item of the product", async () => {
    const flour = await shop.make("/ingredients", {
      name: "wheat flour",
      contains: ["wheat"],
      nutrition: facts(1, 70, 10),
    });
    const oil = await shop.make("/ingredients", { name: "rapeseed oil", nutrition: facts(100, 0, 0) });
    const id = await shop.make("/products", {
      title: "Flatbread",
      ingredients: [
        { ingredient_id: flour, quantity_g: 500 },
        { name: "water", quantity_g: 300 },
        { ingredient_id: oil, quantity_g: 50 },
      ],
      recipe: { weight_loss_percent: 10, portion: { size: 100, unit: "g" } },
    });
    const answer = await shop.get(`/products/${id}/nutrition?per=portion`);
    // 500 g of flour (5 g fat, 350 g carbohydrate, 50 g protein) and 50 g of fat in 765 g.
    expect(answer.json.data.nutrition).toMatchObject({ source: "calculated", fat: 7.189542 });
    const portion = (4 * 350 + 4 * 50 + 9 * 55) / 7.65;
    expect(answer.json.data.calorie_label.kcal).toBe(Math.round(portion));
    expect(answer.json.data.missing_ingredients).toEqual([]);

    const item = await shop.harness.call("POST", "/v1/menus/items", {
      key: shop.key,
      body: { title: { en: "Flatbread" }, price: 300, product_id: id },
    });
    const priced = async () => {
      const found = await shop.harness.call("POST", "/v1/menus/price", {
        key: shop.key,
        body: { menu_id: await liveMenuOf(item.json.data.id), lines: [{ item_id: item.json.data.id }] },
      });
      return found.json.data.lines[0].kcal;
    };
    expect(await priced()).toEqual({ min: Math.round(portion), max: null });

    // More fat in the flour: the product follows at its next derivation, and its verification lapses.
    await shop.patch(`/ingredients/${flour}`, { nutrition: facts(11, 60, 10) });
    await shop.post(`/products/${id}/derive?apply=true`);
    expect((await shop.get(`/products/${id}`)).json.data.nutrition.fat).toBeGreaterThan(13);
  });

  let menu: string | undefined;
  /** A published menu with the item. */
  async function liveMenuOf(itemId: string): Promise<string> {
    if (menu !== undefined) return menu;
    const post = async (path: string, body: unknown) => {
      const answer = await shop.harness.call("POST", `/v1/menus${path}`, { key: shop.key, body });
      if (answer.status >= 300) throw new Error(answer.text);
      return answer.json.data;
    };
    const category = await post("/categories", { title: { en: "Breads" }, item_ids: [itemId] });
    const made = await post("", { title: { en: "All day" }, category_ids: [category.id] });
    await post(`/${made.id}/publish`, {});
    return (menu = made.id);
  }

  it("is unknown while one ingredient has no weight or no facts, and names it", async () => {
    const flour = await shop.make("/ingredients", { name: "wheat flour", contains: ["wheat"] });
    const id = await shop.make("/products", {
      title: "Flatbread",
      ingredients: [{ ingredient_id: flour, quantity_g: 500 }, { name: "salt" }],
      recipe: { yield_g: 480 },
    });
    const found = (await shop.get(`/products/${id}/nutrition`)).json.data;
    expect([found.nutrition, found.missing_ingredients]).toEqual([null, ["wheat flour", "salt"]]);
    // Facts of a laboratory replace the recipe.
    await shop.put(`/products/${id}/nutrition`, facts(2, 50, 9));
    expect((await shop.get(`/products/${id}`)).json.data).toMatchObject({
      recipe: null,
      nutrition: { fat: 2 },
    });
  });

  it("refuses yield and loss together", async () => {
    const answer = await shop.post("/products", {
      title: "Loaf",
      recipe: { yield_g: 100, weight_loss_percent: 10 },
    });
    expect(pointersOf(answer)).toEqual(["#/recipe/weight_loss_percent"]);
  });
});

describe("ingredients as the text of a pack", () => {
  const text = "Wheat flour 52%, butter, pesto. May contain nuts.";

  it("on create, update and import: codes, statements, and what is left to resolve", async () => {
    const made = await shop.post("/products", { title: "Slice", ingredients_text: text });
    expect(made.json.data).toMatchObject({ allergens: ["wheat", "milk"], may_contain: ["nuts"] });
    expect(made.json.data.ingredients.map(({ name }: { name: string }) => name)).toEqual([
      "Wheat flour",
      "butter",
      "pesto",
    ]);
    expect(made.json.data.unresolved_names.length).toBeGreaterThan(0);
    const { id } = made.json.data;
    const patched = await shop.patch(`/products/${id}`, { ingredients_text: "Rice flour, egg" });
    expect(patched.json.data).toMatchObject({ allergens: ["egg"], may_contain: ["nuts"] });
    const put = await shop.put(`/products/${id}/ingredients?apply=true`, {
      ingredients_text: "Oats. May contain sesame.",
    });
    expect(put.json.data.product).toMatchObject({ allergens: ["oats"], may_contain: ["nuts", "sesame"] });
    const row = { external_ref: { system: "till", id: "1" }, title: "Slice", ingredients_text: text };
    const imported = await shop.post("/products/import", { rows: [row] });
    expect(imported.json.data.rows[0]).toMatchObject({ outcome: "created", error: null });
    const again = await shop.post("/products/import", { rows: [row] });
    expect(again.json.data.rows[0].outcome).toBe("unchanged");
  });

  it("declares what the text contains now, where it warned of it only before", async () => {
    const warned = "Sugar, flavouring. May contain milk.";
    const contains = "Sugar, flavouring. Contains milk.";
    const id = await shop.make("/products", { title: "Sweet", ingredients_text: warned });
    const patched = await shop.patch(`/products/${id}`, { ingredients_text: contains });
    expect(patched.json.data).toMatchObject({ allergens: ["milk"], may_contain: [] });
    for (const apply of [true, false]) {
      const other = await shop.make("/products", { title: "Sweet", ingredients_text: warned });
      const body = { ingredients_text: contains };
      const put = await shop.put(`/products/${other}/ingredients?apply=${apply}`, body);
      expect(put.json.data.product).toMatchObject({ allergens: ["milk"], may_contain: [] });
    }
    const row = { external_ref: { system: "till", id: "2" }, title: "Sweet" };
    await shop.post("/products/import", { rows: [{ ...row, ingredients_text: warned }] });
    await shop.post("/products/import", { rows: [{ ...row, ingredients_text: contains }] });
    const [imported] = (await shop.get("/products?limit=1&include=may_contain")).json.data;
    expect(imported).toMatchObject({ title: "Sweet", allergens: ["milk"], may_contain: [] });
    const free = { ingredients_text: contains, declarations: [{ code: "milk", presence: "free_from" }] };
    expect(refusal(await shop.post("/products", { title: "Sweet", ...free }))).toBe(
      "409 declaration_conflict",
    );
  });

  it("422 for both, and for a statement that names no known allergen", async () => {
    expect(
      pointersOf(await shop.post("/products", { title: "x", ingredients: [], ingredients_text: "y" })),
    ).toEqual(["#/ingredients_text"]);
    const unread = await shop.post("/products", { title: "x", ingredients_text: "Sugar. May contain xyz." });
    expect(refusal(unread)).toBe("422 ingredients_invalid");
    const id = await shop.make("/products", { title: "x" });
    expect((await shop.put(`/products/${id}/ingredients`, {})).status).toBe(422);
  });

  it("understands names of codes and suggests one for an unknown", async () => {
    const made = await shop.post("/products", {
      title: "Cake",
      ingredients: [{ name: "mix", contains: ["eggs", "soya"] }],
    });
    expect(made.json.data.ingredients[0].contains).toEqual(["egg", "soy"]);
    expect((await shop.get("/products?allergen=Eggs")).json.data).toHaveLength(1);
    const wrong = await shop.post("/products", {
      title: "Cake",
      ingredients: [{ name: "x", contains: ["milkk"] }],
    });
    expect(wrong.json.error.errors[0].detail).toContain("Did you mean milk?");
  });
});
