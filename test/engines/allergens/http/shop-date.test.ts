import { afterEach, expect, it } from "vitest";

import { storePartition } from "../../../../server/core/partitions.ts";
import { NEW_SHOP, shops } from "../../../../server/core/shop.ts";
import { createShop } from "./shop.ts";
import type { Shop } from "./shop.ts";

// A certificate holds through its last day where the shop is.

let shop: Shop;
afterEach(() => shop.harness.close());

/** Where a kosher certificate until 2026-06-01, the date of the test in UTC, is in force. */
async function inForce(id: string): Promise<string[]> {
  const { runTx, ports } = shop.harness.services;
  const listed = await shop.get("/products?diet=kosher");
  const fields = await shop.get(`/products/${id}/metafields`);
  const set = await shop.put(`/products/${id}/metafields`, { metafields: [] });
  const checked = await shop.post("/check", { product_ids: [id], diets: ["kosher"] });
  expect([listed.status, fields.status, set.status, checked.status]).toEqual([200, 200, 200, 200]);
  const guest = { avoid: [], diets: ["kosher"] as const, now: shop.harness.clock.now() };
  const judged = await runTx(storePartition(shop.key.storeId, "live"), (tx) =>
    ports.engines.judgeProducts(tx, [id], guest),
  );
  const found = {
    list: listed.json.data.length === 1,
    metafields: fields.text.includes("kosher"),
    "metafields that were set": set.text.includes("kosher"),
    check: checked.text.includes('"safe"'),
    "other engines": judged.get(id)?.diets === "safe",
  };
  return Object.entries(found).flatMap(([name, isInForce]) => (isInForce ? [name] : []));
}
const EVERYWHERE = ["list", "metafields", "metafields that were set", "check", "other engines"];

it.each([
  ["Pacific/Auckland", 4, []],
  ["America/Los_Angeles", 16, EVERYWHERE],
  [null, 4, EVERYWHERE],
  [null, 16, []],
])("a certificate ends with the day of the shop, %s, %i hours later", async (time_zone, hours, after) => {
  shop = await createShop();
  await shop.harness.services.runTx(storePartition(shop.key.storeId, "live"), async (tx) =>
    tx.create(shops, { ...NEW_SHOP, time_zone }),
  );
  const id = await shop.verified("Challah", [{ name: "wheat flour", contains: ["wheat"] }], {
    dietary: [{ claim: "kosher", status: "certified", certifier: "KLBD", valid_until: "2026-06-01" }],
  });
  expect(await inForce(id)).toEqual(EVERYWHERE);
  shop.harness.clock.advance(hours * 3_600_000);
  expect(await inForce(id)).toEqual(after);
});
