import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { createShop, makeMenu, publish } from "./shop.ts";
import type { Shop } from "./shop.ts";

let shop: Shop;
let menu: string;
let item: string;
beforeEach(async () => {
  shop = await createShop();
  ({ menu, item } = await makeMenu(shop));
});
afterEach(() => shop.harness.close());

const exported = async (format: string) => (await shop.get(`/${menu}/export?format=${format}`)).json.data;
const stockWarnings = async (format: string): Promise<string[]> =>
  (await exported(format)).warnings
    .filter(({ path }: { path: string }) => path === `/items/${item}/stock`)
    .map(({ severity }: { severity: string }) => severity);

describe("an export of what cannot be sold", () => {
  it("marks it where the format has stock, and reports it where it has none", async () => {
    await shop.post(`/items/${item}/suspend`, { until: "2026-06-01T12:00:00.000Z" });
    const [uber, otter, deliverect] = await Promise.all(["uber", "otter", "deliverect"].map(exported));
    expect(uber.document.items[0].suspension_info.suspension.suspend_until).toBe(
      Date.parse("2026-06-01T12:00:00.000Z") / 1_000,
    );
    expect(otter.document.items[item].status).toEqual({
      saleStatus: "TEMPORARILY_NOT_FOR_SALE",
      suspendedUntil: "2026-06-01T12:00:00.000Z",
    });
    expect(deliverect.document.products[0]).toMatchObject({
      snoozed: true,
      snoozeEnd: "2026-06-01T12:00:00.000Z",
    });
    expect(await stockWarnings("uber")).toEqual([]);
    expect(await stockWarnings("square")).toEqual(["availability"]);
    expect(await stockWarnings("toast")).toEqual(["availability"]);
    shop.harness.clock.advance(4 * 3_600_000);
    expect((await exported("uber")).document.items[0].suspension_info).toBeUndefined();
    expect(await stockWarnings("square")).toEqual([]);
  });

  it("reports what is suspended in one channel of several, and marks it in a menu of that channel", async () => {
    await shop.post(`/items/${item}/suspend`, { channel: "delivery" });
    expect(await stockWarnings("uber")).toEqual(["availability"]);
    await shop.patch(`/${menu}`, { channels: ["pickup", "dine_in"] });
    expect(await stockWarnings("uber")).toEqual([]);
    await shop.patch(`/${menu}`, { channels: ["delivery"] });
    expect((await exported("uber")).document.items[0].suspension_info).toBeDefined();
    expect(await stockWarnings("uber")).toEqual([]);
  });
});

describe("structured data of what cannot be sold", () => {
  it("says that it is sold out at every hour, and of other items that they are on the menu", async () => {
    const rules = [{ days: ["mon"], start: "18:00", end: "22:00" }];
    const evening = await shop.make("/schedules", { title: "Evening", rules });
    await shop.patch(`/${menu}`, { schedule_ids: [evening] });
    await publish(shop, menu);
    const offer = async () => {
      const { json } = await shop.get(`/${menu}/jsonld`);
      return json.hasMenuSection[0].hasMenuItem[0].offers[0].availability;
    };
    expect(await offer()).toBeUndefined();
    await shop.patch(`/items/${item}/stock`, { quantity: 0 });
    expect(await offer()).toBe("https://schema.org/OutOfStock");
  });
});
