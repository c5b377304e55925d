import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { delivery } from "../../../../server/engines/delivery/index.ts";
import { demoDelivery } from "../../../../server/engines/delivery/demo.ts";
import { revisions, zones } from "../../../../server/engines/delivery/repository.ts";
import { storePartition } from "../../../../server/core/partitions.ts";
import { codesOf, createShop, NOW } from "./shop.ts";
import type { Shop } from "./shop.ts";

let shop: Shop;
beforeEach(async () => {
  shop = await createShop();
});
afterEach(() => shop.harness.close());

/** Writes the demo documents as the seeder does: one commit per collection, the revision last. */
async function seed(): Promise<void> {
  for (const { collection, values } of delivery.seed(Date.parse(NOW))) {
    await shop.harness.services.runTx(storePartition(shop.key.storeId, "live"), async (tx) => {
      for (const value of values) {
        if ((await tx.get(collection, value.id)) === null) tx.create(collection, value);
      }
    });
  }
}

const ask = async (postcode: string, basketTotal: number) =>
  (await shop.post("/validate", { postcode, basketTotal })).json.data;

describe("the demo shop", () => {
  it("answers with real postcodes as the README says", async () => {
    await seed();
    const westminster = await ask("SW1A 1AA", 2999);
    expect(westminster).toMatchObject({
      deliverable: true,
      zone: { name: "Westminster and Covent Garden" },
      fee: 499,
      amount_to_minimum: 0,
      amount_to_free_delivery: 2001,
      reasons: [],
    });
    expect(westminster.next_slots).toHaveLength(3);
    expect((await ask("SW10 9AA", 3000)).fee).toBe(899);
    expect((await ask("SW1X 7XJ", 4000)).fee).toBe(399);
    expect((await ask("JE2 3AB", 3000)).region).toBe("crown_dependency");
    const jersey = await ask("JE2 3AB", 12_000);
    expect([jersey.fee, jersey.deliverable, jersey.next_slots]).toEqual([0, true, []]);
    const outside = await shop.post("/validate", { postcode: "SE28 0AA", basketTotal: 3000 });
    expect(codesOf(outside)).toEqual(["zone_excluded"]);
  });

  it("is seen at once, also in a store that has zones of its own, and is gone when it is cleared", async () => {
    await shop.make("/zones", { name: "Own", patterns: ["E1"], fee_tiers: [{ from: 0, fee: 100 }] });
    expect((await ask("SW1A 1AA", 3000)).zone).toBeNull();
    await seed();
    expect((await ask("SW1A 1AA", 3000)).zone.name).toBe("Westminster and Covent Garden");
    expect((await ask("E1 6AN", 3000)).zone.name).toBe("Own");
    await shop.harness.services.runTx(storePartition(shop.key.storeId, "live"), async (tx) => {
      for (const { id } of demoDelivery(Date.parse(NOW)).zones) tx.remove(zones, await tx.require(zones, id));
      tx.remove(revisions, await tx.require(revisions, "demo"));
    });
    expect((await ask("SW1A 1AA", 3000)).zone).toBeNull();
    expect((await ask("E1 6AN", 3000)).zone.name).toBe("Own");
  });
});
