import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { DEMO_IDS } from "../../../../server/engines/menus/data/demo-ids.ts";
import { demoMenus } from "../../../../server/engines/menus/demo.ts";
import { menus } from "../../../../server/engines/menus/index.ts";
import { storePartition } from "../../../../server/core/partitions.ts";
import { createShop, NOW, publish } from "./shop.ts";
import type { Shop } from "./shop.ts";

let shop: Shop;
beforeEach(async () => {
  shop = await createShop();
  for (const { collection, values } of menus.seed(Date.parse(NOW))) {
    for (let start = 0; start < values.length; start += 20) {
      await shop.harness.services.runTx(storePartition(shop.key.storeId, "live"), async (tx) => {
        for (const value of values.slice(start, start + 20)) tx.create(collection, value);
      });
    }
  }
});
afterEach(() => shop.harness.close());

const { menus: M, items: I, groups: G, modifiers: D } = DEMO_IDS;
const live = async (menu: string, query = "") => (await shop.get(`/${menu}/live${query}`)).json.data;
const price = async (menu: string, line: object, more: object = {}) =>
  (await shop.post("/price", { menu_id: menu, lines: [line], ...more })).json.data.lines[0];

describe("the demo shop", () => {
  it("is the same for the same instant", () => {
    expect(demoMenus(Date.parse(NOW))).toEqual(demoMenus(Date.parse(NOW)));
  });

  it("has sound menus: they could be published as they are", async () => {
    for (const menu of [M.day, M.late]) {
      const { data } = (await shop.post(`/${menu}/lint`)).json;
      expect([data.publishable, data.errors]).toEqual([true, 0]);
      // The draft is what is published.
      expect((await shop.get(`/${menu}/diff?from=1&to=draft`)).json.data).toEqual([]);
      expect(await publish(shop, menu)).toBe(1);
    }
  });

  it("serves breakfast in the morning, and the late kitchen past midnight", async () => {
    const breakfast = async (at: string) => (await live(M.day, `?at=${at}`)).categories[2].items[0].available;
    expect(await breakfast("2026-06-02T06:30:00.000Z")).toBe(true);
    expect(await breakfast("2026-06-02T10:00:00.000Z")).toBe(false);
    expect((await live(M.late, "?at=2026-06-06T00:30:00.000Z")).available).toBe(true);
    expect((await live(M.late, "?at=2026-06-06T01:00:00.000Z")).available).toBe(false);
  });

  it("costs more by delivery and less in the evening", async () => {
    const bread = { item_id: I.sourdough };
    expect((await price(M.day, bread)).total).toBe(480);
    expect((await price(M.day, bread, { channel: "delivery" })).total).toBe(550);
    expect((await price(M.day, bread, { at: "2026-06-01T16:30:00.000Z" })).total).toBe(335);
  });

  it("makes coffee with the milk that is there", async () => {
    const latte = (milk: string) => ({
      item_id: I.latte,
      selections: [{ group_id: G.milk, modifier_id: milk }],
    });
    expect(await price(M.day, { item_id: I.latte })).toMatchObject({
      total: 340,
      kcal_text: "134 kcal",
      errors: [],
    });
    expect(await price(M.day, latte(D.oatMilk))).toMatchObject({ total: 380, kcal_text: "99 kcal" });
    expect((await price(M.day, latte(D.soyaMilk))).errors[0].code).toBe("modifier_unavailable");
  });

  it("sells ten wings in three sauces, and pizza by halves", async () => {
    const wings = (...counts: readonly number[]) => ({
      item_id: I.wings,
      selections: [D.buffalo, D.barbecue, D.garlic, D.lemon].flatMap((id, at) =>
        counts[at] === undefined ? [] : [{ group_id: G.sauces, modifier_id: id, quantity: counts[at] }],
      ),
    });
    const friday = { at: "2026-06-05T21:30:00.000Z" };
    expect((await price(M.late, wings(4, 3, 3), friday)).errors).toEqual([]);
    expect((await price(M.late, wings(4, 3, 2, 1), friday)).errors[0].code).toBe("max_distinct");
    const half = [{ group_id: G.toppings, modifier_id: D.olives, portion: "left" }];
    expect(
      (await price(M.day, { item_id: I.pizza, selections: half }, { at: "2026-06-02T12:00:00.000Z" })).total,
    ).toBe(1110);
  });

  it("has a bun sold out and croissants running low", async () => {
    expect((await price(M.day, { item_id: I.cinnamonBun })).errors[0].detail).toContain("out_of_stock");
    expect((await shop.get(`/items/${I.croissant}/stock`)).json.data).toMatchObject({
      low: true,
      quantity: 4,
    });
    const many = await price(M.day, { item_id: I.croissant, quantity: 5 });
    expect(many.errors[0].code).toBe("insufficient_stock");
  });

  it("speaks Welsh where it can", async () => {
    const menu = await live(M.day, "?locale=cy");
    expect([menu.title, menu.categories[0].title, menu.categories[0].items[1].title]).toEqual([
      "Popty a chegin",
      "Bara",
      "Seeded rye",
    ]);
  });
});
