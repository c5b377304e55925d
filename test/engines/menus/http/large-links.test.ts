import { afterAll, beforeAll, expect, it } from "vitest";

import { storePartition } from "../../../../server/core/partitions.ts";
import { products } from "../../../../server/engines/allergens/repository.ts";
import { followParsed } from "../../../support/follow-parsed.ts";
import { longestTurn, many, TURN_MS } from "../../../support/longest-turn.ts";
import { createShop } from "./shop.ts";
import type { Shop } from "./shop.ts";

// Items and modifiers of an import whose titles share words with products that have long recipes.

const PRODUCTS = 60;
const CHARS = 100_000;
/** One word in the index for each: of a title, eight words are indexed. */
const WORDS = ["alpha", "bravo", "charlie", "delta", "echo"];
let shop: Shop;
beforeAll(async () => {
  shop = await createShop();
  const { newId, runTx } = shop.harness.services;
  const ingredients = many(280, (n) => ({ name: `Flour ${n} ${"x".repeat(150)}`, supplier: "s".repeat(60) }));
  const body = { title: "Bread", ingredients };
  const made = await shop.harness.call("POST", "/v1/allergens/products", { key: shop.key, body });
  expect(made.status, made.text.slice(0, 500)).toBe(201);
  expect(made.text.length).toBeGreaterThan(CHARS);
  for (let n = 0; n < PRODUCTS; n += 1) {
    await runTx(storePartition(shop.key.storeId, "live"), async (tx) => {
      const { value } = await tx.require(products, made.json.data.id);
      tx.create(products, { ...value, id: newId("prd"), title: `${WORDS.join(" ")} ${n}` });
    });
  }
}, 120_000);
afterAll(() => shop.harness.close());

const body = {
  format: "deliverect",
  dry_run: true,
  products: "link",
  data: {
    products: many(WORDS.length, (n) => ({
      _id: `p-${n}`,
      name: n === 0 ? `${WORDS.join(" ")} 7` : `${WORDS[n]} of ${n}`,
      plu: `P-${n}`,
      price: 100,
      productType: 1,
    })),
  },
};

it("are looked up with pauses", async () => {
  const place = { harness: shop.harness, world: shop, path: "/menus/import" };
  expect(await longestTurn(place, body, 200, { atOnce: 8 })).toBeLessThan(TURN_MS);
}, 120_000);

it("are looked up together: each product is read once, and none is kept", async () => {
  const parsed = followParsed(CHARS, 20);
  const answer = await shop.post("/import", body);
  const { all, most } = parsed.end();
  expect(answer.status, answer.text).toBe(200);
  const outcomes = answer.json.data.products.map(({ outcome }: { outcome: string }) => outcome);
  expect([outcomes[0], outcomes.filter((each: string) => each === "linked").length]).toEqual(["linked", 1]);
  expect([all, most <= 4]).toEqual([PRODUCTS, true]);
}, 60_000);
