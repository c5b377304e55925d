import { afterEach, expect, it } from "vitest";

import { storePartition } from "../../../../server/core/partitions.ts";
import {
  HISTORY_HEAD,
  historyHeads,
  productVersions,
} from "../../../../server/engines/allergens/repository.ts";
import { createMemoryDriver } from "../../../../server/storage/memory.ts";
import type { StoreDriver } from "../../../../server/storage/contract.ts";
import { createTestClock } from "../../../harness.ts";
import { many } from "../../../support/longest-turn.ts";
import { NOW, product } from "../make.ts";
import { createShop } from "./shop.ts";
import type { Shop } from "./shop.ts";

let shop: Shop;
afterEach(() => shop.harness.close());

it("sheets of the history are written one after another for a customer: each has all its entries in memory", async () => {
  const memory = createMemoryDriver({ clock: createTestClock(NOW) });
  const read: string[] = [];
  const store: StoreDriver = {
    ...memory,
    page(part, collection, options) {
      if (collection === `ix.${productVersions.name}.chain`) read.push(options.after ?? "");
      return memory.page(part, collection, options);
    },
  };
  shop = await createShop(store);
  const { newId, runTx } = shop.harness.services;
  const part = storePartition(shop.key.storeId, "live");
  await runTx(part, async (tx) => {
    tx.create(historyHeads, { id: HISTORY_HEAD, seq: 150, hash: "a" });
  });
  for (let made = 0; made < 150; made += 30) {
    await runTx(part, async (tx) => {
      for (let seq = made + 1; seq <= made + 30; seq += 1)
        tx.create(productVersions, {
          id: newId("ver"),
          product_id: "prd_1",
          revision: 1,
          at: NOW,
          change: "updated",
          by: null,
          note: null,
          title: "Bread",
          status: "verified",
          mode: "uk",
          added: [],
          removed: [],
          seq,
          previous_hash: "a",
          hash: "a",
          product: product(),
        });
    });
  }
  const formats = ["html", "csv", "json", "html"];
  const answers = await Promise.all(formats.map((format) => shop.get(`/history-sheet?format=${format}`)));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  const [first, second] = read;
  expect(first).not.toBe(second);
  expect(read).toEqual(many(4, () => [first, second]).flat());
});
