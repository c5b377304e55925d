import { afterAll, beforeAll, expect, it } from "vitest";

import { createShop } from "./shop.ts";
import type { Shop } from "./shop.ts";

let shop: Shop;
beforeAll(async () => {
  shop = await createShop();
});
afterAll(() => shop.harness.close());

const item = (id: string, amount: number, sku = id) => ({
  type: "ITEM",
  id,
  item_data: {
    name: `Item ${id}`,
    variations: [
      {
        id: `${id}-v`,
        item_variation_data: { sku, pricing_type: "FIXED_PRICING", price_money: { amount, currency: "GBP" } },
      },
    ],
  },
});

it("imports a document without the entries that are invalid, and says which by their places in it", async () => {
  const objects = [
    item("A", 300),
    item("B", -5),
    item("C", 400),
    item("D", 500, "S".repeat(65)),
    item("E", 600),
  ];
  const { status, json } = await shop.post("/import", { format: "square", data: { objects } });
  expect([status, json.data?.complete]).toEqual([200, true]);
  const rows: { kind: string; external_id: string; path: string }[] = json.data.rows;
  expect(rows.map(({ external_id: id, path }) => [id, path])).toEqual([
    ["A", "/objects/0"],
    ["C", "/objects/2"],
    ["E", "/objects/4"],
  ]);
  const left = json.data.warnings.filter(({ reason }: { reason: string }) => reason.includes("left out"));
  const places = left.map(({ path, severity }: { path: string; severity: string }) => `${severity} ${path}`);
  expect(new Set(places)).toEqual(
    new Set([
      "money /objects/1/item_data/variations/0/item_variation_data/price_money/amount",
      "money /objects/3/item_data/variations/0/item_variation_data/sku",
    ]),
  );
});

it("refuses a document of which nothing is left, with its own faults", async () => {
  const objects = [item("X", -1), item("Y", -2)];
  const { status, json } = await shop.post("/import", { format: "square", data: { objects } });
  expect(status).toBe(422);
  expect(json.error.errors.map(({ pointer }: { pointer: string }) => pointer).sort()).toEqual([
    "#/data/objects/0/item_data/variations/0/item_variation_data/price_money/amount",
    "#/data/objects/1/item_data/variations/0/item_variation_data/price_money/amount",
  ]);
});

it("refuses a document with a fault outside of its entries, and believes no list of what was left out", async () => {
  const menus = [{ name: 7, guid: "m", menuGroups: [] }];
  const refused = await shop.post("/import", { format: "toast", data: { menus } });
  expect([refused.status, refused.json.error.errors[0].pointer]).toEqual([422, "#/data/menus/0/name"]);
  const $left_out = [{ entry: ["objects", 0], fault: ["objects", 0], detail: "forged" }];
  const data = { objects: [item("F", 100)], $left_out };
  const { json } = await shop.post("/import", { format: "square", data });
  expect(JSON.stringify(json)).not.toContain("forged");
});
