import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { oatBiscuits, pesto } from "../open-food-facts.ts";
import { createShop, pointersOf } from "./shop.ts";
import type { Shop } from "./shop.ts";

let shop: Shop;
beforeEach(async () => {
  shop = await createShop();
});
afterEach(() => shop.harness.close());

const ref = (id: string) => ({ system: "till", id });
const outcomes = (rows: { outcome: string }[]): string[] => rows.map(({ outcome }) => outcome);

describe("POST /products/import", () => {
  it("200 creates, then finds nothing to do, then updates", async () => {
    const rows = [
      { external_ref: ref("1"), title: "Loaf", ingredients: [{ name: "wheat flour", contains: ["wheat"] }] },
      { external_ref: ref("2"), title: "Milk", declarations: [{ code: "milk", presence: "contains" }] },
    ];
    const first = (await shop.post("/products/import", { rows })).json.data;
    expect([outcomes(first.rows), first.counts]).toEqual([
      ["created", "created"],
      { created: 2, updated: 0, unchanged: 0, refused: 0 },
    ]);
    const again = (await shop.post("/products/import", { rows })).json.data;
    expect(outcomes(again.rows)).toEqual(["unchanged", "unchanged"]);
    expect(again.rows[0].product_id).toBe(first.rows[0].product_id);
    const changed = (
      await shop.post("/products/import", { rows: [{ external_ref: ref("1"), title: "Big loaf" }] })
    ).json.data;
    expect(outcomes(changed.rows)).toEqual(["updated"]);
    const loaf = (await shop.get(`/products/${first.rows[0].product_id}`)).json.data;
    expect(loaf).toMatchObject({
      title: "Big loaf",
      allergens: ["wheat"],
      revision: 2,
      external_refs: [ref("1")],
    });
    expect((await shop.get(`/products/${loaf.id}/history`)).json.data[0].change).toBe("imported");
  });

  it("200 refuses single rows and takes the others", async () => {
    const { data } = (
      await shop.post("/products/import", {
        rows: [
          {
            external_ref: ref("1"),
            title: "A",
            dietary: [{ claim: "vegan" }],
            ingredients: [{ name: "milk", contains: ["milk"] }],
          },
          { external_ref: ref("2"), title: "B" },
          { external_ref: ref("2"), title: "B again" },
          { external_ref: ref("3"), title: "C", ingredients: [{ ingredient_id: "ing_none" }] },
        ],
      })
    ).json;
    expect(outcomes(data.rows)).toEqual(["refused", "created", "refused", "refused"]);
    expect(data.rows.map(({ error }: { error: { code: string } | null }) => error?.code ?? null)).toEqual([
      "claim_conflict",
      null,
      "row_repeated",
      "ingredients_invalid",
    ]);
    expect(data.rows[3].error.detail).toContain("#/ingredients/0/ingredient_id No such ingredient.");
  });

  it("200 a dry run finds the same and writes nothing", async () => {
    const rows = [
      { external_ref: ref("1"), title: "A" },
      {
        external_ref: ref("2"),
        title: "B",
        declarations: [
          { code: "milk", presence: "free_from" },
          { code: "milk", presence: "contains" },
        ],
      },
      { external_ref: ref("3"), title: "C", dietary: [{ claim: "gluten_free" }] },
    ];
    const { data } = (await shop.post("/products/import", { dry_run: true, rows })).json;
    expect([outcomes(data.rows), data.dry_run]).toEqual([["created", "refused", "refused"], true]);
    expect((await shop.get("/products")).json.data).toEqual([]);
  });

  it("200 takes products of Open Food Facts as unverified drafts", async () => {
    const { data } = (
      await shop.post("/products/import", {
        open_food_facts: [oatBiscuits, pesto, { code: "9", product_name: "" }],
      })
    ).json;
    expect(outcomes(data.rows)).toEqual(["created", "created", "refused"]);
    const biscuits = (await shop.get(`/products/${data.rows[0].product_id}`)).json.data;
    expect(biscuits).toMatchObject({
      title: "Oat biscuits",
      status: "unverified",
      allergens: ["oats", "wheat", "milk"],
      may_contain: ["nuts"],
      nutrition: { fat: 21 },
    });
    expect(data.rows[1].warnings).toEqual([
      expect.stringMatching(/^Claim vegan left out: /),
      expect.stringMatching(/^Claim gluten_free left out: /),
    ]);
    const again = (await shop.post("/products/import", { open_food_facts: [oatBiscuits, pesto] })).json.data;
    expect(outcomes(again.rows)).toEqual(["unchanged", "unchanged"]);
  });

  it("200 takes 500 rows", async () => {
    const rows = Array.from({ length: 500 }, (_, index) => ({
      external_ref: ref(String(index)),
      title: `Product ${index}`,
    }));
    expect((await shop.post("/products/import", { rows })).json.data.counts.created).toBe(500);
  });

  it("200 an update of a verified product makes it stale, and one with the same recipe leaves it", async () => {
    const row = {
      external_ref: ref("1"),
      title: "Loaf",
      ingredients: [{ name: "wheat flour", contains: ["wheat"] }],
    };
    const id = (await shop.post("/products/import", { rows: [row] })).json.data.rows[0].product_id;
    await shop.post(`/products/${id}/verify`, { by: "Priya" });
    await shop.post("/products/import", { rows: [{ ...row, title: "Bread" }] });
    expect((await shop.get(`/products/${id}`)).json.data.status).toBe("verified");
    await shop.post("/products/import", {
      rows: [{ ...row, ingredients: [...row.ingredients, { name: "salt" }] }],
    });
    expect((await shop.get(`/products/${id}`)).json.data.status).toBe("stale");
  });

  it.each([
    ["nothing", {}, "#/rows"],
    ["both", { rows: [{ external_ref: ref("1"), title: "A" }], open_food_facts: [pesto] }, "#/rows"],
    ["a row without a reference", { rows: [{ title: "A" }] }, "#/rows/0/external_ref"],
    [
      "501 rows",
      { rows: Array.from({ length: 501 }, () => ({ external_ref: ref("1"), title: "A" })) },
      "#/rows",
    ],
  ])("422 %s", async (_, body, pointer) =>
    expect(pointersOf(await shop.post("/products/import", body))).toEqual([pointer]),
  );
});
