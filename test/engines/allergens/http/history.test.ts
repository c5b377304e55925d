import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { createShop, refusal } from "./shop.ts";
import type { Shop } from "./shop.ts";

let shop: Shop;
beforeEach(async () => {
  shop = await createShop();
});
afterEach(() => shop.harness.close());

const flour = { name: "wheat flour", contains: ["wheat"] };

describe("history", () => {
  it("200 keeps every change, the newest first, also after the end", async () => {
    const id = await shop.verified("Loaf", [flour]);
    shop.harness.clock.advance(1000);
    await shop.put(`/products/${id}/ingredients?apply=true`, {
      ingredients: [{ name: "butter", contains: ["milk"] }],
    });
    await shop.remove(`/products/${id}`);
    const { data } = (await shop.get(`/products/${id}/history`)).json;
    expect(
      data.map(
        (each: {
          change: string;
          revision: number;
          added: string[];
          removed: string[];
          by: string | null;
        }) => [each.change, each.revision, each.added, each.removed],
      ),
    ).toEqual([
      ["deleted", 4, [], ["milk"]],
      ["ingredients_changed", 3, ["milk"], ["wheat"]],
      ["verified", 2, [], []],
      ["created", 1, ["wheat"], []],
    ]);
    expect([data[0].by, data[2].by]).toEqual([shop.key.id, "Priya"]);
    expect(data[0]).not.toHaveProperty("product");
    const second = (await shop.get(`/products/${id}/history/2`)).json.data;
    expect(second.product).toMatchObject({
      status: "verified",
      title: "Loaf",
      ingredients: [{ name: "wheat flour" }],
    });
    expect(refusal(await shop.get(`/products/${id}/history/9`))).toBe("404");
    expect((await shop.get(`/products/${id}/history/x`)).status).toBe(422);
  });
});

describe("GET /changes", () => {
  it("200 tells what changed since an instant, the oldest first, page by page", async () => {
    const a = await shop.make("/products", { title: "A", ingredients: [flour] });
    shop.harness.clock.advance(1000);
    const b = await shop.make("/products", { title: "B" });
    await shop.patch(`/products/${a}`, { declarations: [{ code: "soy", presence: "contains" }] });
    const changes = async (query: string) =>
      (await shop.get(`/changes?${query}`)).json.data.map((each: { product_id: string; added: string[] }) => [
        each.product_id,
        each.added,
      ]);
    expect(await changes("")).toEqual([
      [a, ["wheat"]],
      [b, []],
      [a, ["soy"]],
    ]);
    expect(await changes("since=2026-06-01T09:00:01.000Z")).toEqual([
      [b, []],
      [a, ["soy"]],
    ]);
    expect(await changes("since=2026-06-01T09:00:02.000Z")).toEqual([]);
    const first = await shop.get("/changes?since=2026-06-01T09:00:01.000Z&limit=1");
    expect(
      await changes(`since=2026-06-01T09:00:01.000Z&cursor=${first.json.meta.pagination.next_cursor}`),
    ).toEqual([[a, ["soy"]]]);
  });
});

describe("metafields", () => {
  it("200 gives out the derived and the set ones", async () => {
    const id = await shop.verified("Loaf", [flour]);
    const own = {
      namespace: "dietary",
      key: "kitchen_note",
      type: "single_line_text_field",
      value: "Baked beside nuts",
    };
    const put = await shop.put(`/products/${id}/metafields`, { metafields: [own] });
    expect(put.status).toBe(200);
    const found = (await shop.get(`/products/${id}/metafields`)).json.data;
    expect(found).toEqual(put.json.data);
    const data = found.metafields;
    expect(data).toContainEqual({
      namespace: "allergens",
      key: "contains",
      type: "list.single_line_text_field",
      value: '["wheat"]',
      derived: true,
    });
    expect(data.at(-1)).toEqual({ ...own, derived: false });
    expect(
      (await shop.put(`/products/${id}/metafields`, { metafields: [] })).json.data.metafields.some(
        ({ derived }: { derived: boolean }) => !derived,
      ),
    ).toBe(false);
  });
  it("200 keeps silent about a product that nobody verified, unless the settings allow it", async () => {
    const id = await shop.make("/products", { title: "Loaf", ingredients: [flour] });
    const keys = async () =>
      (await shop.get(`/products/${id}/metafields`)).json.data.metafields.map(
        ({ key }: { key: string }) => key,
      );
    expect(await keys()).toEqual(["status", "mode"]);
    await shop.patch("/settings", { require_verified: false });
    expect(await keys()).toContain("contains");
  });
  it.each([
    ["key_derived", { namespace: "allergens", key: "contains", type: "json", value: "[]" }],
    ["value_invalid", { namespace: "dietary", key: "x1", type: "boolean", value: "maybe" }],
  ])("422 %s", async (code, metafield) => {
    const id = await shop.make("/products", { title: "Loaf" });
    expect(refusal(await shop.put(`/products/${id}/metafields`, { metafields: [metafield] }))).toBe(
      `422 ${code}`,
    );
  });
});

describe("taxonomy and settings", () => {
  it("200 tells codes and modes", async () => {
    const codes = (await shop.get("/codes?limit=100")).json.data;
    expect(codes.find(({ code }: { code: string }) => code === "spelt")).toMatchObject({
      wider: ["wheat", "gluten"],
      declared_as: { uk: "wheat" },
    });
    const modes = (await shop.get("/modes")).json.data;
    expect(
      modes.map(({ id, contains_statement: rule }: { id: string; contains_statement: string }) => [id, rule]),
    ).toEqual([
      ["uk", "forbidden"],
      ["eu", "forbidden"],
      ["us", "optional"],
      ["ca", "optional"],
      ["au_nz", "required"],
    ]);
    const uk = (await shop.get("/modes/uk")).json.data;
    expect([uk.sulphite_rule.comparison, uk.exemptions.length, uk.sources.length > 0]).toEqual([
      "above",
      15,
      true,
    ]);
    expect((await shop.get("/modes/mars")).status).toBe(422);
  });
  it("200 settings: defaults, changes, 412", async () => {
    expect((await shop.get("/settings")).json.data).toEqual({
      id: "settings",
      default_mode: "uk",
      require_verified: true,
      stale_after_days: 365,
      calorie_labelling: false,
      updated_at: null,
      version: 0,
    });
    const changed = await shop.patch("/settings", { default_mode: "ca", stale_after_days: null });
    expect(changed.json.data).toMatchObject({
      default_mode: "ca",
      stale_after_days: null,
      require_verified: true,
    });
    expect(
      (await shop.call("PATCH", "/settings", { default_mode: "us" }, { "if-match": '"99"' })).status,
    ).toBe(412);
  });
});
