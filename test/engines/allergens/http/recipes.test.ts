import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { storePartition } from "../../../../server/core/partitions.ts";
import { facet, products } from "../../../../server/engines/allergens/repository.ts";
import { createShop, idsOf, refusal, titlesOf } from "./shop.ts";
import type { Shop } from "./shop.ts";

let shop: Shop;
beforeEach(async () => {
  shop = await createShop();
});
afterEach(() => shop.harness.close());

const flour = { name: "wheat flour", contains: ["wheat"] };
const butter = { name: "butter", contains: ["milk"] };
const codesOf = (declarations: { code: string }[]): string[] => declarations.map(({ code }) => code);

describe("PUT /products/{id}/ingredients", () => {
  it("200 proposes without applying, and applies when asked", async () => {
    const id = await shop.make("/products", { title: "Loaf", ingredients: [flour] });
    const proposed = (await shop.put(`/products/${id}/ingredients`, { ingredients: [butter] })).json.data;
    expect([codesOf(proposed.diff.added), codesOf(proposed.diff.removed), proposed.applied]).toEqual([
      ["milk"],
      ["wheat"],
      false,
    ]);
    // What the new recipe brings is told of from here on; what was declared goes when it is derived.
    expect(proposed.product.allergens).toEqual(["milk", "wheat"]);
    expect((await shop.get("/products?allergen=milk")).json.data).toMatchObject([
      { id, allergens: ["milk", "wheat"] },
    ]);
    expect((await shop.get(`/products/${id}/label`)).json.data.ingredients_html).toBe(
      "butter (<strong>milk</strong>)",
    );
    const lint = (await shop.get(`/products/${id}/label`)).json.data.lint.map(
      ({ code }: { code: string }) => code,
    );
    expect(lint).toContain("declaration_missing");
    expect(refusal(await shop.post(`/products/${id}/verify`, { by: "Priya" }))).toBe("409 lint_errors");
    const applied = (await shop.put(`/products/${id}/ingredients?apply=true`, { ingredients: [butter] })).json
      .data;
    expect([applied.applied, applied.product.allergens]).toEqual([true, ["milk"]]);
  });

  it("200 a warning of an ingredient stands on the label though nobody derived it", async () => {
    const id = await shop.make("/products", { title: "Bar", ingredients: [{ name: "sugar" }] });
    const chips = { name: "dark chocolate chips", may_contain: ["peanut"] };
    await shop.put(`/products/${id}/ingredients`, { ingredients: [chips] });
    expect((await shop.post(`/products/${id}/verify`, { by: "Priya" })).status).toBe(200);
    expect((await shop.get(`/products/${id}/label`)).json.data.may_contain_statement).toBe(
      "May contain peanuts.",
    );
    expect((await shop.get("/matrix")).json.data.rows[0].cells.peanut).toBe("M");
  });

  it("422 two lines that would have the same id", async () => {
    const syrup = await shop.make("/ingredients", {
      name: "glucose syrup",
      exemption: "wheat_glucose_syrup",
      sub_ingredients: [{ name: "wheat starch", contains: ["wheat"] }],
    });
    const ingredients = [
      { id: "syrup", ingredient_id: syrup },
      { id: "syrup.1", ...flour },
    ];
    expect(refusal(await shop.post("/products", { title: "Pie", ingredients }))).toBe(
      "422 ingredients_invalid",
    );
  });

  it("200 a line keeps its id by name or by id", async () => {
    const created = await shop.post("/products", { title: "Loaf", ingredients: [flour, butter] });
    const [flourLine, butterLine] = created.json.data.ingredients;
    const ingredients = [
      { name: "butter", contains: ["milk"] },
      { id: flourLine.id, name: "strong flour", contains: ["wheat"] },
      { name: "salt" },
    ];
    const { product } = (await shop.put(`/products/${created.json.data.id}/ingredients`, { ingredients }))
      .json.data;
    expect(product.ingredients.map(({ id }: { id: string }) => id).slice(0, 2)).toEqual([
      butterLine.id,
      flourLine.id,
    ]);
  });

  it("200 another supplier makes a verified product stale", async () => {
    const id = await shop.verified("Loaf", [{ ...flour, supplier: "A" }]);
    const same = await shop.put(`/products/${id}/ingredients`, {
      ingredients: [{ ...flour, supplier: "A" }],
    });
    expect(same.json.data.product.status).toBe("verified");
    const { product } = (
      await shop.put(`/products/${id}/ingredients`, { ingredients: [{ ...flour, supplier: "B" }] })
    ).json.data;
    expect(product).toMatchObject({ status: "stale", stale_reasons: [{ code: "changed" }] });
  });

  it("409 with apply, where a declaration made by hand says the opposite; told without", async () => {
    const id = await shop.make("/products", {
      title: "Loaf",
      declarations: [{ code: "milk", presence: "free_from" }],
    });
    expect(refusal(await shop.put(`/products/${id}/ingredients?apply=true`, { ingredients: [butter] }))).toBe(
      "409 declaration_conflict",
    );
    const told = await shop.put(`/products/${id}/ingredients`, { ingredients: [butter] });
    expect(told.json.data.conflict.code).toBe("declaration_conflict");
  });
});

