import { afterAll, beforeAll, expect, it } from "vitest";

import { storePartition } from "../../../../server/core/partitions.ts";
import {
  categories,
  items,
  menus,
  modifierGroups,
  modifiers,
  stageTree,
  versionId,
  versions,
} from "../../../../server/engines/menus/repository.ts";
import { canonicalText } from "../../../../server/engines/menus/rules/canonical.ts";
import { cutTree } from "../../../../server/engines/menus/rules/cut-tree.ts";
import type { Category, Menu } from "../../../../server/engines/menus/schema.ts";
import { many } from "../../../support/longest-turn.ts";
import { categoryOf, groupOf, itemOf, menuOf, modifierOf, useOf } from "../fixture.ts";
import { createShop, NOW, publish, refusal, store } from "./shop.ts";
import type { Shop } from "./shop.ts";

// Categories that repeat items with many modifiers: a small version whose live menu would be many times as long.

const times = { created_at: NOW, updated_at: NOW };
let shop: Shop;
let part: string;
beforeAll(async () => {
  shop = await createShop();
  part = storePartition(shop.key.storeId, "live");
});
afterAll(() => shop.harness.close());

/** A menu whose categories all list the same 100 items, each with four groups of 100 modifiers: 1.4 MB per category. */
async function fill(count: number) {
  const ids = (prefix: string, of: number) => many(of, () => shop.harness.services.newId(prefix));
  const [modifierIds, groupIds, itemIds, categoryIds] = [
    ids("mod", 100),
    ids("grp", 4),
    ids("itm", 100),
    ids("cat", count),
  ];
  const [menuId = ""] = ids("mnu", 1);
  const parts = {
    modifiers: modifierIds.map((id) => ({ ...modifierOf({ id }), ...times })),
    modifier_groups: groupIds.map((id) => ({ ...groupOf({ id, modifier_ids: modifierIds }), ...times })),
    items: itemIds.map((id) => ({
      ...itemOf({ id, modifier_groups: groupIds.map((group) => useOf(group)) }),
      ...times,
    })),
    categories: categoryIds.map((id): Category => ({
      ...categoryOf({ id, menu_ids: [menuId], item_ids: itemIds }),
      ...times,
    })),
  };
  const menu: Menu = {
    ...menuOf({ id: menuId, category_ids: categoryIds }),
    ...times,
    status: "draft",
    latest_version: 0,
    published_version: null,
    published_at: null,
    scheduled: null,
  };
  await store(shop, modifiers, parts.modifiers);
  await store(shop, modifierGroups, parts.modifier_groups);
  await store(shop, items, parts.items);
  await store(shop, categories, parts.categories);
  return { menu, parts };
}

it("refuses to publish a menu whose live menu would have more than 8 MB, and says how to get below", async () => {
  const { menu } = await fill(6);
  await store(shop, menus, [menu]);
  const refused = await shop.post(`/${menu.id}/publish`, {});
  expect(refusal(refused)).toBe("409 menu_too_large");
  expect(refused.json.error.detail).toMatch(/about 9 MB.*at most 8 MB.*fewer categories/s);
  expect((await shop.get(`/${menu.id}/versions`)).json.data).toEqual([]);
});

it("publishes and shows one below it", async () => {
  const { menu } = await fill(5);
  await store(shop, menus, [menu]);
  expect(await publish(shop, menu.id)).toBe(1);
  const live = await shop.get(`/${menu.id}/live`);
  expect(live.status).toBe(200);
  expect(live.text.length).toBeGreaterThan(6_500_000);
});

it("refuses to show one that an earlier release published; orders can still be priced", async () => {
  const { menu, parts } = await fill(6);
  const id = versionId(menu.id, 1);
  const tree = cutTree(menu, { ...parts, schedules: [], calendars: [], price_levels: [] });
  await shop.harness.services.runTx(part, async (tx) => {
    const staged = await stageTree(tx, id, canonicalText(tree));
    tx.create(versions, {
      ...times,
      id,
      menu_id: menu.id,
      n: 1,
      by: "key",
      hash: "0".repeat(64),
      categories: 6,
      items: 100,
      modifiers: 100,
      ...staged,
    });
    tx.create(menus, {
      ...menu,
      status: "published",
      latest_version: 1,
      published_version: 1,
      published_at: NOW,
    });
  });
  for (const path of ["live", "jsonld"])
    expect(refusal(await shop.get(`/${menu.id}/${path}`))).toBe("409 menu_too_large");
  const lines = [{ item_id: parts.items[0]?.id, quantity: 1 }];
  expect((await shop.post("/price", { menu_id: menu.id, lines })).status).toBe(200);
});
