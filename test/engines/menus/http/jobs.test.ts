import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { startVersions, sweepStock } from "../../../../server/engines/menus/jobs.ts";
import { storePartition } from "../../../../server/core/partitions.ts";
import { toInstant } from "../../../../server/lib/instant.ts";
import type { Job } from "../../../../server/core/engine.ts";
import { silentLog } from "../../../../server/core/log.ts";
import { createShop, idsOf, makeMenu, publish, refusal } from "./shop.ts";
import type { Shop } from "./shop.ts";

let shop: Shop;
beforeEach(async () => {
  shop = await createShop();
});
afterEach(() => shop.harness.close());

async function run(
  job: Job,
  signal = new AbortController().signal,
): Promise<Readonly<Record<string, number>>> {
  const { clock, services } = shop.harness;
  const now = clock.now();
  return job.run({
    now,
    nowAt: toInstant(now),
    part: storePartition(shop.key.storeId, "live"),
    runTx: services.runTx,
    newId: services.newId,
    log: silentLog,
    signal,
    hasTime: () => !signal.aborted,
    ports: services.ports,
  });
}

describe("menus.start-versions", () => {
  it("writes down what has gone live, with how late it came", async () => {
    const { menu } = await makeMenu(shop);
    await publish(shop, menu, { at: "2026-06-01T12:00:00.000Z" });
    shop.harness.clock.set("2026-06-01T11:59:59.999Z");
    expect(await run(startVersions)).toEqual({ started: 0 });
    shop.harness.clock.set("2026-06-01T12:03:20.500Z");
    expect(await run(startVersions)).toEqual({ started: 1 });
    expect((await shop.get(`/${menu}`)).json.data).toMatchObject({
      status: "published",
      published_version: 1,
      published_at: "2026-06-01T12:00:00.000Z",
      scheduled: null,
    });
    expect((await shop.get(`/${menu}/publications`)).json.data[0]).toMatchObject({
      action: "started",
      menu_version: 1,
      at: "2026-06-01T12:00:00.000Z",
      created_at: "2026-06-01T12:03:20.500Z",
      late_by_ms: 200_500,
      by: null,
    });
    expect(await run(startVersions)).toEqual({ started: 0 });
  });

  it("starts more than one commit holds, and stops when it is told to", async () => {
    const { category } = await makeMenu(shop);
    const menus: string[] = [];
    for (let made = 0; made < 45; made += 1) {
      const menu = await shop.make("", { title: `${made}`, category_ids: made < 19 ? [category] : [] });
      menus.push(menu);
      if (made >= 19) {
        const item = await shop.make("/items", { title: "x", price: 1 });
        await shop.make("/categories", { title: "x", menu_ids: [menu], item_ids: [item] });
      }
      await publish(shop, menu, { at: "2026-06-01T12:00:00.000Z" });
    }
    shop.harness.clock.set("2026-06-01T12:00:00.000Z");
    const stopped = new AbortController();
    stopped.abort();
    expect(await run(startVersions, stopped.signal)).toEqual({ started: 0 });
    expect(await run(startVersions)).toEqual({ started: 45 });
    expect(idsOf(await shop.get("?status=published&limit=100"))).toHaveLength(45);
  });

  it("starts menus that are together more than a commit holds", async () => {
    const { category } = await makeMenu(shop);
    const description = Object.fromEntries(
      [
        "de",
        "en",
        "es",
        "fr",
        "it",
        "nl",
        "pl",
        "pt",
        "ro",
        "sv",
        "cs",
        "da",
        "el",
        "et",
        "fi",
        "hu",
        "lt",
      ].map((locale) => [locale, "€".repeat(2_000)]),
    );
    for (let made = 0; made < 15; made += 1) {
      const menu = await shop.make("", { title: `${made}`, description, category_ids: [category] });
      await publish(shop, menu, { at: "2026-06-01T12:00:00.000Z" });
    }
    shop.harness.clock.set("2026-06-01T12:00:00.000Z");
    expect(await run(startVersions)).toEqual({ started: 15 });
  });
});

describe("menus.sweep-stock", () => {
  it("takes off suspensions that have ended, and no others", async () => {
    const { item } = await makeMenu(shop);
    const other = await shop.make("/items", { title: "Soup", price: 1 });
    await shop.post(`/items/${item}/suspend`, { until: "2026-06-01T10:00:00.000Z" });
    await shop.post(`/items/${item}/suspend`, { channel: "kiosk" });
    await shop.post(`/items/${other}/suspend`, { until: "2026-06-01T10:00:00.000Z" });
    shop.harness.clock.set("2026-06-01T09:59:59.999Z");
    expect(await run(sweepStock)).toEqual({ suspensions: 0, orders: 0 });
    shop.harness.clock.set("2026-06-01T10:00:00.000Z");
    expect(await run(sweepStock)).toEqual({ suspensions: 2, orders: 0 });
    expect(idsOf(await shop.get("/stock?status=suspended"))).toEqual([item]);
  });

  it("forgets orders after ninety days", async () => {
    const { menu, item } = await makeMenu(shop);
    await publish(shop, menu);
    const lines = [{ item_id: item }];
    const commit = (reference: string) =>
      shop.post("/commit", { order_reference: reference, menu_id: menu, lines });
    await commit("old");
    shop.harness.clock.set("2026-08-30T08:59:59.999Z");
    await commit("new");
    expect(await run(sweepStock)).toMatchObject({ orders: 0 });
    shop.harness.clock.set("2026-08-30T09:00:00.000Z");
    expect(await run(sweepStock)).toMatchObject({ orders: 1 });
    expect(refusal(await shop.post("/release", { order_reference: "old" }))).toBe("404");
    expect((await shop.post("/release", { order_reference: "new" })).status).toBe(200);
  });
});
