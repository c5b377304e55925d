import { afterEach, expect, it } from "vitest";

import { ConfigSchema } from "../../../../server/config/schema.ts";
import { many } from "../../../support/longest-turn.ts";
import { cartBody } from "../make.ts";
import { createShop } from "../shop.ts";
import type { Shop } from "../shop.ts";

// What anybody can make of a shop's carts with its publishable key.

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
let shop: Shop;
afterEach(() => shop.harness.close());

/** Puts carts as a page does. */
async function createVisitor() {
  const key = await shop.harness.key({
    kind: "publishable",
    scopes: ["cart:public", "cart:submit"],
    customer_id: shop.key.customerId,
    store_id: shop.key.storeId,
  });
  return (n: number, more: object = {}) =>
    shop.harness.call("PUT", `/v1/cart/carts/${`visitor-${n}-`.padEnd(24, "x")}`, {
      key,
      body: cartBody({ customer: {}, consent: { basis: "none" }, ...more }),
    });
}
async function later(ms: number): Promise<void> {
  shop.harness.clock.advance(ms);
  await shop.harness.services.jobs.run("cart.recover");
}
const documents = async () => (await shop.harness.services.store.usage(shop.part)).documents;

it("leaves the shop its part of the quota when carts of visitors are abandoned, and what they had when they are lost", async () => {
  const plans = [
    { id: "free", requestsPerMinute: 60 },
    { id: "enterprise", requestsPerMinute: 6_000, documentsPerStore: 50 },
  ];
  shop = await createShop({ config: { plans: ConfigSchema.parse({ plans }).plans } });
  const put = await createVisitor();
  const statuses = [];
  for (let n = 0; n < 60; n += 1) statuses.push((await put(n)).status);
  expect(new Set(statuses)).toEqual(new Set([200, 409]));
  const full = await documents();
  await later(HOUR_MS + 1);
  expect(await documents()).toBe(full);
  const offer = { title: "Ten off", effect: { class: "order", value: { kind: "percent_off", value: 1000 } } };
  expect((await shop.call("POST", "/offers", offer)).status).toBe(201);
  await later(31 * DAY_MS);
  expect(await documents()).toBeLessThan(full / 2);
  expect((await put(99)).status).toBe(200);
});

it("stores no more than the cart of a visitor who leaves it again and again", async () => {
  shop = await createShop();
  const put = await createVisitor();
  const last = new Date(shop.harness.clock.now() - 400 * DAY_MS).toISOString();
  for (let n = 1; n <= 5; n += 1) {
    expect((await put(0, { sequence: n, last_activity_at: last })).status).toBe(200);
    await later(30_000);
  }
  expect(await shop.read("/events")).toEqual([]);
});

it("keeps the events of a cart whose customer a server has named", async () => {
  shop = await createShop();
  await shop.make("/carts/one", cartBody(), "PUT");
  await later(HOUR_MS + 1);
  await later(31 * DAY_MS);
  const types = (await shop.read("/events")).map(({ type }: { type: string }) => type);
  expect(types).toEqual(["lost", "abandoned"]);
  expect((await shop.read("/carts/one")).status).toBe("lost");
});

it("leads from the mail to where the shop's server says, whatever a page puts later", async () => {
  shop = await createShop();
  const put = await createVisitor();
  const own = "https://shop.example/checkout/own";
  const path = `/carts/${"visitor-0-".padEnd(24, "x")}`;
  expect((await put(0, { checkout_url: own })).json.data.checkout_url).toBe(own);
  await shop.make(path, cartBody({ sequence: 2 }), "PUT");
  const evil = { sequence: 3, checkout_url: "https://evil.example/", total: 900 };
  expect((await put(0, evil)).status).toBe(200);
  const { checkout_url: url, customer, total } = await shop.read(path);
  expect([url, customer.email, total]).toEqual(["https://shop.example/checkout/1", "ada@shop.example", 900]);
});

it("refuses a cart that would leave no room for what its recovery adds", async () => {
  shop = await createShop();
  const put = await createVisitor();
  const large = (lines: number) => ({
    lines: many(lines, (n) => ({
      ref: `${n}-`.padEnd(110, "빵"),
      title: "빵".repeat(150),
      quantity: 1,
      unit_price: 100,
    })),
    metadata: Object.fromEntries(many(50, (n) => [`name-${n}`, "빵".repeat(500)])),
  });
  const refused = await put(0, large(200));
  expect([refused.status, refused.json.error.detail]).toEqual([
    413,
    "A cart has at most 229376 bytes. Shorten its lines or its metadata.",
  ]);
  expect((await put(1, large(170))).status).toBe(200);
  shop.harness.clock.advance(HOUR_MS + 1);
  const { counts } = await shop.harness.services.jobs.run("cart.recover");
  expect(counts).toMatchObject({ looked: 1, failed: 0 });
});
