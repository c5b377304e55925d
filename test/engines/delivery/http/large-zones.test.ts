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

it("addresses by their coordinates, where many large areas contain them", async () => {
  const { newId, runTx } = shop.harness.services;
  const ring = (radius: number): [number, number][] => {
    const round = many(999, (n) => (n / 999) * 2 * Math.PI);
    const points = round.map((turn): [number, number] => [
      radius * Math.cos(turn),
      51 + radius * Math.sin(turn),
    ]);
    return [...points, points[0] ?? [0, 0]];
  };
  for (let first = 0; first < 190; first += 5)
    await runTx(storePartition(shop.key.storeId, "live"), async (tx) => {
      for (const n of many(5, (at) => first + at)) {
        const area = { type: "Polygon" as const, coordinates: [ring(1 + n / 1_000)] };
        tx.create(zones, zone(newId("zon"), { area }));
      }
    });
  let n = 0;
  const near = (): object => ({
    postcode: "SW1A 1AA",
    coordinates: { latitude: 51.01 + (n += 1) / 1e6, longitude: 0.2 },
  });
  const answer = await shop.harness.call("POST", "/v1/delivery/zones/match", {
    key: shop.key,
    body: near(),
  });
  expect(answer.json.data.zone.id).toMatch(/^zon_/);
  const place = { harness: shop.harness, world: shop, path: "/delivery/zones/match" };
  expect(await longestTurn(place, near, 200, { atOnce: 16 })).toBeLessThan(TURN_MS);
}, 60_000);

it("removing a pattern that no zone has", async () => {
  const place = { harness: shop.harness, world: shop, path: "/delivery/outcodes/ZE1" };
  const longest = await longestTurn(place, undefined, 404, { method: "DELETE", atOnce: 16 });
  expect(longest).toBeLessThan(TURN_MS);
}, 60_000);
