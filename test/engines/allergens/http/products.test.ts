import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { createShop, idsOf, pointersOf, refusal, titlesOf } from "./shop.ts";
import type { Shop } from "./shop.ts";

let shop: Shop;
beforeEach(async () => {
  shop = await createShop();
});
afterEach(() => shop.harness.close());

const flour = { name: "wheat flour", contains: ["wheat"] };
const butter = { name: "butter", contains: ["milk"], animal_origin: "dairy" };
const unknownId = "prd_01JD8Z5T9QK3M4N5P6R7S8T9ZZ";

describe("GET /products", () => {
  it("AA24: every item has exactly id, title and allergens", async () => {
    const id = await shop.make("/products", { title: "Loaf", ingredients: [flour] });
    await shop.make("/products", { title: "Air" });
    const { json } = await shop.get("/products");
    expect(json.data).toEqual([
      { id: expect.any(String), title: "Air", allergens: [] },
      { id, title: "Loaf", allergens: ["wheat"] },
    ]);
  });

  it("200 adds what include asks for, and nothing else", async () => {
    await shop.make("/products", {
      title: "Loaf",
      ingredients: [flour],
      declarations: [{ code: "sesame", presence: "may_contain" }],
      dietary: [{ claim: "vegan" }],
    });
    const [item] = (await shop.get("/products?include=may_contain,dietary,nutrition,declarations")).json.data;
    expect(Object.keys(item)).toEqual([
      "id",
      "title",
      "allergens",
      "may_contain",
      "dietary",
      "nutrition",
      "declarations",
    ]);
    expect(item).toMatchObject({ may_contain: ["sesame"], dietary: [{ claim: "vegan" }], nutrition: null });
    expect(pointersOf(await shop.get("/products?include=everything"))).toEqual(["include"]);
  });

  it("200 by the mode that is asked for, and by another default at once", async () => {
    await shop.make("/products", {
      title: "Pie",
      ingredients: [
        { name: "pine nuts", contains: ["pine_nut"] },
        { name: "rye", contains: ["rye"] },
      ],
    });
    const allergens = async (query: string) => (await shop.get(`/products${query}`)).json.data[0].allergens;
    expect([await allergens(""), await allergens("?mode=us"), await allergens("?mode=ca")]).toEqual([
      ["rye"],
      ["pine_nut"],
      ["pine_nut", "rye"],
    ]);
    await shop.patch("/settings", { default_mode: "us" });
    expect(await allergens("")).toEqual(["pine_nut"]);
  });

  describe("filters", () => {
    beforeEach(async () => {
      await shop.verified("Butter croissant", [flour, butter], { dietary: [{ claim: "vegetarian" }] });
      await shop.verified("Rye crisp", [{ name: "rye", contains: ["rye"] }], {
        dietary: [{ claim: "vegan" }],
        declarations: [{ code: "milk", presence: "may_contain" }],
      });
      await shop.verified("Fruit salad", [{ name: "apple" }], {
        dietary: [{ claim: "vegan" }, { claim: "vegetarian" }],
      });
      await shop.make("/products", {
        title: "Almond crescent",
        ingredients: [{ name: "almonds", contains: ["almond"] }],
      });
    });
    it.each([
      ["allergen=wheat", ["Butter croissant"]],
      ["allergen=gluten", ["Rye crisp", "Butter croissant"]],
      ["allergen=wheat,milk", ["Butter croissant"]],
      ["allergen=hazelnut", []],
      ["allergen=nuts", ["Almond crescent"]],
      ["excludes=milk", ["Fruit salad"]],
      ["excludes=wheat", ["Fruit salad", "Rye crisp"]],
      ["excludes=gluten,milk", ["Fruit salad"]],
      ["excludes=pine_nut", []],
      ["diet=vegan", ["Fruit salad", "Rye crisp"]],
      ["diet=vegan,vegetarian", ["Fruit salad"]],
      ["status=unverified", ["Almond crescent"]],
      ["status=verified&diet=vegetarian", ["Fruit salad", "Butter croissant"]],
      ["q=cro", ["Butter croissant"]],
      ["q=CRÓIS%20butter", ["Butter croissant"]],
      ["q=cr", []],
      ["q=cre&status=unverified", ["Almond crescent"]],
      ["q=nothing", []],
    ] as const)("%s", async (query, titles) =>
      expect(titlesOf(await shop.get(`/products?${query}`))).toEqual(titles),
    );

    it("pages through what a filter lists, also where most is left out", async () => {
      for (let count = 0; count < 12; count += 1) await shop.verified(`Toast ${count}`, [flour, butter]);
      const seen: string[] = [];
      let query = "excludes=milk&limit=1";
      for (let pages = 0; pages < 20; pages += 1) {
        const { json } = await shop.get(`/products?${query}`);
        expect(json.data.length).toBeLessThanOrEqual(1);
        seen.push(...json.data.map(({ title }: { title: string }) => title));
        if (json.meta.pagination.next_cursor === null) break;
        query = `excludes=milk&limit=1&cursor=${json.meta.pagination.next_cursor}`;
      }
      expect(seen).toEqual(["Fruit salad"]);
    });

    it("updated_since begins at the instant, the longest unchanged first", async () => {
      const [first] = idsOf(await shop.get("/products?q=rye"));
      shop.harness.clock.advance(1000);
      const since = "2026-06-01T09:00:01.000Z";
      expect(titlesOf(await shop.get(`/products?updated_since=${since}`))).toEqual([]);
      await shop.patch(`/products/${first}`, { title: "Rye cracker" });
      shop.harness.clock.advance(1000);
      const pie = await shop.make("/products", { title: "Pie" });
      expect(idsOf(await shop.get(`/products?updated_since=${since}`))).toEqual([first, pie]);
      expect(idsOf(await shop.get(`/products?updated_since=${since}&q=pie`))).toEqual([pie]);
    });
  });

  it.each([
    ["allergen=nothing", "allergen"],
    ["excludes=milk,nothing", "excludes"],
    ["diet=keto", "diet"],
    ["status=fine", "status"],
    ["mode=mars", "mode"],
    ["updated_since=yesterday", "updated_since"],
  ])("422 %s", async (query, parameter) =>
    expect(pointersOf(await shop.get(`/products?${query}`))).toEqual([parameter]),
  );
});

