import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { categories, items, menus } from "../../../../server/engines/menus/repository.ts";
import type { Category, Menu } from "../../../../server/engines/menus/schema.ts";
import type { Item } from "../../../../server/engines/menus/schema/item.ts";
import { storePartition } from "../../../../server/core/partitions.ts";
import { createSystemRandom } from "../../../../server/core/ids.ts";
import { categoryOf, itemOf, menuOf } from "../fixture.ts";
import { createShop, NOW, publish, refusal } from "./shop.ts";
import type { Shop } from "./shop.ts";

// Documents are written past the API, which would take two thousand requests; everything after that goes through it.
const times = { created_at: NOW, updated_at: NOW };
let shop: Shop;
let menu: string;
let first: string;
beforeAll(async () => {
  shop = await createShop();
  ({ menu, first } = await fill(2_000, 130));
});
afterAll(() => shop.harness.close());

async function fill(count: number, words: number): Promise<{ menu: string; first: string }> {
  const { newId, runTx } = shop.harness.services;
  const random = createSystemRandom();
  const menuId = newId("mnu");
  const made: Item[] = Array.from({ length: count }, (_, at) => ({
    ...itemOf({
      id: newId("itm"),
      title: { en: `Dish number ${at}`, cy: `Saig rhif ${at}` },
      description: { en: `${Buffer.from(random.bytes(words)).toString("hex")} with what is in season.` },
      price: 500 + at,
      kcal: { min: at, max: null },
    }),
    ...times,
  }));
  const lists: Category[] = Array.from({ length: Math.ceil(count / 500) }, (_, at) => ({
    ...categoryOf({
      id: newId("cat"),
      menu_ids: [menuId],
      item_ids: made.slice(at * 500, (at + 1) * 500).map(({ id }) => id),
    }),
    ...times,
  }));
  const document: Menu = {
    ...menuOf({ id: menuId, category_ids: lists.map(({ id }) => id) }),
    ...times,
    status: "draft",
    latest_version: 0,
    published_version: null,
    published_at: null,
    scheduled: null,
  };
  const part = storePartition(shop.key.storeId, "live");
  for (let start = 0; start < made.length; start += 90) {
    await runTx(part, async (tx) => {
      for (const item of made.slice(start, start + 90)) tx.create(items, item);
    });
  }
  await runTx(part, async (tx) => {
    for (const list of lists) tx.create(categories, list);
    tx.create(menus, document);
  });
  return { menu: menuId, first: made[0]?.id ?? "" };
}

describe("a menu of 2,000 items", () => {
  it("is published in one commit, is served whole, and compared with what follows", async () => {
    expect(await publish(shop, menu)).toBe(1);
    const [version] = (await shop.get(`/${menu}/versions`)).json.data;
    expect(version.items).toBe(2_000);
    expect(version.bytes).toBeGreaterThan(1_000_000);
    expect(version.chunks).toBeGreaterThan(1);
    const live = (await shop.get(`/${menu}/live?channel=pickup`)).json.data;
    expect(live.categories.flatMap((each: { items: unknown[] }) => each.items)).toHaveLength(2_000);
    await shop.patch(`/items/${first}`, { price: 1 });
    expect(await publish(shop, menu)).toBe(2);
    expect((await shop.get(`/${menu}/diff?from=1&to=2`)).json.data).toMatchObject([
      { object_id: first, from: { price: 500 }, to: { price: 1 } },
    ]);
    const { total } = (await shop.post("/price", { menu_id: menu, lines: [{ item_id: first, quantity: 3 }] }))
      .json.data;
    expect(total).toBe(3);
  });

  it("409 menu_too_large when a version would not fit into one commit", async () => {
    const other = await fill(1_500, 900);
    expect(refusal(await shop.post(`/${other.menu}/publish`, {}))).toBe("409 menu_too_large");
    expect((await shop.get(`/${other.menu}/versions`)).json.data).toEqual([]);
  });
});