describe("the library", () => {
  it("201, 200, 204: an ingredient's life", async () => {
    const id = await shop.make("/ingredients", {
      name: "butter",
      contains: ["milk"],
      animal_origin: "dairy",
    });
    expect((await shop.get(`/ingredients/${id}`)).json.data).toMatchObject({
      name: "butter",
      revision: 1,
      supplier: null,
    });
    expect((await shop.patch(`/ingredients/${id}`, { supplier: "A" })).json.data).toMatchObject({
      supplier: "A",
      revision: 2,
    });
    expect((await shop.patch(`/ingredients/${id}`, { supplier: "A" })).json.data.revision).toBe(2);
    expect(idsOf(await shop.get("/ingredients"))).toEqual([id]);
    expect(
      (await shop.call("PATCH", `/ingredients/${id}`, { name: "x" }, { "if-match": '"99"' })).status,
    ).toBe(412);
    expect((await shop.remove(`/ingredients/${id}`)).status).toBe(204);
    expect((await shop.get(`/ingredients/${id}`)).status).toBe(404);
  });

  it("422 ingredient_cycle, however long", async () => {
    const a = await shop.make("/ingredients", { name: "a" });
    const b = await shop.make("/ingredients", { name: "b", sub_ingredients: [{ ingredient_id: a }] });
    const c = await shop.make("/ingredients", {
      name: "c",
      sub_ingredients: [{ name: "mix", sub_ingredients: [{ ingredient_id: b }] }],
    });
    for (const id of [a, b, c])
      expect(
        refusal(await shop.patch(`/ingredients/${a}`, { sub_ingredients: [{ ingredient_id: id }] })),
      ).toBe("422 ingredient_cycle");
    expect(
      refusal(await shop.patch(`/ingredients/${a}`, { sub_ingredients: [{ ingredient_id: "ing_none" }] })),
    ).toBe("422 ingredients_invalid");
  });

  it("409 in_use by a product or by another ingredient", async () => {
    const milk = await shop.make("/ingredients", { name: "milk", contains: ["milk"] });
    const cheese = await shop.make("/ingredients", {
      name: "cheese",
      sub_ingredients: [{ ingredient_id: milk }],
    });
    expect(refusal(await shop.remove(`/ingredients/${milk}`))).toBe("409 in_use");
    const pie = await shop.make("/products", { title: "Pie", ingredients: [{ ingredient_id: cheese }] });
    expect(refusal(await shop.remove(`/ingredients/${cheese}`))).toBe("409 in_use");
    await shop.remove(`/products/${pie}`);
    await shop.remove(`/ingredients/${cheese}`);
    expect((await shop.remove(`/ingredients/${milk}`)).status).toBe(204);
  });

  it("200 a product follows a changed ingredient, deep inside too, and its verification lapses", async () => {
    const oil = await shop.make("/ingredients", { name: "oil" });
    const mayo = await shop.make("/ingredients", {
      name: "mayonnaise",
      contains: ["egg"],
      sub_ingredients: [{ ingredient_id: oil }],
    });
    const id = await shop.verified("Salad", [{ ingredient_id: mayo, percent: 20 }]);
    await shop.patch(`/ingredients/${oil}`, { contains: ["soy"] });
    expect((await shop.get(`/products/${id}`)).json.data).toMatchObject({
      status: "stale",
      stale_reasons: [{ code: "ingredient_changed" }],
      allergens: ["egg", "soy"],
      changed_allergens: { added: ["soy"], removed: [] },
    });
    const derived = (await shop.post(`/products/${id}/derive`)).json.data;
    expect([derived.diff.added, derived.applied]).toEqual([[], false]);
    expect((await shop.post(`/products/${id}/verify`, { by: "Priya" })).json.data).toMatchObject({
      status: "verified",
      stale_reasons: [],
    });
  });
});

