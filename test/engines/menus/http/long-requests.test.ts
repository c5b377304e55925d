import { afterEach, beforeEach, expect, it } from "vitest";

import { longestTurn, many, TURN_MS } from "../../../support/longest-turn.ts";
import { createShop, makeMenu, publish } from "./shop.ts";
import type { Shop } from "./shop.ts";

// A short request about much must not keep the event loop from all others.

let shop: Shop;
beforeEach(async () => {
  shop = await createShop();
});
afterEach(() => shop.harness.close());

it("the price of a hundred thousand units that a removed default pays for", async () => {
  const removed = await shop.make("/modifiers", { title: "Lobster", price: 2_000_000, default: true });
  const sauce = await shop.make("/modifiers", { title: "Sauce", price: 1, max_quantity: 1_000 });
  const group = await shop.make("/modifier-groups", {
    title: "Sides",
    substitution: true,
    modifier_ids: [removed, sauce],
  });
  const { menu, item } = await makeMenu(shop, { item: { modifier_groups: [{ group_id: group }] } });
  await publish(shop, menu);
  const selections = many(100, () => ({ group_id: group, modifier_id: sauce, quantity: 1_000 }));
  const order = { menu_id: menu, lines: [{ item_id: item, selections }] };
  expect((await shop.post("/price", order)).json.data.lines[0].unit_price).toBe(800);
  expect(await longestTurn({ harness: shop.harness, world: shop, path: "/menus/price" }, order)).toBeLessThan(
    TURN_MS,
  );
}, 60_000);
