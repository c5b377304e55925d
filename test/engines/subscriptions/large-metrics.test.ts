import { afterAll, beforeAll, expect, it } from "vitest";

import { contracts } from "../../../server/engines/subscriptions/repository.ts";
import { followParsed } from "../../support/follow-parsed.ts";
import { many } from "../../support/longest-turn.ts";
import { createShop, line } from "./shop.ts";
import type { Shop } from "./shop.ts";

// Figures of all contracts, each of which has as many lines as it can have.

const CONTRACTS = 60;
const AT_ONCE = 4;
let shop: Shop;
beforeAll(async () => {
  shop = await createShop({ mode: "live" });
  const long = { product_ref: "p".repeat(120), variant_ref: "v".repeat(120), title: "b".repeat(200) };
  const { id } = await shop.make("/contracts", {
    customer: { id: "ada", email: "ada@shop.example", name: "Ada" },
    lines: many(50, () => line(1, long)),
    interval: { unit: "week", count: 1 },
    collection: "send_invoice",
  });
  const { runTx, newId } = shop.harness.services;
  const { value } = await runTx(shop.part, (tx) => tx.require(contracts, id));
  for (let n = 1; n < CONTRACTS; n += 1)
    await runTx(shop.part, async (tx) => void tx.create(contracts, { ...value, id: newId("sub") }));
}, 60_000);
afterAll(() => shop.harness.close());

it("has few contracts in memory for many requests", async () => {
  const parsed = followParsed(20_000, CONTRACTS);
  const answers = await Promise.all(many(AT_ONCE, () => shop.read("/metrics")));
  const { all, most } = parsed.end();
  expect(answers.map(({ active, complete }) => [active, complete])).toEqual(
    many(AT_ONCE, () => [CONTRACTS, true]),
  );
  expect(all).toBe(CONTRACTS * AT_ONCE);
  expect(most).toBeLessThanOrEqual(2 * AT_ONCE);
}, 60_000);