describe("a change that reaches many products", () => {
  const COUNT = 40;
  let butterId: string;
  let ids: string[];
  beforeEach(async () => {
    butterId = await shop.make("/ingredients", { name: "butter", contains: ["milk"] });
    ids = [];
    for (let count = 0; count < COUNT; count += 1)
      ids.push(await shop.verified(`Bun ${count}`, [{ ingredient_id: butterId }]));
  });
  const stored = async (): Promise<number> => {
    const marked = { index: "by", value: facet.status("stale"), limit: 100 };
    const { runTx } = shop.harness.services;
    const page = await runTx(storePartition(shop.key.storeId, "live"), (tx) => tx.peekPage(products, marked));
    return page.items.length;
  };

  it("holds for all of them at once, though only some are marked; the job marks the rest", async () => {
    const never = await shop.make("/products", {
      title: "Never verified",
      ingredients: [{ ingredient_id: butterId }],
    });
    await shop.patch(`/ingredients/${butterId}`, { may_contain: ["soy"] });
    for (const id of ids) expect((await shop.get(`/products/${id}`)).json.data.status).toBe("stale");
    expect(
      (await shop.post("/check", { product_ids: ids.slice(0, 1), avoid: ["egg"] })).json.data.verdict,
    ).toBe("unknown");
    expect(titlesOf(await shop.get("/products?status=verified&limit=100"))).toEqual([]);
    expect(await stored()).toBeLessThan(COUNT);
    // A product that takes the ingredient now has it as it is.
    const after = await shop.verified("After", [{ ingredient_id: butterId }]);
    expect((await shop.get(`/products/${after}`)).json.data.status).toBe("verified");
    const { ingredient_changed: marked } = await shop.runJob();
    expect(marked).toBeGreaterThan(0);
    expect(await stored()).toBe(COUNT);
    expect((await shop.runJob())["ingredient_changed"]).toBe(0);
    expect((await shop.get(`/products/${after}`)).json.data.status).toBe("verified");
    expect((await shop.get(`/products/${never}`)).json.data.status).toBe("unverified");
    const history = (await shop.get(`/products/${ids[0]}/history`)).json.data;
    expect(history[0]).toMatchObject({ change: "became_stale", status: "stale", by: null });
  });

  it("begins anew when the ingredient changes again before the job is through", async () => {
    await shop.patch(`/ingredients/${butterId}`, { may_contain: ["soy"] });
    const last = ids.at(-1) ?? "";
    await shop.post(`/products/${last}/derive?apply=true`);
    await shop.post(`/products/${last}/verify`, { by: "Priya" });
    await shop.patch(`/ingredients/${butterId}`, { may_contain: ["egg"] });
    expect((await shop.get(`/products/${last}`)).json.data.status).toBe("stale");
    await shop.runJob();
    expect(await stored()).toBe(COUNT);
  });
});

