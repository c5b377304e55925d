import { afterEach, beforeEach, expect, it } from "vitest";

import { storePartition } from "../../../../server/core/partitions.ts";
import { rippleId, ripples } from "../../../../server/engines/allergens/repository.ts";
import type { Ripple } from "../../../../server/engines/allergens/repository.ts";
import { many } from "../../../support/longest-turn.ts";
import { line } from "../make.ts";
import { createShop, NOW } from "./shop.ts";
import type { Shop } from "./shop.ts";

// Changes of ingredients that have not reached the products yet, more than one request has in memory.

let shop: Shop;
const milky: string[] = [];
let safe: string;
beforeEach(async () => {
  shop = await createShop();
  milky.length = 0;
});
afterEach(() => shop.harness.close());

/** Two products with a changed ingredient, of which one change is the first and one the last of all; and one without. */
async function stock(count: number, filler: Pick<Ripple, "line">): Promise<void> {
  const [first, last, plain] = [
    await shop.make("/ingredients", { name: "spread" }),
    await shop.make("/ingredients", { name: "fat" }),
    await shop.make("/ingredients", { name: "salt" }),
  ];
  for (const id of [first, last]) milky.push(await shop.verified("Bun", [{ ingredient_id: id }]));
  safe = await shop.verified("Cracker", [{ ingredient_id: plain }]);
  const changed = (id: string): Ripple => ({
    id: rippleId(id),
    ingredient_id: id,
    name: "spread",
    revision: 2,
    line: line("spread", ["milk"], { ingredient_id: id, ingredient_revision: 2 }),
    cursor: null,
    created_at: NOW,
  });
  const others = many(count, (n): Ripple => {
    const id = `ing_${String(n).padStart(26, "0")}`;
    return { ...changed(id), ...filler };
  });
  const all = [changed(first), ...others, changed(last)];
  for (let start = 0; start < all.length; start += 4) {
    await shop.harness.services.runTx(storePartition(shop.key.storeId, "live"), async (tx) => {
      for (const ripple of all.slice(start, start + 4)) tx.create(ripples, ripple);
    });
  }
}

async function expectShown(): Promise<void> {
  const avoided = { avoid: ["milk"], diets: [], product_ids: [...milky, safe] };
  const check = await shop.post("/check", avoided);
  expect(check.status, check.text).toBe(200);
  expect(check.json.data.results.map(({ verdict }: { verdict: string }) => verdict)).toEqual([
    "unsafe",
    "unsafe",
    "safe",
  ]);
  for (const id of milky) {
    const { allergens, status } = (await shop.get(`/products/${id}`)).json.data;
    expect([allergens, status]).toEqual([["milk"], "stale"]);
    expect((await shop.get(`/products/${id}/label`)).json.data.status).toBe("stale");
  }
  const listed = (await shop.get("/products?include=status")).json.data;
  expect(listed.map(({ allergens, status }: Record<string, unknown>) => [allergens, status])).toEqual([
    [[], "verified"],
    [["milk"], "stale"],
    [["milk"], "stale"],
  ]);
  expect((await shop.get("/products?allergen=milk")).json.data).toHaveLength(2);
  expect((await shop.get("/products?excludes=milk")).json.data).toHaveLength(1);
  const { rows } = (await shop.get("/matrix")).json.data;
  expect(rows.map(({ cells }: { cells: Record<string, string> }) => cells["milk"])).toEqual(["C", "C", "-"]);
  const { url } = (await shop.put("/sheet", {})).json.data;
  const sheet = await shop.harness.call("GET", new URL(url).pathname);
  expect([sheet.status, sheet.text.includes("Cracker")]).toEqual([200, true]);
}

it("are considered by every route where they are thousands", async () => {
  await stock(2_001, {});
  await expectShown();
}, 60_000);

it("are considered by every route where they are 20 million characters", async () => {
  const parts = many(270, (n) => line(`${n} ${"x".repeat(190)}`));
  await stock(150, { line: line("mix", [], { sub_ingredients: parts }) });
  await expectShown();
}, 60_000);
