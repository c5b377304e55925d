import { afterAll, beforeAll, expect, it } from "vitest";

import { storePartition } from "../../../../server/core/partitions.ts";
import { blockedDates } from "../../../../server/engines/delivery/repository.ts";
import { longestCall, many, TURN_MS } from "../../../support/longest-turn.ts";
import { blockedDate } from "../fixture.ts";
import { createShop } from "./shop.ts";
import type { Shop } from "./shop.ts";

// Blocked dates as many and as large as a store may make them.

let shop: Shop;
beforeAll(async () => {
  shop = await createShop();
  const { newId, runTx } = shop.harness.services;
  const ids = (count: number) => many(count, () => newId("zon"));
  const part = storePartition(shop.key.storeId, "live");
  const places = { zone_ids: ids(200), location_ids: ids(100), slot_window_ids: ids(200) };
  const more = { ...places, scope: "zones", date: "2026-06-03" } as const;
  for (let n = 0; n < 900; n += 30) {
    await runTx(part, async (tx) => {
      for (const _ of Array(30).keys()) tx.create(blockedDates, blockedDate({ ...more, id: newId("blk") }));
    });
  }
}, 60_000);
afterAll(() => shop.harness.close());

const longest = (method: string, path: string, body: unknown, status: number): Promise<number> =>
  longestCall(shop, [method, path, body], status);

it("a page of blocked dates", async () => {
  expect(await longest("GET", "/blocked-dates?limit=100", undefined, 200)).toBeLessThan(TURN_MS);
}, 60_000);

it("another blocked date", async () => {
  const body = { date: "2026-06-04" };
  expect(await longest("POST", "/blocked-dates", body, 201)).toBeLessThan(TURN_MS);
}, 60_000);