describe("POST /products/{id}/verify", () => {
  it("200 says who, when and for which mode", async () => {
    const id = await shop.make("/products", { title: "Loaf", ingredients: [flour] });
    const { json } = await shop.post(`/products/${id}/verify`, {
      by: "Priya",
      note: "spec of May",
      mode: "us",
    });
    expect(json.data).toMatchObject({
      status: "verified",
      verified_by: "Priya",
      verified_note: "spec of May",
      verified_mode: "us",
      verified_at: "2026-06-01T09:00:00.000Z",
    });
  });
  it("lapses on the day, and the job files it so", async () => {
    await shop.patch("/settings", { stale_after_days: 30 });
    const id = await shop.verified("Loaf", [flour]);
    shop.harness.clock.advance(30 * 86_400_000 - 1);
    expect((await shop.get(`/products/${id}`)).json.data.status).toBe("verified");
    shop.harness.clock.advance(1);
    expect((await shop.get(`/products/${id}`)).json.data.stale_reasons[0].code).toBe("too_old");
    const kinds = async () =>
      (await shop.get(`/products/${id}/history`)).json.data.map(({ change }: { change: string }) => change);
    expect(await kinds()).not.toContain("became_stale");
    expect(await shop.runJob()).toEqual({ ingredient_changed: 0, too_old: 1 });
    expect(await kinds()).toContain("became_stale");
    expect(idsOf(await shop.get("/products?status=stale"))).toEqual([id]);
  });
});

describe("an ingredient of the library that grows under what is made of it", () => {
  const into = (id: string, inner: readonly string[]) =>
    shop.patch(`/ingredients/${id}`, {
      sub_ingredients: inner.map((ingredient_id) => ({ ingredient_id })),
    });

  it("422 when it stands deeper than a product may", async () => {
    const ids: string[] = [];
    for (let level = 0; level < 8; level += 1)
      ids.push(await shop.make("/ingredients", { name: `level ${level}` }));
    const [top = ""] = ids;
    const product = await shop.make("/products", { title: "Deep", ingredients: [{ ingredient_id: top }] });
    for (const [level, id] of ids.entries()) {
      const inner = ids[level + 1];
      if (inner !== undefined) expect((await into(id, [inner])).status).toBe(200);
    }
    expect(refusal(await shop.post(`/products/${product}/derive?apply=true`))).toBe(
      "422 ingredients_invalid",
    );
    expect(refusal(await shop.post(`/products/${product}/derive`))).toBe("422 ingredients_invalid");
    // It cannot follow the library, and so nobody can answer for it.
    expect(refusal(await shop.post(`/products/${product}/verify`, { by: "Priya" }))).toBe(
      "409 ingredients_outdated",
    );
  });

  it("422 when it comes to more lines than could ever be written out", async () => {
    const [outer, middle, inner] = [
      await shop.make("/ingredients", { name: "outer" }),
      await shop.make("/ingredients", { name: "middle" }),
      await shop.make("/ingredients", { name: "inner" }),
    ];
    const product = await shop.make("/products", { title: "Wide", ingredients: [{ ingredient_id: outer }] });
    const many = (id: string): string[] => Array.from({ length: 290 }, () => id);
    expect((await into(outer, many(middle))).status).toBe(200);
    expect((await into(middle, many(inner))).status).toBe(200);
    expect(refusal(await shop.post(`/products/${product}/derive`))).toBe("422 ingredients_invalid");
  });

  it("201 takes each ingredient that stands inside, in however many others the rest does", async () => {
    const [salt, oil, paste] = [
      await shop.make("/ingredients", { name: "salt" }),
      await shop.make("/ingredients", { name: "oil" }),
      await shop.make("/ingredients", { name: "paste", contains: ["peanut"] }),
    ];
    const outer: string[] = [];
    for (let number = 0; number < 27; number += 1) {
      const inner = number === 26 ? [salt, oil, paste] : [salt, oil];
      const sub_ingredients = inner.map((ingredient_id) => ({ ingredient_id }));
      outer.push(await shop.make("/ingredients", { name: `sauce ${number}`, sub_ingredients }));
    }
    const ingredients = outer.map((ingredient_id) => ({ ingredient_id }));
    const made = await shop.post("/products", { title: "Stew", ingredients });
    expect([made.status, made.json.data.allergens]).toEqual([201, ["peanut"]]);
  });
});
