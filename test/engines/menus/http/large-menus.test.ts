import { afterAll, beforeAll, expect, it } from "vitest";

import { storePartition } from "../../../../server/core/partitions.ts";
import {
  categories,
  items,
  menus,
  modifierGroups,
  modifiers,
  priceLevels,
  readTree,
  versionId,
  versions,
} from "../../../../server/engines/menus/repository.ts";
import { longestOf, longestTurn, many, TURN_MS } from "../../../support/longest-turn.ts";
import { categoryOf, groupOf, itemOf, levelOf, menuOf, modifierOf } from "../fixture.ts";
import { createShop, NOW, store } from "./shop.ts";
import type { Shop } from "./shop.ts";

// A menu that fills the limits of a store must not keep the event loop from all others.

const COUNT = 2_500;
const times = { created_at: NOW, updated_at: NOW };
const words = (title: string) => ({ en: title });

let shop: Shop;
let part: string;
let menu: string;
beforeAll(async () => {
  shop = await createShop();
  part = storePartition(shop.key.storeId, "live");
  menu = await fill();
}, 60_000);
afterAll(() => shop.harness.close());

/** 2,500 items in 500 categories of three levels, 1,000 groups of 2,500 modifiers, and 20 levels of prices: 3.5 MB. */
async function fill(): Promise<string> {
  const { newId } = shop.harness.services;
  const ids = (prefix: string, count: number): string[] => many(count, () => newId(prefix));
  const [menuId] = ids("mnu", 1) as [string];
  const [itemIds, categoryIds, groupIds, modifierIds] = [
    ids("itm", COUNT),
    ids("cat", 500),
    ids("grp", 1_000),
    ids("mod", COUNT),
  ];
  const pick = (all: readonly string[], index: number): string => all[index % all.length] ?? "";
  await store(
    shop,
    modifiers,
    modifierIds.map((id, n) => ({ ...modifierOf({ id, title: words(`Topping ${n}`) }), ...times })),
  );
  await store(
    shop,
    modifierGroups,
    groupIds.map((id, n) => ({
      ...groupOf({
        id,
        title: words(`Toppings ${n}`),
        modifier_ids: many(6, (at) => pick(modifierIds, n * 4 + at)),
      }),
      ...times,
    })),
  );
  await store(
    shop,
    items,
    itemIds.map((id, n) => ({
      ...itemOf({
        id,
        title: words(`Dish ${n}`),
        modifier_groups: many(2, (at) => ({
          group_id: pick(groupIds, n + at),
          min: 1,
          hidden_modifier_ids: [],
        })),
      }),
      ...times,
    })),
  );
  await store(
    shop,
    categories,
    categoryIds.map((id, n) => ({
      ...categoryOf({
        id,
        sort_order: n,
        menu_ids: n < 20 ? [menuId] : [],
        parent_id: n < 20 ? null : pick(categoryIds.slice(0, n < 120 ? 20 : 120), n),
        item_ids: many(5, (at) => pick(itemIds, n * 5 + at)),
      }),
      ...times,
    })),
  );
  await store(
    shop,
    priceLevels,
    many(20, (n) => ({
      ...levelOf({
        id: newId("prl"),
        title: words(`Level ${n}`),
        overrides: many(COUNT / 20, (at) => ({
          target_id: pick(itemIds, n + at * 20),
          price: 500 + n,
          percent: null,
        })),
      }),
      ...times,
    })),
  );
  await store(shop, menus, [
    {
      ...menuOf({ id: menuId, category_ids: categoryIds.slice(0, 20) }),
      ...times,
      status: "draft",
      latest_version: 0,
      published_version: null,
      published_at: null,
      scheduled: null,
    },
  ]);
  return menuId;
}

const longest = (method: string, path: string, body?: unknown): Promise<number> =>
  longestTurn({ harness: shop.harness, world: shop, path: `/menus/${menu}${path}` }, body, 200, { method });

it("the check and the publication of a draft", async () => {
  expect(await longest("POST", `/lint`, {})).toBeLessThan(TURN_MS);
  expect(await longest("POST", `/publish`, {})).toBeLessThan(TURN_MS);
}, 60_000);

it("the first reading of a version", async () => {
  const { value } = await shop.harness.services.runTx(part, (tx) => tx.require(versions, versionId(menu, 1)));
  let round = 0;
  const read = async (hash: string): Promise<void> => {
    const tree = await shop.harness.services.runTx(part, (tx) => readTree(tx, { ...value, hash }));
    expect(tree.items).toHaveLength(COUNT);
  };
  // A process reads the tree of a version once.
  expect(await longestOf(() => `${(round += 1)}`, read)).toBeLessThan(TURN_MS);
  expect(await longest("GET", `/versions/1`)).toBeLessThan(TURN_MS);
}, 60_000);

it("a menu for a storefront, and for search engines", async () => {
  expect(await longest("GET", `/live`)).toBeLessThan(TURN_MS);
  expect(await longest("GET", `/jsonld`)).toBeLessThan(TURN_MS);
}, 60_000);
