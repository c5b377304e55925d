import { afterEach, expect, it } from "vitest";

import { createMemoryDriver } from "../../../../server/storage/memory.ts";
import type { StoreDriver } from "../../../../server/storage/contract.ts";
import { createTestClock } from "../../../harness.ts";
import { many } from "../../../support/longest-turn.ts";
import { createShop, makeOffer, NOW } from "../shop.ts";
import type { Shop } from "../shop.ts";

let shop: Shop;
afterEach(() => shop.harness.close());

it("reads the counters of all limited offers together", async () => {
  const driver = createMemoryDriver({ clock: createTestClock(NOW) });
  let reads = 0;
  const isCounter = (key: string): boolean => key.includes(":cart.use_counters:");
  const store: StoreDriver = {
    ...driver,
    get(key) {
      reads += isCounter(key) ? 1 : 0;
      return driver.get(key);
    },
    getMany(keys) {
      reads += keys.some(isCounter) ? 1 : 0;
      return driver.getMany(keys);
    },
  };
  shop = await createShop({ store });
  const offers = await Promise.all(
    many(20, (n) => makeOffer(shop, { title: `Offer ${n}`, max_uses: 2, max_uses_per_customer: 1 })),
  );
  const [one, other] = offers;
  const claim = (offer_id: string, order_ref: string, customer_id: string) =>
    shop.make("/redemptions", { offer_id, order_ref, customer_id, pricing_hash: "x" });
  await claim(one.id, "order-1", "bob");
  await claim(one.id, "order-2", "cy");
  await claim(other.id, "order-3", "ada");
  reads = 0;
  const evaluated = await shop.make("/evaluations", {
    lines: [{ id: "1", ref: "bread", quantity: 1, unit_price: 400 }],
    customer: { id: "ada" },
  });
  expect(reads).toBe(2);
  const reasons = new Map(
    evaluated.rejected.map(({ offer_id: id, reason }: { offer_id: string; reason: string }) => [id, reason]),
  );
  expect([reasons.get(one.id), reasons.get(other.id)]).toEqual(["exhausted", "customer_limit"]);
});
