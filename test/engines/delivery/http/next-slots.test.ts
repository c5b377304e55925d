import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { storePartition } from "../../../../server/core/partitions.ts";
import { loadPlan } from "../../../../server/engines/delivery/repository.ts";
import { readNextAsText } from "../../../../server/engines/delivery/routes/read-slots.ts";
import { createShop, makeFixture, makeWindow, NOW } from "./shop.ts";
import type { FixtureIds, Shop } from "./shop.ts";

const MINUTE = 60_000;
let shop: Shop;
let f: FixtureIds;
let window: string;
beforeEach(async () => {
  shop = await createShop();
  f = await makeFixture(shop);
  window = await makeWindow(shop, [f.z1], { capacity: 2, fee_delta: 50 });
});
afterEach(() => shop.harness.close());

/** Sets the clock to so many milliseconds after an instant. */
const setClock = (instant: string, ms = 0): void =>
  shop.harness.clock.set(new Date(Date.parse(instant) + ms).toISOString());

interface Next {
  readonly id: string;
  readonly held: number;
  readonly booked: number;
  readonly remaining: number;
  readonly fee: number;
}

/** Asked twice, so that the second answer could come from memory. */
async function next(basketTotal = 2000, more: object = {}): Promise<Next[]> {
  await shop.post("/validate", { postcode: "SW1A 1AA", basketTotal, ...more });
  return (await shop.post("/validate", { postcode: "SW1A 1AA", basketTotal, ...more })).json.data.next_slots;
}
const days = async (): Promise<string[]> => (await next()).map(({ id }) => id.slice(-10));
const slot = (date: string): string => `${window}@${date}`;

describe("next_slots of validate", () => {
  it("are those of the list of slots, for baskets of each fee", async () => {
    for (const basket of [2000, 3500, 6000, 2000]) {
      const query = `zone_id=${f.z1}&status=open&limit=3&basket_total=${basket}`;
      expect(await next(basket)).toEqual((await shop.get(`/slots?${query}`)).json.data);
    }
  });

  it("change with each hold, booking and release", async () => {
    expect(await days()).toEqual(["2026-06-02", "2026-06-03", "2026-06-04"]);
    const hold = await shop.make("/holds", { slot_id: slot("2026-06-02") });
    expect((await next())[0]).toMatchObject({ held: 1, booked: 0, remaining: 1 });
    await shop.post(`/holds/${hold}/confirm`);
    expect((await next())[0]).toMatchObject({ held: 0, booked: 1, remaining: 1 });
    const second = await shop.make("/holds", { slot_id: slot("2026-06-02") });
    expect(await days()).toEqual(["2026-06-03", "2026-06-04", "2026-06-05"]);
    await shop.post(`/holds/${second}/release`);
    expect(await days()).toEqual(["2026-06-02", "2026-06-03", "2026-06-04"]);
  });

  it("change in the instant at which a hold expires, and back with a clock that is set back", async () => {
    await shop.make("/holds", { slot_id: slot("2026-06-02"), quantity: 2, ttl_seconds: 600 });
    setClock(NOW, 10 * MINUTE - 1);
    expect((await days())[0]).toBe("2026-06-03");
    setClock(NOW, 10 * MINUTE);
    expect((await next())[0]).toMatchObject({ id: slot("2026-06-02"), held: 0, remaining: 2 });
    setClock(NOW);
    expect((await days())[0]).toBe("2026-06-03");
  });

  it.each([
    ["starts", {}, "2026-06-02T08:00:00.000Z"],
    ["has its cut-off", { cut_off: { minutes_before: 90 } }, "2026-06-02T06:30:00.000Z"],
    ["is nearer than its lead time", { lead_minutes: 60 }, "2026-06-02T07:00:00.001Z"],
  ])("leave out a slot in the instant in which it %s", async (_, change, instant) => {
    expect((await shop.patch(`/slot-windows/${window}`, change)).status).toBe(200);
    setClock(instant, -1);
    expect((await days())[0]).toBe("2026-06-02");
    setClock(instant);
    expect((await days())[0]).toBe("2026-06-03");
  });

  it("change with the zone, its windows, blocked dates and the channel", async () => {
    const before = await next();
    const [tier] = (await shop.get(`/zones/${f.z1}`)).json.data.fee_tiers;
    expect((await shop.patch(`/fee-tiers/${tier.id}`, { fee: 100 })).status).toBe(200);
    expect((await next()).map(({ fee }) => fee)).toEqual([150, 150, 150]);
    await shop.make("/blocked-dates", { scope: "all", date: "2026-06-02", reason: "closed" });
    expect((await days())[0]).toBe("2026-06-03");
    await shop.patch(`/slot-windows/${window}`, { channels: ["web"] });
    expect((await next(2000, { channel: "web" })).length).toBe(3);
    expect((await next(2000, { channel: "phone" })).length).toBe(0);
    expect((await next(2000, { channel: "web" })).length).toBe(3);
    await shop.remove(`/slot-windows/${window}`);
    expect([before.length, (await next()).length]).toEqual([3, 0]);
  });

  it("are written once while nothing changes", async () => {
    const { runTx } = shop.harness.services;
    const read = (basketTotal: number) =>
      runTx(storePartition(shop.key.storeId, "live"), async (tx) => {
        const plan = await loadPlan(tx);
        const place = plan.places.get(f.z1);
        if (place === undefined) throw new Error("no zone");
        const now = shop.harness.clock.now();
        return readNextAsText(tx, { plan, place, now, itemMinutes: 0, basketTotal, channel: "delivery" }, 3);
      });
    const first = await read(2000);
    setClock(NOW, MINUTE);
    expect(await read(2900)).toBe(first);
    expect(await read(3500)).not.toBe(first);
    expect(await read(2000)).toBe(first);
    await shop.make("/holds", { slot_id: slot("2026-06-02") });
    expect(await read(2000)).not.toBe(first);
  });
});
