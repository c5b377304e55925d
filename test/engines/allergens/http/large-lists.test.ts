import { afterAll, beforeAll, expect, it } from "vitest";

import { storePartition } from "../../../../server/core/partitions.ts";
import {
  HISTORY_HEAD,
  historyHeads,
  ingredients,
  productVersions,
} from "../../../../server/engines/allergens/repository.ts";
import { longestTurn, many, TURN_MS } from "../../../support/longest-turn.ts";
import { NOW, product } from "../make.ts";
import { createShop } from "./shop.ts";
import type { Shop } from "./shop.ts";

// Long lists of what is large.

let shop: Shop;
let part: string;
beforeAll(async () => {
  shop = await createShop();
  part = storePartition(shop.key.storeId, "live");
});
afterAll(() => shop.harness.close());

const longest = (path: string): Promise<number> =>
  longestTurn({ harness: shop.harness, world: shop, path: `/allergens${path}` }, null, 200, {
    method: "GET",
  });

it("a hundred ingredients of the library as large as documents may be", async () => {
  const reason = "It is not in the food. ".repeat(20).trim();
  const acknowledgements = many(10, () => ({ reading: "milk", reason }));
  const id = await shop.make("/ingredients", {
    name: "Mix",
    sub_ingredients: many(42, (n) => ({ name: `Flour ${n}`, contains: ["wheat"], acknowledgements })),
  });
  const { newId, runTx } = shop.harness.services;
  for (let made = 1; made < 100; made += 3) {
    await runTx(part, async (tx) => {
      const { value } = await tx.require(ingredients, id);
      for (let n = 0; n < 3; n += 1) tx.create(ingredients, { ...value, id: newId("ing") });
    });
  }
  const first = (await shop.get("/ingredients?limit=100")).json;
  expect(first.data.length).toBeLessThan(10);
  expect(first.meta.pagination.has_more).toBe(true);
  expect(await longest("/ingredients?limit=100")).toBeLessThan(2 * TURN_MS);
}, 60_000);

it.each(["csv", "html"])(
  "a sheet of five thousand changes as %s",
  async (format) => {
    const { newId, runTx } = shop.harness.services;
    const codes = ["milk", "egg", "wheat", "soy", "almond", "rye", "celery", "mustard", "sesame", "lupin"];
    const entry = {
      product_id: "prd_1",
      revision: 1,
      at: NOW,
      change: "updated" as const,
      by: "Priya",
      note: null,
      title: "Bread & butter",
      status: "verified" as const,
      mode: "uk" as const,
      added: codes,
      removed: codes,
      product: product(),
    };
    await runTx(part, async (tx) => {
      const head = await tx.get(historyHeads, HISTORY_HEAD);
      if (head === null) tx.create(historyHeads, { id: HISTORY_HEAD, seq: 5_000, hash: "a" });
    });
    const known = await runTx(part, (tx) => tx.peekCount(productVersions, { index: "chain", max: 1 }));
    for (let made = known * 5_000; made < 5_000; made += 20) {
      await runTx(part, async (tx) => {
        for (let n = made; n < made + 20; n += 1) {
          tx.create(productVersions, {
            ...entry,
            id: newId("pve"),
            seq: n + 1,
            previous_hash: "a",
            hash: "a",
          });
        }
      });
    }
    expect(await longest(`/history-sheet?format=${format}`)).toBeLessThan(2 * TURN_MS);
  },
  60_000,
);
