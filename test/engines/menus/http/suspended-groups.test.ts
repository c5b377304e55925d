import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { modifierGroups, modifiers, stocks } from "../../../../server/engines/menus/repository.ts";
import { longestTurn, many, TURN_MS } from "../../../support/longest-turn.ts";
import { groupOf, modifierOf, stockOf, useOf } from "../fixture.ts";
import { createShop, makeMenu, NOW, publish, store } from "./shop.ts";
import type { Shop } from "./shop.ts";

// Whether a modifier can be selected depends on the groups inside it: many can depend on the same groups.

let shop: Shop;
beforeAll(async () => {
  shop = await createShop();
});
afterAll(() => shop.harness.close());

const longest = (method: string, path: string, body?: unknown): Promise<number> =>
  longestTurn({ harness: shop.harness, world: shop, path: `/menus${path}` }, body, 200, { method });

describe("an item of thousands of modifiers that need groups of a hundred suspended ones", () => {
  const times = { created_at: NOW, updated_at: NOW };
  const ids = (prefix: string, count: number) => many(count, () => shop.harness.services.newId(prefix));
  const untilOf = (n: number) => new Date(Date.parse(NOW) + (n + 1) * 86_400_000).toISOString();
  let [menu = "", item = ""]: string[] = [];
  beforeAll(async () => {
    const [inner, innerGroups, outer, outerGroups] = [
      ids("mod", 100),
      ids("grp", 100),
      ids("mod", 3_000),
      ids("grp", 30),
    ];
    const nestedOf = (n: number) => many(10, (at) => innerGroups[(n * 10 + at) % 100] ?? "");
    await store(
      shop,
      stocks,
      inner.map((id, n) => {
        const suspension = { channel: null, until: untilOf(n), reason: null, since: NOW };
        return { ...stockOf({ id, target: "modifier", suspensions: [suspension] }), ...times };
      }),
    );
    await store(shop, modifiers, [
      ...inner.map((id) => ({ ...modifierOf({ id }), ...times })),
      ...outer.map((id, n) => ({ ...modifierOf({ id, nested_group_ids: nestedOf(n) }), ...times })),
    ]);
    await store(shop, modifierGroups, [
      ...innerGroups.map((id) => ({ ...groupOf({ id, min: 100, modifier_ids: inner }), ...times })),
      ...outerGroups.map((id, n) => {
        const modifier_ids = outer.slice(n * 100, n * 100 + 100);
        return { ...groupOf({ id, min: 100, modifier_ids }), ...times };
      }),
    ]);
    const made = await makeMenu(shop);
    [menu, item] = [made.menu, made.item];
    await shop.patch(`/items/${item}`, { modifier_groups: outerGroups.map((id) => useOf(id)) });
    await publish(shop, menu);
  }, 60_000);

  it("is priced", async () => {
    const order = { menu_id: menu, lines: [{ item_id: item }] };
    const [line] = (await shop.post("/price", order)).json.data.lines;
    expect(line.errors).toContainEqual({
      code: "item_unavailable",
      id: item,
      detail: "Not available: required_group_unsatisfiable.",
    });
    expect(await longest("POST", "/price", order)).toBeLessThan(TURN_MS);
  }, 60_000);

  it("is shown", async () => {
    const { categories: shown } = (await shop.get(`/${menu}/live`)).json.data;
    const expected = { available: false, next_change_at: null };
    expect(shown[0].items[0]).toMatchObject(expected);
    expect(await longest("GET", `/${menu}/live`)).toBeLessThan(TURN_MS);
  }, 60_000);

  it("is exported", async () => {
    const path = `/${menu}/export?format=deliverect`;
    expect((await shop.get(path)).json.data.document.products).toContainEqual(
      expect.objectContaining({ snoozed: true, snoozeEnd: untilOf(99) }),
    );
    expect(await longest("GET", path)).toBeLessThan(TURN_MS);
  }, 60_000);
});
