import { afterAll, beforeAll, expect, it } from "vitest";

import { categories, modifierGroups, modifiers } from "../../../../server/engines/menus/repository.ts";
import { followParsed } from "../../../support/follow-parsed.ts";
import { longestTurn, many, TURN_MS } from "../../../support/longest-turn.ts";
import { categoryOf, groupOf, modifierOf, useOf } from "../fixture.ts";
import { createShop, makeMenu, NOW, publish, store } from "./shop.ts";
import type { Shop } from "./shop.ts";

// One request about many things, each of which takes a millisecond or more.

const times = { created_at: NOW, updated_at: NOW };
let shop: Shop;
beforeAll(async () => {
  shop = await createShop();
});
afterAll(() => shop.harness.close());

const ids = (prefix: string, count: number) => many(count, () => shop.harness.services.newId(prefix));

it("a hundred lines of an item of four hundred defaults, each with ten groups, are deducted from stock", async () => {
  const [plain, chosen, innerGroups, outerGroups] = [
    ids("mod", 100),
    ids("mod", 400),
    ids("grp", 200),
    ids("grp", 4),
  ];
  await store(shop, modifiers, [
    ...plain.map((id) => ({ ...modifierOf({ id }), ...times })),
    ...chosen.map((id, n) => {
      const nested_group_ids = many(10, (at) => innerGroups[(n + at) % 200] ?? "");
      return { ...modifierOf({ id, default: true, nested_group_ids }), ...times };
    }),
  ]);
  await store(shop, modifierGroups, [
    ...innerGroups.map((id) => ({ ...groupOf({ id, modifier_ids: plain }), ...times })),
    ...outerGroups.map((id, n) => {
      const modifier_ids = chosen.slice(n * 100, n * 100 + 100);
      return { ...groupOf({ id, modifier_ids }), ...times };
    }),
  ]);
  const { menu, item } = await makeMenu(shop);
  await shop.patch(`/items/${item}`, { modifier_groups: outerGroups.map((id) => useOf(id)) });
  await publish(shop, menu);
  let number = 0;
  const order = () => ({
    order_reference: `order ${(number += 1)}`,
    menu_id: menu,
    lines: many(100, () => ({ item_id: item })),
  });
  const place = { harness: shop.harness, world: shop, path: "/menus/commit" };
  expect(await longestTurn(place, order)).toBeLessThan(TURN_MS);
}, 60_000);

it("the parents of fifty categories are checked with one reading of all categories", async () => {
  const [moved, parents, large] = [ids("cat", 50), ids("cat", 50), ids("cat", 20)];
  await store(
    shop,
    categories,
    [...moved, ...parents].map((id) => ({ ...categoryOf({ id }), ...times })),
  );
  const description = Object.fromEntries(
    ["de", "en", "es", "fr", "it"].map((locale) => [locale, "d".repeat(2_000)]),
  );
  await store(
    shop,
    categories,
    large.map((id) => ({ ...categoryOf({ id, description }), ...times })),
  );
  const parsed = followParsed(10_000, 100_000);
  const operations = moved.map((id, n) => ({ op: "update", id, fields: { parent_id: parents[n] } }));
  const answer = await shop.post("/categories/bulk", { operations });
  const { all } = parsed.end();
  expect(answer.status, answer.text.slice(0, 500)).toBe(200);
  expect(all).toBe(large.length);
}, 60_000);
