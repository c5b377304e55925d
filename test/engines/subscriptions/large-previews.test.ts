import { afterAll, beforeAll, expect, it } from "vitest";

import { longestOf, longestTurn, many, TURN_MS } from "../../support/longest-turn.ts";
import { createShop } from "./shop.ts";
import type { Shop } from "./shop.ts";

// Previews of contracts with as much to price as a contract may have.

let shop: Shop;
beforeAll(async () => {
  shop = await createShop();
}, 60_000);
afterAll(() => shop.harness.close());

const largest = {
  customer: { id: "ada", email: "ada@shop.example", name: "Ada Byron" },
  lines: many(50, (n) => ({ product_ref: `p${n}`, title: `Coffee ${n}`, quantity: 3, unit_price: 1_799 })),
  interval: { unit: "month", count: 1 },
  start_date: "2026-06-01",
  price_adjustments: many(20, (n) => ({ after_cycle: n + 1, kind: "percent", value: 100 })),
  discounts: many(20, (n) => ({
    id: `dsc_${String(n).padStart(26, "0")}`,
    title: `Welcome ${n}`,
    kind: "percent",
    value: 100,
  })),
};

it("a preview of two years of months with many lines and discounts", async () => {
  const place = { harness: shop.harness, world: shop, path: "/subscriptions/previews" };
  expect(await longestTurn(place, { contract: largest, cycles: 24 })).toBeLessThan(TURN_MS);
}, 60_000);

it("the next cycles of a contract with many lines and discounts", async () => {
  const { id } = await shop.make("/contracts", {
    ...largest,
    collection: "send_invoice",
    interval: { unit: "day", count: 1 },
  });
  const place = {
    harness: shop.harness,
    world: shop,
    path: `/subscriptions/contracts/${id}/cycles?limit=60&from_index=10`,
  };
  expect(await longestTurn(place, undefined, 200, { method: "GET" })).toBeLessThan(TURN_MS);
}, 60_000);

it("a contract that is forty cycles behind", async () => {
  const live = await createShop({ mode: "live", now: "2026-06-01T09:00:00.000Z" });
  const { clock, services } = live.harness;
  await live.make("/contracts", {
    ...largest,
    collection: "send_invoice",
    interval: { unit: "day", count: 1 },
  });
  await services.jobs.run("subscriptions.bill");
  const longest = await longestOf(
    () => clock.advance(40 * 86_400_000),
    async () => void (await services.jobs.run("subscriptions.bill")),
  );
  expect(longest).toBeLessThan(TURN_MS);
  await live.harness.close();
}, 60_000);
