import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { createShop, idsOf, refusal } from "./shop.ts";
import type { Shop } from "./shop.ts";

let shop: Shop;
beforeEach(async () => {
  shop = await createShop();
});
afterEach(() => shop.harness.close());

const verdict = async (id: string, asked: object) =>
  (await shop.post("/check", { product_ids: [id], ...asked })).json.data.results[0].verdict;

describe("names against codes", () => {
  it.each([
    "whole milk powder",
    "butter",
    "cream",
    "cheddar",
    "whey",
    "tahini",
    "mayonnaise",
    "marzipan",
    "pesto",
    "Worcestershire sauce",
    "malt",
    "semolina",
  ])("409 no product with uncoded %s is verified or safe", async (name) => {
    const id = await shop.make("/products", { title: "Test", ingredients: [{ name }] });
    const shown = (await shop.get(`/products/${id}`)).json.data;
    expect(shown.unresolved_names.length).toBeGreaterThan(0);
    expect(refusal(await shop.post(`/products/${id}/verify`, { by: "Priya" }))).toBe("409 lint_errors");
    expect(await verdict(id, { avoid: ["milk"] })).toBe("unknown");
    expect(idsOf(await shop.get("/products?excludes=milk"))).toEqual([]);
  });

  it.each([
    ["vegan", "butter"],
    ["vegan", "honey"],
    ["vegan", "gelatine"],
    ["milk_free", "butter"],
    ["halal", "lard"],
    ["halal", "gelatine"],
    ["halal", "rum"],
    ["vegetarian", "anchovy paste"],
    ["kosher", "bacon"],
    ["nut_free", "marzipan"],
  ])("422 refuses %s for %s", async (claim, name) => {
    const answer = await shop.post("/products", {
      title: "Test",
      ingredients: [{ name }],
      dietary: [{ claim }],
    });
    expect(refusal(answer)).toBe("422 claim_conflict");
  });

  it.each(["us", "ca", "uk"])(
    "%s: 409 no salmon coded as cod is safe for who avoids salmon",
    async (mode) => {
      const ingredients = [{ name: "salmon", contains: ["cod"] }];
      const id = await shop.make("/products", { title: "Tartare", ingredients });
      const verified = await shop.post(`/products/${id}/verify`, { by: "Priya", mode });
      expect(await verdict(id, { avoid: ["salmon"], mode })).toBe("unknown");
      expect(refusal(verified)).toBe("409 lint_errors");
    },
  );

  it("200 an acknowledgement with a reason answers, and the history keeps who, when and why", async () => {
    const id = await shop.make("/products", { title: "Latte", ingredients: [{ name: "barista milk" }] });
    expect(refusal(await shop.post(`/products/${id}/verify`, { by: "Priya" }))).toBe("409 lint_errors");
    const acknowledgements = [{ reading: "milk", reason: "Pea drink of Sproud", by: "Priya" }];
    const put = await shop.put(`/products/${id}/ingredients?apply=true`, {
      ingredients: [{ name: "barista milk", acknowledgements }],
    });
    expect(put.json.data.product.unresolved_names).toEqual([]);
    const dietary = [{ claim: "vegan" }];
    expect((await shop.patch(`/products/${id}`, { dietary })).status).toBe(200);
    expect((await shop.post(`/products/${id}/verify`, { by: "Priya" })).status).toBe(200);
    expect(await verdict(id, { avoid: ["milk"], diets: ["vegan"] })).toBe("safe");
    const [latest] = (await shop.get(`/products/${id}/history`)).json.data;
    const shown = (await shop.get(`/products/${id}/history/${latest.revision}`)).json.data;
    expect(shown.product.ingredients[0].acknowledgements).toEqual([
      { ...acknowledgements[0], at: expect.stringMatching(/^2026-06-01T/) },
    ]);
  });

  it("200 an acknowledgement of a library ingredient holds in what is made of it", async () => {
    const acknowledgements = [{ reading: "milk", reason: "Rice drink" }];
    const milk = await shop.make("/ingredients", { name: "house milk", acknowledgements });
    const id = await shop.verified("Pudding", [{ ingredient_id: milk }]);
    const { ingredients } = (await shop.get(`/products/${id}`)).json.data;
    expect(ingredients[0].acknowledgements).toMatchObject([
      { ...acknowledgements[0], by: expect.any(String) },
    ]);
    const patched = await shop.patch(`/ingredients/${milk}`, { acknowledgements: [] });
    expect(patched.json.data.acknowledgements).toEqual([]);
  });

  it("200 an acknowledgement is about a name, and is gone with it", async () => {
    const acknowledgements = [{ reading: "milk", reason: "Named after Milk Street", by: "Priya" }];
    const id = await shop.make("/products", {
      title: "Milk Street loaf",
      acknowledgements,
      ingredients: [{ name: "rye flour", contains: ["rye"] }],
    });
    expect((await shop.post(`/products/${id}/verify`, { by: "Priya" })).status).toBe(200);
    expect((await shop.patch(`/products/${id}`, { title: "Milk Street loaf" })).json.data.status).toBe(
      "verified",
    );
    expect(await verdict(id, { avoid: ["milk"] })).toBe("safe");
    expect((await shop.patch(`/products/${id}`, { title: "Milk loaf" })).json.data).toMatchObject({
      status: "stale",
      acknowledgements: [],
    });
    expect(await verdict(id, { avoid: ["milk"] })).toBe("unknown");
    const milk = await shop.make("/ingredients", { name: "house milk", acknowledgements });
    const renamed = await shop.patch(`/ingredients/${milk}`, { name: "buttermilk" });
    expect(renamed.json.data.unresolved_names).toMatchObject([{ name: "buttermilk", code: "milk" }]);
  });

  it("422 an acknowledgement needs a reading that there is, and a reason", async () => {
    const make = (acknowledgement: object) =>
      shop.post("/products", {
        title: "T",
        ingredients: [{ name: "x", acknowledgements: [acknowledgement] }],
      });
    expect((await make({ reading: "moondust", reason: "x" })).status).toBe(422);
    expect((await make({ reading: "milk" })).status).toBe(422);
  });

  it("200 an import warns of names that nobody answered", async () => {
    const rows = [
      {
        external_ref: { system: "shopify", id: "1" },
        title: "Toast",
        ingredients: [{ name: "butter" }, { name: "bread" }],
      },
    ];
    const { json } = await shop.post("/products/import", { rows });
    expect(json.data.rows[0].warnings).toEqual([
      'The name "butter" says milk, which no code declares.',
      '"bread" usually contains wheat, which no code declares.',
    ]);
  });

  it("409 no product of which nothing was read is verified, until a person declares something", async () => {
    const rows = [
      { external_ref: { system: "shopify", id: "1" }, title: "Bread", ingredients_text: "牛乳入りパン" },
    ];
    const [row] = (await shop.post("/products/import", { rows })).json.data.rows;
    expect(row.warnings).toEqual([expect.stringMatching(/^"牛乳入りパン" could not be read/)]);
    const verify = () => shop.post(`/products/${row.product_id}/verify`, { by: "Priya" });
    expect(refusal(await verify())).toBe("409 lint_errors");
    const declarations = ["milk", "wheat"].map((code) => ({ code, presence: "contains" }));
    await shop.patch(`/products/${row.product_id}`, { sale_type: "loose", declarations });
    expect((await verify()).status).toBe(200);
    expect(await verdict(row.product_id, { avoid: ["milk"] })).toBe("unsafe");
  });
});
