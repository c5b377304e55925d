import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { createShop, refusal } from "./shop.ts";
import type { Shop } from "./shop.ts";

let shop: Shop;
let butter: string;
beforeEach(async () => {
  shop = await createShop();
  butter = await shop.make("/ingredients", { name: "butter", contains: ["milk"] });
});
afterEach(() => shop.harness.close());

const menus = async (method: string, path: string, body?: unknown) => {
  const answer = await shop.harness.call(method, `/v1/menus${path}`, { key: shop.key, body });
  if (answer.status >= 300) throw new Error(answer.text);
  return answer.json.data;
};
const rowsOf = async (path: string) => (await shop.get(path)).json.data;

describe("a change of one ingredient in a shop of thirty products", () => {
  it("is known at once, previewed, reviewed and verified in four requests", async () => {
    const ids: string[] = [];
    for (let n = 0; n < 30; n += 1)
      ids.push(
        await shop.verified(`Bun ${n}`, [{ ingredient_id: butter }], { dietary: [{ claim: "sesame_free" }] }),
      );
    const change = { contains: ["milk", "sesame"] };

    const preview = await shop.post(`/ingredients/${butter}/preview?limit=100`, change);
    expect(preview.json.data).toHaveLength(30);
    expect(preview.json.data[0]).toMatchObject({
      status: "stale",
      added: ["sesame"],
      removed: [],
      withdrawn_claims: ["sesame_free"],
    });
    expect((await shop.get(`/products/${ids[0]}`)).json.data.status).toBe("verified");

    await shop.patch(`/ingredients/${butter}`, change);
    const impact = await rowsOf(`/ingredients/${butter}/impact?limit=100`);
    expect(impact).toHaveLength(30);
    for (const row of impact)
      expect(row).toMatchObject({ status: "stale", added: ["sesame"], withdrawn_claims: ["sesame_free"] });
    // Every product shows it at once, also those that the job has not reached yet.
    for (const id of ids) {
      const { allergens, dietary } = (await shop.get(`/products/${id}`)).json.data;
      expect([allergens, dietary[0].status]).toEqual([["milk", "sesame"], "withdrawn"]);
    }
    expect((await shop.get("/products?allergen=sesame&limit=100")).json.data).toHaveLength(30);

    await shop.runJob();
    const reviewed = await rowsOf("/products?status=stale&include=revision,changed_allergens&limit=100");
    expect(reviewed[0].changed_allergens).toEqual({ added: ["sesame"], removed: [] });
    const answer = await shop.post("/products/verify", {
      by: "Priya",
      note: "New butter",
      products: reviewed.map(({ id, revision }: { id: string; revision: number }) => ({ id, revision })),
    });
    expect(answer.json.data.counts).toEqual({ verified: 30, refused: 0 });
    expect(await rowsOf("/products?status=stale")).toEqual([]);
    const after = (await shop.get(`/products/${ids[29]}`)).json.data;
    expect(after).toMatchObject({ status: "verified", verified_by: "Priya" });
    expect(after).not.toHaveProperty("changed_allergens");
    const history = await rowsOf(`/products/${ids[29]}/history`);
    expect(history[1]).toMatchObject({ change: "became_stale", added: ["sesame"], removed: [] });
  });

  it("names menu items and printed labels that are wrong by now", async () => {
    const id = await shop.verified("Croissant", [{ ingredient_id: butter }]);
    const item = await menus("POST", "/items", { title: { en: "Croissant" }, price: 300, product_id: id });
    const print = await shop.post(`/products/${id}/prints`, { copies: 12, by: "Sam" });
    expect(print.json.data).toMatchObject({
      copies: 12,
      allergens: ["milk"],
      text: "Croissant\nIngredients: butter (MILK).\n",
    });
    expect((await rowsOf(`/ingredients/${butter}/impact`))[0]).toMatchObject({
      menu_items: [{ id: item.id, title: "Croissant" }],
      printed_labels: [],
    });
    await shop.patch(`/ingredients/${butter}`, { contains: ["milk", "soy"] });
    expect((await rowsOf(`/ingredients/${butter}/impact`))[0].printed_labels).toEqual([
      { id: print.json.data.id, at: print.json.data.created_at, by: "Sam", copies: 12 },
    ]);
    expect(refusal(await shop.post(`/products/${id}/prints`, {}))).toBe("409 label_errors");
    expect(await rowsOf(`/products/${id}/prints`)).toHaveLength(1);
  });

  it("takes items off sale where the shop asks for it, until they are verified", async () => {
    const id = await shop.verified("Croissant", [{ ingredient_id: butter }]);
    const item = await menus("POST", "/items", { title: { en: "Croissant" }, price: 300, product_id: id });
    const category = await menus("POST", "/categories", { title: { en: "All" }, item_ids: [item.id] });
    const menu = await menus("POST", "", { title: { en: "Menu" }, category_ids: [category.id] });
    await menus("POST", `/${menu.id}/publish`, {});
    const sold = async () => {
      const { available, reason } = (await menus("GET", `/${menu.id}/live`)).categories[0].items[0];
      return [available, reason];
    };
    await shop.patch(`/ingredients/${butter}`, { contains: ["milk", "soy"] });
    expect(await sold()).toEqual([true, null]);
    await menus("PATCH", "/settings", { sell_unverified: false });
    expect(await sold()).toEqual([false, "allergens_unverified"]);
    const price = await menus("POST", "/price", { menu_id: menu.id, lines: [{ item_id: item.id }] });
    expect(price.lines[0].errors[0].detail).toContain("allergens_unverified");
    await shop.post(`/products/${id}/verify`, { by: "Priya" });
    expect(await sold()).toEqual([true, null]);
  });
});

describe("POST /products/verify", () => {
  it("refuses a product that changed after its review, and one with errors; the others are verified", async () => {
    const [good, changed, faulty] = [
      await shop.make("/products", { title: "Good", ingredients: [{ ingredient_id: butter }] }),
      await shop.make("/products", { title: "Changed", ingredients: [{ ingredient_id: butter }] }),
      await shop.make("/products", { title: "Faulty", ingredients: [{ name: "pesto" }] }),
    ];
    await shop.patch(`/products/${changed}`, { title: "Changed since" });
    const rows = [good, changed, faulty, "prd_nowhere"].map((id) => ({ id, revision: 1 }));
    const { counts, rows: results } = (await shop.post("/products/verify", { by: "Priya", products: rows }))
      .json.data;
    expect(counts).toEqual({ verified: 1, refused: 3 });
    expect(results.map(({ error }: { error: { code: string } | null }) => error?.code ?? null)).toEqual([
      null,
      "revision_changed",
      "lint_errors",
      null,
    ]);
    expect(refusal(await shop.post(`/products/${changed}/verify`, { by: "Priya", revision: 1 }))).toBe(
      "409 revision_changed",
    );
  });
});
