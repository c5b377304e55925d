import { afterAll, beforeAll, expect, it } from "vitest";

import { storePartition } from "../../../../server/core/partitions.ts";
import { loadPlan } from "../../../../server/engines/delivery/repository.ts";
import { createShop, makeFixture } from "./shop.ts";
import type { Shop } from "./shop.ts";

let shop: Shop;
beforeAll(async () => {
  shop = await createShop();
  await makeFixture(shop);
});
afterAll(() => shop.harness.close());

it("compiles the plan once for requests that arrive together after a change", async () => {
  const part = storePartition(shop.key.storeId, "live");
  const { runTx } = shop.harness.services;
  const load = () => runTx(part, (tx) => loadPlan(tx));
  const plans = await Promise.all(Array.from({ length: 8 }, load));
  expect(new Set(plans).size).toBe(1);
  expect((await shop.patch("/settings", { horizon_days: 30 })).status).toBe(200);
  const [changed] = await Promise.all([load(), load()]);
  expect(changed).not.toBe(plans[0]);
  expect(changed?.settings.horizon_days).toBe(30);
});
