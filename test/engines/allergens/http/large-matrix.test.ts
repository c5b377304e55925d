import { afterAll, beforeAll, expect, it } from "vitest";

import { storePartition } from "../../../../server/core/partitions.ts";
import { products } from "../../../../server/engines/allergens/repository.ts";
import { longestTurn, TURN_MS } from "../../../support/longest-turn.ts";
import { createShop } from "./shop.ts";
import type { Shop } from "./shop.ts";

// As many products as a matrix shows, which anyone with a publishable key may request.

const COUNT = 2_000;
let shop: Shop;
beforeAll(async () => {
  shop = await createShop();
  const { newId, runTx } = shop.harness.services;
  const id = await shop.verified("Bread", [{ name: "Wheat flour", contains: ["wheat"] }, { name: "Salt" }]);
  for (let start = 1; start < COUNT; start += 20) {
    await runTx(storePartition(shop.key.storeId, "live"), async (tx) => {
      const { value } = await tx.require(products, id);
      for (let n = start; n < Math.min(COUNT, start + 20); n += 1)
        tx.create(products, { ...value, id: newId("prd"), title: `Bread & butter ${COUNT - n}` });
    });
  }
}, 60_000);
afterAll(() => shop.harness.close());

it.each(["json", "csv", "html"])(
  "a matrix of two thousand products as %s",
  async (format) => {
    const place = { harness: shop.harness, world: shop, path: `/allergens/matrix?format=${format}` };
    expect(await longestTurn(place, null, 200, { method: "GET" })).toBeLessThan(TURN_MS);
  },
  60_000,
);
