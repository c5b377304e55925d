import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { createShop, idsOf, makeMenu, pointersOf, refusal } from "./shop.ts";
import type { Shop } from "./shop.ts";

let shop: Shop;
beforeEach(async () => {
  shop = await createShop();
});
afterEach(() => shop.harness.close());

describe("categories.list", () => {
  it("200 MA20 is a list, never the menu of that id, and no id can be chosen", async () => {
    const answer = await shop.get("/categories");
    expect([answer.status, answer.json.data]).toEqual([200, []]);
    const refused = await shop.post("", { id: "categories", title: "Menu" });
    expect([refused.status, pointersOf(refused)]).toEqual([422, ["#/id"]]);
  });

  it("200 MA17 with texts in the reader's language", async () => {
    const body = { title: { en: "Breads", cy: "Bara" }, description: { en: "Baked before six" } };
    await shop.make("/categories", body);
    const read = async (headers: Record<string, string>, query = "") => {
      const [first] = (await shop.get(`/categories${query}`, headers)).json.data;
      return [first.title, first.description];
    };
    expect(await read({ "accept-language": "cy-GB, en;q=0.8" })).toEqual(["Bara", "Baked before six"]);
    expect(await read({})).toEqual(["Breads", "Baked before six"]);
    expect(await read({ "accept-language": "cy" }, "?locale=en-GB")).toEqual(["Breads", "Baked before six"]);
    expect(pointersOf(await shop.get("/categories?locale=en_GB"))).toEqual(["locale"]);
  });

  it("200 by menu, by parent, by whether it is shown; one at a time", async () => {
    const { menu, category } = await makeMenu(shop);
    const second = await shop.make("/categories", { title: "Drinks", menu_ids: [menu], sort_order: 2 });
    const child = await shop.make("/categories", { title: "Soup", parent_id: category, visible: false });
    expect(idsOf(await shop.get(`/categories?menu_id=${menu}`))).toEqual([category, second]);
    expect(idsOf(await shop.get(`/categories?parent_id=${category}`))).toEqual([child]);
    expect(idsOf(await shop.get("/categories?parent_id=none"))).toEqual([category, second]);
    expect(idsOf(await shop.get("/categories?visible=false"))).toEqual([child]);
    expect(pointersOf(await shop.get(`/categories?visible=true&menu_id=${menu}`))).toEqual(["menu_id"]);
  });

  it("200 by channel, and for a menu also by what is open at an instant, holidays included", async () => {
    // Mondays and holidays; Monday 1 June is one.
    const days = [{ date: "2026-06-01", title: "Founders' day" }];
    const calendar = await shop.make("/calendars", { title: "Holidays", days });
    const rules = [{ days: ["mon"], start: "09:00", end: "17:00" }];
    const holidays = { calendar_id: calendar, closed: false, ranges: [{ start: "11:00", end: "12:00" }] };
    const mondays = await shop.make("/schedules", { title: "Mondays", rules, holidays });
    const { menu, category } = await makeMenu(shop, { category: { schedule_ids: [mondays], sort_order: 2 } });
    const always = await shop.make("/categories", {
      title: "Drinks",
      menu_ids: [menu],
      sort_order: 1,
      channels: ["kiosk"],
    });
    const ids = async (query: string) => idsOf(await shop.get(`/categories?${query}`));
    const at = (instant: string) => ids(`menu_id=${menu}&at=2026-06-${instant}:00:00.000Z`);
    // 10:00 in London on the holiday, then half past eleven; a week later, and on a Tuesday.
    expect(await at("01T09")).toEqual([always]);
    expect(await at("01T10")).toEqual([always, category]);
    expect(await at("08T09")).toEqual([always, category]);
    expect(await at("09T09")).toEqual([always]);
    expect(await ids("channel=kiosk")).toEqual([always, category]);
    expect(await ids("channel=delivery")).toEqual([category]);
    expect(await ids(`channel=delivery&menu_id=${menu}`)).toEqual([category]);
    const first = await shop.get(`/categories?menu_id=${menu}&channel=kiosk&limit=1`);
    const { next_cursor: cursor } = first.json.meta.pagination;
    expect(idsOf(first)).toEqual([always]);
    expect(await ids(`menu_id=${menu}&channel=kiosk&limit=1&cursor=${cursor}`)).toEqual([category]);
    expect(pointersOf(await shop.get("/categories?at=2026-06-01T09:00:00.000Z"))).toEqual(["at"]);
    expect(pointersOf(await shop.get("/categories?channel=kiosk&visible=true"))).toEqual(["menu_id"]);
  });

  it("200 with its first items where they are asked for, ten categories at a time", async () => {
    const { item } = await makeMenu(shop, { item: { title: { en: "Burger", cy: "Byrgyr" } } });
    const answer = await shop.get("/categories?include=items&limit=10&locale=cy");
    expect(answer.json.data[0]).toMatchObject({
      item_count: 1,
      items: [{ id: item, title: "Byrgyr", price: 800 }],
    });
    expect((await shop.get("/categories")).json.data[0].items).toBeUndefined();
    expect(pointersOf(await shop.get("/categories?include=items"))).toEqual(["limit"]);
  });
});