describe("writing products", () => {
  it("201 declares what the ingredients bring, and stores what is said of it", async () => {
    const answer = await shop.post("/products", {
      title: " Loaf ",
      ingredients: [flour, butter],
      declarations: [{ code: "egg", presence: "may_contain" }],
    });
    expect(answer.status).toBe(201);
    expect(answer.headers.get("location")).toBe(`/v1/allergens/products/${answer.json.data.id}`);
    expect(answer.json.data).toMatchObject({
      title: "Loaf",
      mode: "uk",
      allergens: ["wheat", "milk"],
      may_contain: ["egg"],
      status: "unverified",
      revision: 1,
      sale_type: "prepacked",
    });
    const found = await shop.get(`/products/${answer.json.data.id}`);
    expect(found.json.data).toEqual(answer.json.data);
    expect(found.headers.get("etag")).toBe(`"${answer.json.data.version}"`);
  });

  it.each([
    [
      "AA7",
      {
        declarations: [
          { code: "milk", presence: "free_from" },
          { code: "milk", presence: "may_contain" },
        ],
      },
      "409 free_from_conflict",
    ],
    [
      "invariant 2",
      { ingredients: [butter], declarations: [{ code: "milk", presence: "free_from" }] },
      "409 declaration_conflict",
    ],
    ["invariant 5", { ingredients: [butter], dietary: [{ claim: "vegan" }] }, "422 claim_conflict"],
    ["AA9", { dietary: [{ claim: "gluten_free", gluten_mg_per_kg: 20.1 }] }, "422 claim_conflict"],
    [
      "an unknown ingredient",
      { ingredients: [{ ingredient_id: "ing_01JD8Z5T9QK3M4N5P6R7S8T9ZZ" }] },
      "422 ingredients_invalid",
    ],
    ["an unknown code", { declarations: [{ code: "moondust", presence: "contains" }] }, "422"],
    ["no title", { title: " " }, "422"],
  ])("%s", async (_, body, expected) =>
    expect(refusal(await shop.post("/products", { title: "Loaf", ...body }))).toBe(expected),
  );

  it("AA8, AA9: accepted", async () => {
    const vegan = {
      title: "A",
      dietary: [{ claim: "vegan" }],
      declarations: [{ code: "milk", presence: "may_contain" }],
    };
    expect((await shop.post("/products", vegan)).status).toBe(201);
    expect(
      (
        await shop.post("/products", {
          title: "B",
          dietary: [{ claim: "gluten_free", gluten_mg_per_kg: 20 }],
        })
      ).status,
    ).toBe(201);
  });

  it("409 too_many_declarations: at most forty", async () => {
    const codes = (await shop.get("/codes?limit=100")).json.data.map(({ code }: { code: string }) => code);
    const ingredients = [0, 1, 2].map((part) => ({
      name: `spice ${part}`,
      contains: codes.slice(part * 14, part * 14 + 14),
    }));
    expect(refusal(await shop.post("/products", { title: "All", ingredients }))).toBe(
      "409 too_many_declarations",
    );
  });

  it("409 external_ref_taken, and a reference that was given up is free", async () => {
    const ref = { system: "till", id: "Größe/1" };
    const first = await shop.make("/products", { title: "A", external_refs: [ref] });
    const second = await shop.make("/products", { title: "B" });
    expect(refusal(await shop.patch(`/products/${second}`, { external_refs: [ref] }))).toBe(
      "409 external_ref_taken",
    );
    await shop.patch(`/products/${first}`, { external_refs: [] });
    expect((await shop.patch(`/products/${second}`, { external_refs: [ref] })).status).toBe(200);
    await shop.remove(`/products/${second}`);
    expect((await shop.post("/products", { title: "C", external_refs: [ref] })).status).toBe(201);
  });

  it("200 a patch replaces what was declared by hand and keeps what the ingredients bring", async () => {
    const id = await shop.make("/products", {
      title: "Loaf",
      ingredients: [flour],
      declarations: [{ code: "egg", presence: "may_contain" }],
    });
    const { json } = await shop.patch(`/products/${id}`, {
      declarations: [{ code: "soy", presence: "contains" }],
    });
    expect(json.data).toMatchObject({ allergens: ["wheat", "soy"], may_contain: [], revision: 2 });
    expect(
      (await shop.patch(`/products/${id}`, { contains_statement: null, dietary: [] })).json.data.allergens,
    ).toEqual(["wheat", "soy"]);
  });

  it("200 other declarations make a verified product stale; another title does not", async () => {
    const id = await shop.verified("Loaf", [flour]);
    expect((await shop.patch(`/products/${id}`, { title: "Bread" })).json.data.status).toBe("verified");
    const changed = await shop.patch(`/products/${id}`, {
      declarations: [{ code: "soy", presence: "may_contain" }],
    });
    expect(changed.json.data).toMatchObject({ status: "stale", stale_reasons: [{ code: "changed" }] });
  });

  it("AA23: 422 a wider word in a verified product, and its verification", async () => {
    const id = await shop.verified("Loaf", [flour]);
    const nuts = { declarations: [{ code: "tree_nuts", presence: "contains" }] };
    const answer = await shop.patch(`/products/${id}`, nuts);
    expect(refusal(answer)).toBe("422 allergen_not_specific");
    expect(answer.json.error.errors[0].detail).toContain("hazelnut");
    const draft = await shop.make("/products", { title: "Draft", ...nuts });
    expect(refusal(await shop.post(`/products/${draft}/verify`, { by: "Priya" }))).toBe(
      "422 allergen_not_specific",
    );
  });

  it("404 and 412", async () => {
    const id = await shop.make("/products", { title: "Loaf" });
    for (const [method, path] of [
      ["GET", ""],
      ["PATCH", ""],
      ["DELETE", ""],
      ["PUT", "/ingredients"],
      ["POST", "/derive"],
      ["POST", "/verify"],
      ["GET", "/label"],
      ["GET", "/metafields"],
      ["GET", "/history"],
      ["GET", "/history/1"],
    ] as const) {
      const body =
        method === "PATCH"
          ? {}
          : path === "/ingredients"
            ? { ingredients: [] }
            : path === "/verify"
              ? { by: "x" }
              : undefined;
      expect([path, (await shop.call(method, `/products/${unknownId}${path}`, body)).status]).toEqual([
        path,
        404,
      ]);
    }
    expect((await shop.call("PATCH", `/products/${id}`, { title: "x" }, { "if-match": '"99"' })).status).toBe(
      412,
    );
    expect((await shop.call("DELETE", `/products/${id}`, undefined, { "if-match": '"99"' })).status).toBe(
      412,
    );
    expect((await shop.remove(`/products/${id}`)).status).toBe(204);
    expect((await shop.get(`/products/${id}`)).status).toBe(404);
  });
});
