import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { items } from "../../../../server/engines/menus/repository.ts";
import { createShop, makeMenu, publish, refusal, store } from "./shop.ts";
import type { Shop } from "./shop.ts";

let shop: Shop;
beforeEach(async () => {
  shop = await createShop();
});
afterEach(() => shop.harness.close());

/** Groups that each hold the same ten default modifiers, which open the groups given. */
async function groupsOf(nested: readonly string[]): Promise<string[]> {
  const modifiers: string[] = [];
  for (let number = 0; number < 10; number += 1) {
    const more = { default: true, nested_group_ids: nested };
    modifiers.push(await shop.make("/modifiers", { title: `Sauce ${number}`, price: 10, ...more }));
  }
  const groups: string[] = [];
  for (let number = 0; number < 8; number += 1)
    groups.push(await shop.make("/modifier-groups", { title: `Sauces ${number}`, modifier_ids: modifiers }));
  return groups;
}

describe("a dish of more modifiers than can be told", () => {
  it("has no price and no known allergens, and is told of at once", async () => {
    const groups = await groupsOf(await groupsOf(await groupsOf([])));
    const modifier_groups = groups.map((group_id) => ({ group_id }));
    const { menu, item } = await makeMenu(shop, { item: { modifier_groups, kcal: { min: 100 } } });
    await publish(shop, menu);
    const live = (await shop.get(`/${menu}/live`)).json.data;
    expect(live.categories[0].items[0]).toMatchObject({ allergen_status: "unknown", kcal: null });
    const priced = (await shop.post("/price", { menu_id: menu, lines: [{ item_id: item }] })).json.data;
    expect(priced).toMatchObject({ valid: false, total: null });
    expect(priced.lines[0]).toMatchObject({ unit_price: null, allergen_status: "unknown" });
    expect(priced.lines[0].errors).toContainEqual(expect.objectContaining({ code: "too_many_choices" }));
    const sale = { order_reference: "A1", menu_id: menu, lines: [{ item_id: item }] };
    expect((await shop.post("/commit", sale)).status).toBe(422);
    const check = await shop.harness.call("POST", "/v1/allergens/check", {
      key: shop.key,
      body: { items: [{ menu_item_id: item }], avoid: ["milk"] },
    });
    expect(check.json.data.verdict).toBe("unknown");
  });
});

describe("a price beyond exact numbers", () => {
  it("is refused by its own code", async () => {
    const { menu, item } = await makeMenu(shop, { item: { price: Number.MAX_SAFE_INTEGER } });
    await publish(shop, menu);
    const ask = async (lines: object[]) => refusal(await shop.post("/price", { menu_id: menu, lines }));
    expect(await ask([{ item_id: item, quantity: 10_000 }])).toBe("422 amount_out_of_range");
    expect(await ask([{ item_id: item }, { item_id: item }])).toBe("422 amount_out_of_range");
  });
});

describe("a schedule at the end of time", () => {
  it("names no change that no instant can name", async () => {
    const schedule = await shop.make("/schedules", {
      title: "Mondays",
      rules: [{ days: ["mon"], start: "08:00", end: "10:00" }],
    });
    const { menu } = await makeMenu(shop, { menu: { schedule_ids: [schedule] } });
    await publish(shop, menu);
    const live = (await shop.get(`/${menu}/live?at=9999-12-31T23:00:00.000Z`)).json.data;
    expect([live.available, live.next_change_at]).toEqual([false, null]);
  });
});

describe("more items than a commit checks", () => {
  it("are refused in the categories of one request, and taken in several", async () => {
    const { item } = await makeMenu(shop);
    const { data } = (await shop.get(`/items/${item}`)).json;
    const { allergen_status: _, version: __, ...soup } = data;
    const all = Array.from({ length: 1_050 }, (_, n) => ({
      ...items.schema.parse(soup),
      id: `itm_01JD8Z5T9QK3M4N5P6R7${String(n).padStart(6, "0")}`,
    }));
    await store(shop, items, all);
    const operations = [0, 350, 700].map((from) => ({
      op: "create",
      fields: { title: `From ${from}`, item_ids: all.slice(from, from + 350).map(({ id }) => id) },
    }));
    expect(refusal(await shop.post("/categories/bulk", { operations }))).toBe("413");
    for (const operation of operations)
      expect(refusal(await shop.post("/categories/bulk", { operations: [operation] }))).toBe("200");
  });
});
