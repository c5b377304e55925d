import { afterAll, beforeAll, expect, it } from "vitest";

import { storePartition } from "../../../../server/core/partitions.ts";
import { zones } from "../../../../server/engines/delivery/repository.ts";
import { longestTurn, many, TURN_MS } from "../../../support/longest-turn.ts";
import { zone } from "../fixture.ts";
import { createShop } from "./shop.ts";
import type { Shop } from "./shop.ts";

// As many patterns as the zones of a store may have together.

const AREAS = "AB AL B BA BB BD BH BL BN BR BS BT CA CB CF CH CM CO CR CT".split(" ");
let shop: Shop;
let id: string;
beforeAll(async () => {
  shop = await createShop();
  const { newId, runTx } = shop.harness.services;
  id = await shop.make("/zones", { name: "Dartford", patterns: ["DA1"], fee_tiers: [{ from: 0, fee: 100 }] });
  await runTx(storePartition(shop.key.storeId, "live"), async (tx) => {
    for (let first = 0; first < AREAS.length; first += 4) {
      const patterns = AREAS.slice(first, first + 4).flatMap((area) =>
        many(990, (n) => `${area}${1 + Math.floor(n / 10)} ${n % 10}`),
      );
      tx.create(zones, zone(newId("zon"), { patterns }));
    }
  });
}, 60_000);
afterAll(() => shop.harness.close());

it("a change of a zone, and the plan of the store after it", async () => {
  const place = { harness: shop.harness, world: shop, path: `/delivery/zones/${id}` };
  // Each change reads a plan that is compiled again because of the change before.
  const longest = await longestTurn(place, { minimum_order: 1_200 }, 200, { method: "PATCH" });
  expect(longest).toBeLessThan(TURN_MS);
}, 60_000);
