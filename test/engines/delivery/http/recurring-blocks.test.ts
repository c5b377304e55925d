import { afterAll, beforeAll, expect, it } from "vitest";

import { storePartition } from "../../../../server/core/partitions.ts";
import { blockedDates } from "../../../../server/engines/delivery/repository.ts";
import { DAY_MS } from "../../../../server/lib/instant.ts";
import { addDays } from "../../../../server/lib/local-time.ts";
import { longestOf, many, TURN_MS } from "../../../support/longest-turn.ts";
import { createShop } from "./shop.ts";
import type { Shop } from "./shop.ts";

// The dates of as many recurrence rules as a store may have, in a month in which they were not asked for yet.

let shop: Shop;
beforeAll(async () => {
  shop = await createShop();
});
afterAll(() => shop.harness.close());

it("lists the slots of a store with counted recurrence rules", async () => {
  const zone = await shop.make("/zones", { name: "Z", patterns: ["SW1"], fee_tiers: [{ from: 0, fee: 1 }] });
  const weekly = { scope: "all", from: "2026-06-01", rrule: "FREQ=WEEKLY;COUNT=2", reason: "Closed" };
  const id = await shop.make("/blocked-dates", weekly);
  const part = storePartition(shop.key.storeId, "live");
  for (const n of many(10, (index) => index)) {
    await shop.harness.services.runTx(part, async (tx) => {
      const { value } = await tx.require(blockedDates, id);
      const from = `2025-0${1 + (n % 9)}-1${n % 10}`;
      const copy = { ...value, id: shop.harness.services.newId("blk"), from, rrule: "FREQ=DAILY;COUNT=1990" };
      tx.create(blockedDates, copy);
    });
  }
  await shop.patch("/settings", { horizon_days: 30 });
  const longest = await longestOf(
    () => shop.harness.clock.advance(31 * DAY_MS),
    async () => {
      const { status } = await shop.get(`/slots?zone_id=${zone}`);
      expect(status).toBe(200);
    },
  );
  expect(longest).toBeLessThan(TURN_MS);
}, 60_000);

it("checks a new counted recurrence rule", async () => {
  let day = 0;
  const longest = await longestOf(
    // Rules that were checked before are remembered.
    () => ({ scope: "all", from: addDays("2025-01-01", (day += 1)), rrule: "FREQ=DAILY;COUNT=1990" }),
    async (body) =>
      expect((await shop.post("/blocked-dates", { ...body, reason: "Closed" })).status).toBe(201),
  );
  expect(longest).toBeLessThan(TURN_MS);
  const endless = { scope: "all", from: "2026-06-01", rrule: "FREQ=YEARLY;COUNT=9000", reason: "Closed" };
  const refused = await shop.post("/blocked-dates", endless);
  expect([refused.status, refused.json.error.errors[0]]).toEqual([
    422,
    {
      pointer: "#/rrule",
      detail: "The days of this recurrence rule are too far apart or too numerous.",
    },
  ]);
}, 60_000);
