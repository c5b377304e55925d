import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { createShop, idsOf, makeFixture, makeWindow, pointersOf } from "./shop.ts";
import type { FixtureIds, Shop } from "./shop.ts";

let shop: Shop;
let f: FixtureIds;
beforeEach(async () => {
  shop = await createShop();
  f = await makeFixture(shop);
});
afterEach(() => shop.harness.close());

async function book(slotId: string, zoneId?: string): Promise<string> {
  const id = await shop.make("/holds", { slot_id: slotId, ...(zoneId ? { zone_id: zoneId } : {}) });
  await shop.post(`/holds/${id}/confirm`);
  return id;
}

describe("bookings.list", () => {
  it("200 in order of their slots; of a day, a zone, or both", async () => {
    const morning = await makeWindow(shop, [f.z1, f.z2]);
    const evening = await makeWindow(shop, [f.z1, f.z2], { start: "18:00", end: "20:00" });
    const b1 = await book(`${evening}@2026-06-03`, f.z1);
    const b2 = await book(`${morning}@2026-06-04`, f.z2);
    const b3 = await book(`${morning}@2026-06-03`, f.z2);
    const b4 = await book(`${evening}@2026-06-02`);
    await shop.make("/holds", { slot_id: `${morning}@2026-06-03` });
    const list = async (query = ""): Promise<string[]> => idsOf(await shop.get(`/bookings${query}`));
    expect(await list()).toEqual([b4, b3, b1, b2]);
    expect(await list("?date=2026-06-03")).toEqual([b3, b1]);
    expect(await list(`?zone_id=${f.z2}`)).toEqual([b3, b2]);
    expect(await list(`?date=2026-06-03&zone_id=${f.z1}`)).toEqual([b1]);
    expect(await list("?date=2026-07-01")).toEqual([]);
    await shop.post(`/holds/${b3}/release`);
    expect(await list("?date=2026-06-03")).toEqual([b1]);
  });

  it("422 a date that is none", async () => {
    expect(pointersOf(await shop.get("/bookings?date=tomorrow"))).toEqual(["date"]);
  });
});
