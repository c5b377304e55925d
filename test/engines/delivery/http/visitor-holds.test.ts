import { afterEach, beforeEach, expect, it } from "vitest";

import type { TestKey } from "../../../harness.ts";
import { createShop, makeFixture, makeWindow, pointersOf } from "./shop.ts";
import type { Shop } from "./shop.ts";

// Everybody can read the publishable key of a page.

let shop: Shop;
let pub: TestKey;
let slot_id: string;
beforeEach(async () => {
  shop = await createShop();
  const { z1 } = await makeFixture(shop);
  slot_id = `${await makeWindow(shop, [z1], { capacity: 3 })}@2026-06-03`;
  pub = await shop.harness.key({
    kind: "publishable",
    scopes: ["delivery:public", "delivery:submit"],
    customer_id: shop.key.customerId,
    store_id: shop.key.storeId,
  });
});
afterEach(() => shop.harness.close());

const visit = (more: object) =>
  shop.harness.call("POST", "/v1/delivery/holds", { key: pub, body: { slot_id, ...more } });

it("a visitor holds one place of a slot at a time, not all of them", async () => {
  const all = await visit({ quantity: 3 });
  expect([all.status, pointersOf(all)]).toEqual([422, ["#/quantity"]]);
  expect((await visit({ quantity: 1 })).json.data.quantity).toBe(1);
  expect((await shop.post("/holds", { slot_id, quantity: 2 })).status).toBe(201);
});

it("a visitor holds it as long as the shop allows, at most", async () => {
  expect((await visit({ ttl_seconds: 7_200 })).json.data.expires_at).toBe("2026-06-01T09:15:00.000Z");
  expect((await visit({ ttl_seconds: 60 })).json.data.expires_at).toBe("2026-06-01T09:01:00.000Z");
  const own = await shop.post("/holds", { slot_id, ttl_seconds: 7_200 });
  expect(own.json.data.expires_at).toBe("2026-06-01T11:00:00.000Z");
});