describe("the tree of categories", () => {
  it("keeps menus and categories in step from both sides", async () => {
    const menu = await shop.make("", { title: "Menu" });
    const [a, b] = [
      await shop.make("/categories", { title: "A", menu_ids: [menu] }),
      await shop.make("/categories", { title: "B" }),
    ];
    const categoryIds = async () => (await shop.get(`/${menu}`)).json.data.category_ids;
    const menuIds = async (id: string) => (await shop.get(`/categories/${id}`)).json.data.menu_ids;
    expect(await categoryIds()).toEqual([a]);
    await shop.patch(`/${menu}`, { category_ids: [b, a] });
    expect([await categoryIds(), await menuIds(b)]).toEqual([[b, a], [menu]]);
    await shop.patch(`/categories/${a}`, { menu_ids: [] });
    expect([await categoryIds(), await menuIds(a)]).toEqual([[b], []]);
    await shop.patch(`/${menu}`, { category_ids: [] });
    expect(await menuIds(b)).toEqual([]);
    expect(pointersOf(await shop.patch(`/${menu}`, { category_ids: [a, "cat_none"] }))).toEqual([
      "#/category_ids/1",
    ]);
    expect(pointersOf(await shop.patch(`/categories/${a}`, { menu_ids: ["mnu_none"] }))).toEqual([
      "#/menu_ids/0",
    ]);
  });

  it("422 beyond three levels, in a circle, and for a child at the top level of a menu", async () => {
    const { menu, category: top } = await makeMenu(shop);
    const second = await shop.make("/categories", { title: "2", parent_id: top });
    const third = await shop.make("/categories", { title: "3", parent_id: second });
    const deep = await shop.post("/categories", { title: "4", parent_id: third });
    expect([deep.status, pointersOf(deep)]).toEqual([422, ["#/parent_id"]]);
    await shop.patch(`/categories/${top}`, { menu_ids: [] });
    expect((await shop.patch(`/categories/${top}`, { parent_id: third })).status).toBe(422);
    expect((await shop.patch(`/categories/${top}`, { parent_id: top })).status).toBe(422);
    const other = await shop.make("/categories", { title: "other" });
    // Three levels under a fourth.
    expect((await shop.patch(`/categories/${top}`, { parent_id: other })).status).toBe(422);
    expect((await shop.patch(`/categories/${second}`, { parent_id: other })).status).toBe(200);
    expect(pointersOf(await shop.patch(`/categories/${second}`, { menu_ids: [menu] }))).toEqual([
      "#/menu_ids",
    ]);
    expect(pointersOf(await shop.patch(`/${menu}`, { category_ids: [second] }))).toEqual([
      "#/category_ids/0",
    ]);
  });

  it("409 referenced while a menu shows it or children stand under it", async () => {
    const { menu, category } = await makeMenu(shop);
    const child = await shop.make("/categories", { title: "Soup", parent_id: category });
    const refused = await shop.remove(`/categories/${category}`);
    expect(refusal(refused)).toBe("409 referenced");
    expect(refused.json.error.errors.map(({ detail }: { detail: string }) => detail)).toEqual([menu, child]);
    await shop.patch(`/categories/${category}`, { menu_ids: [] });
    await shop.remove(`/categories/${child}`);
    expect((await shop.remove(`/categories/${category}`)).status).toBe(204);
    expect((await shop.get(`/categories/${category}`)).status).toBe(404);
  });

  it("422 for items that are not there, and for one that stands twice", async () => {
    const { category, item } = await makeMenu(shop);
    expect(pointersOf(await shop.patch(`/categories/${category}`, { item_ids: [item, "itm_none"] }))).toEqual(
      ["#/item_ids/1"],
    );
    expect(pointersOf(await shop.patch(`/categories/${category}`, { item_ids: [item, item] }))).toEqual([
      "#/item_ids/1",
    ]);
  });
});

describe("categories.reorder", () => {
  it("200 puts a menu or a parent in order", async () => {
    const { menu, category } = await makeMenu(shop);
    const other = await shop.make("/categories", { title: "Drinks", menu_ids: [menu] });
    const children = [];
    for (const title of ["a", "b", "c"])
      children.push(await shop.make("/categories", { title, parent_id: category }));
    await shop.post("/categories/reorder", { menu_id: menu, category_ids: [other, category] });
    expect((await shop.get(`/${menu}`)).json.data.category_ids).toEqual([other, category]);
    const turned = children.toReversed();
    const answer = await shop.post("/categories/reorder", { parent_id: category, category_ids: turned });
    expect(answer.json.data).toEqual({ category_ids: turned });
    expect(idsOf(await shop.get(`/categories?parent_id=${category}`))).toEqual(turned);
  });

  it("422 for one that stands elsewhere, is left out or named twice, and for two lists at once", async () => {
    const { menu, category } = await makeMenu(shop);
    const other = await shop.make("/categories", { title: "Drinks", menu_ids: [menu] });
    const reorder = async (body: object) => pointersOf(await shop.post("/categories/reorder", body));
    expect(await reorder({ menu_id: menu, category_ids: [category] })).toEqual(["#/category_ids"]);
    expect(await reorder({ menu_id: menu, category_ids: [category, "cat_none", other] })).toEqual([
      "#/category_ids/1",
    ]);
    expect(await reorder({ menu_id: menu, category_ids: [category, category] })).toEqual([
      "#/category_ids/1",
    ]);
    expect(await reorder({ menu_id: "mnu_none", category_ids: [category] })).toEqual(["#/menu_id"]);
    expect(await reorder({ menu_id: menu, parent_id: category, category_ids: [other] })).toEqual([
      "#/menu_id",
    ]);
  });

  it("200 moves fifty children in one go", async () => {
    const { category } = await makeMenu(shop);
    const children = [];
    for (let at = 0; at < 50; at += 1) {
      children.push(await shop.make("/categories", { title: `${at}`, parent_id: category, sort_order: at }));
    }
    expect((await shop.post("/categories", { title: "51", parent_id: category })).status).toBe(422);
    const turned = children.toReversed();
    expect(
      (await shop.post("/categories/reorder", { parent_id: category, category_ids: turned })).status,
    ).toBe(200);
    expect(idsOf(await shop.get(`/categories?parent_id=${category}&limit=100`))).toEqual(turned);
  });
});
