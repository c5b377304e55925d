import { afterAll, beforeAll, expect, it } from "vitest";

import { storePartition } from "../../../../server/core/partitions.ts";
import { labelPrints } from "../../../../server/engines/allergens/repository.ts";
import { followParsed } from "../../../support/follow-parsed.ts";
import { longestTurn, many, TURN_MS } from "../../../support/longest-turn.ts";
import { createShop } from "./shop.ts";
import type { Shop } from "./shop.ts";

// A change of an ingredient in products of which many long labels were printed.

const PRODUCTS = 4;
const PRINTS = 50;
const CHARS = 57_000;
let shop: Shop;
let path: string;
beforeAll(async () => {
  shop = await createShop();
  const { newId, runTx } = shop.harness.services;
  const part = storePartition(shop.key.storeId, "live");
  const ingredient = await shop.make("/ingredients", { name: "Seed mix", contains: ["sesame"] });
  path = `/ingredients/${ingredient}/impact?limit=100`;
  for (const n of many(PRODUCTS, (at) => at)) {
    const id = await shop.verified(`Bread ${n}`, [{ ingredient_id: ingredient }]);
    const { json } = await shop.post(`/products/${id}/prints`, {});
    for (let count = 1; count < PRINTS; count += 1) {
      await runTx(part, async (tx) => {
        const { value } = await tx.require(labelPrints, json.data.id);
        tx.create(labelPrints, { ...value, id: newId("pri"), text: "\u0001 ".repeat(CHARS / 7) });
      });
    }
  }
  const changed = await shop.patch(`/ingredients/${ingredient}`, { contains: ["milk"] });
  expect(changed.status, changed.text).toBe(200);
}, 120_000);
afterAll(() => shop.harness.close());

it("looks through the labels with pauses", async () => {
  const place = { harness: shop.harness, world: shop, path: `/allergens${path}` };
  expect(await longestTurn(place, null, 200, { method: "GET", atOnce: 8 })).toBeLessThan(TURN_MS);
}, 120_000);

it("keeps none of the texts of the labels", async () => {
  const parsed = followParsed(CHARS / 2, 20);
  const answer = await shop.get(path);
  const { all, most } = parsed.end();
  const rows: { printed_labels: object[] }[] = answer.json.data;
  expect(rows.map(({ printed_labels: labels }) => labels.length)).toEqual(many(PRODUCTS, () => PRINTS));
  expect([all, most <= 4]).toEqual([PRODUCTS * (PRINTS - 1), true]);
}, 60_000);
