import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { createShop, pointersOf } from "./shop.ts";
import type { Shop } from "./shop.ts";

let shop: Shop;
beforeEach(async () => {
  shop = await createShop();
});
afterEach(() => shop.harness.close());

describe("POST /check", () => {
  it("AA22: unknown for an unverified product, safe once somebody vouches", async () => {
    const id = await shop.make("/products", {
      title: "Loaf",
      ingredients: [{ name: "wheat", contains: ["wheat"] }],
    });
    const verdict = async (...avoid: string[]) =>
      (await shop.post("/check", { product_ids: [id], avoid })).json.data.results[0].verdict;
    expect([await verdict("milk"), await verdict("wheat")]).toEqual(["unknown", "unsafe"]);
    await shop.post(`/products/${id}/verify`, { by: "Priya" });
    expect([await verdict("milk"), await verdict("milk", "gluten"), await verdict("pine_nut")]).toEqual([
      "safe",
      "unsafe",
      "unknown",
    ]);
  });

  it("200 judges each by itself and tells the worst; what is not there is unknown", async () => {
    const cake = await shop.verified("Cake", [{ name: "egg", contains: ["egg"] }]);
    const tea = await shop.verified("Tea", [{ name: "tea" }]);
    const { json } = await shop.post("/check", {
      product_ids: [cake, tea, "prd_nothing"],
      items: [{ menu_item_id: "itm_01JD8Z5T9QK3M4N5P6R7S8T9ZZ", selections: [{ group_id: "grp_1" }] }],
      avoid: ["egg"],
    });
    expect(json.data.verdict).toBe("unsafe");
    expect(
      json.data.results.map((each: { title: string; verdict: string }) => [each.title, each.verdict]),
    ).toEqual([
      ["Cake", "unsafe"],
      ["Tea", "safe"],
      [null, "unknown"],
      [null, "unknown"],
    ]);
    expect(json.data.results[3]).toMatchObject({ product_id: null, because: [{ code: "not_found" }] });
  });

  it("200 counts an exemption by the mode", async () => {
    const id = await shop.verified("Sweet", [
      { name: "glucose syrup", contains: ["wheat"], exemption: "wheat_glucose_syrup" },
    ]);
    const verdict = async (mode?: string) =>
      (await shop.post("/check", { product_ids: [id], avoid: ["wheat"], mode })).json.data.verdict;
    expect([await verdict(), await verdict("us")]).toEqual(["safe", "unsafe"]);
  });

  it.each([
    ["nothing to check", { avoid: ["milk"] }, "#/product_ids"],
    ["nothing to avoid", { product_ids: ["prd_1"] }, "#/avoid"],
    ["an unknown code", { product_ids: ["prd_1"], avoid: ["moondust"] }, "#/avoid/0"],
    ["an unknown diet", { product_ids: ["prd_1"], diets: ["keto"] }, "#/diets/0"],
  ])("422 %s", async (_, body, pointer) =>
    expect(pointersOf(await shop.post("/check", body))).toEqual([pointer]),
  );
});
