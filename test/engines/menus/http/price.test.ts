import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { createShop, makeMenu, pointersOf, publish, refusal } from "./shop.ts";
import type { Shop } from "./shop.ts";

let shop: Shop;
beforeEach(async () => {
  shop = await createShop();
});
afterEach(() => shop.harness.close());

const codesOf = (line: { errors: { code: string }[] }): string[] => line.errors.map(({ code }) => code);

/** A burger with a required bun and cheese by default, published. */
async function burger(): Promise<{
  menu: string;
  item: string;
  bun: string;
  extras: string;
  cheese: string;
  seeded: string;
  bacon: string;
}> {
  const [seeded, cheese, bacon] = [
    await shop.make("/modifiers", { title: { en: "Seeded bun", cy: "Bynsen hadau" }, kcal: { min: 200 } }),
    await shop.make("/modifiers", { title: "Cheese", price: 100, default: true, kcal: { min: 85 } }),
    await shop.make("/modifiers", { title: "Bacon", price: 180, max_quantity: 2, kcal: { min: 110 } }),
  ];
  const bun = await shop.make("/modifier-groups", { title: "Bun", min: 1, max: 1, modifier_ids: [seeded] });
  const extras = await shop.make("/modifier-groups", {
    title: "Extras",
    max: 3,
    modifier_ids: [cheese, bacon],
  });
  const { menu, item } = await makeMenu(shop, {
    item: {
      title: { en: "Burger", cy: "Byrgyr" },
      kcal: { min: 540 },
      modifier_groups: [{ group_id: bun }, { group_id: extras }],
    },
  });
  await publish(shop, menu);
  return { menu, item, bun, extras, cheese, seeded, bacon };
}

describe("menus.price", () => {
  it("200 prices a configured item with its energy, and tells what is wrong with another", async () => {
    const { menu, item, bun, extras, seeded, bacon } = await burger();
    const good = {
      item_id: item,
      quantity: 2,
      selections: [
        { group_id: bun, modifier_id: seeded },
        { group_id: extras, modifier_id: bacon, quantity: 2 },
      ],
    };
    const answer = await shop.post("/price", {
      menu_id: menu,
      lines: [good, { item_id: item }, { item_id: "itm_none" }],
    });
    expect(answer.status).toBe(200);
    const { data } = answer.json;
    expect([data.valid, data.total, data.menu_version]).toEqual([false, null, 1]);
    expect(data.lines[0]).toMatchObject({
      unit_price: 800 + 2 * 180,
      total: 2 * (800 + 2 * 180),
      kcal: { min: 540 + 200 + 220, max: null },
      kcal_text: "960 kcal",
      allergens: [],
      allergen_status: "unknown",
      errors: [],
    });
    expect(codesOf(data.lines[1])).toEqual(["min_selections"]);
    expect(codesOf(data.lines[2])).toEqual(["item_not_found"]);
    const alone = await shop.post("/price", { menu_id: menu, lines: [good] });
    expect([alone.json.data.valid, alone.json.data.total]).toEqual([true, 2320]);
  });

  it("200 in the language asked for", async () => {
    const { menu, item, bun, seeded } = await burger();
    const body = {
      menu_id: menu,
      locale: "cy",
      lines: [{ item_id: item, selections: [{ group_id: bun, modifier_id: seeded }] }],
    };
    const [line] = (await shop.post("/price", body)).json.data.lines;
    expect([line.title, line.modifiers[0].title]).toEqual(["Byrgyr", "Bynsen hadau"]);
  });

  it("200 with the level of the channel, of the hour, or the one that is named", async () => {
    const schedule = await shop.make("/schedules", {
      title: "Evening",
      rules: [{ days: ["mon"], start: "17:00", end: "19:00" }],
    });
    const { menu, item } = await makeMenu(shop);
    const percent = (value: number) => ({ overrides: [{ percent: value }] });
    await shop.make("/price-levels", { title: "Delivery", channel: "delivery", priority: 1, ...percent(15) });
    await shop.make("/price-levels", {
      title: "Evening",
      schedule_id: schedule,
      priority: 5,
      ...percent(-50),
    });
    const staff = await shop.make("/price-levels", { title: "Staff", automatic: false, ...percent(-25) });
    await publish(shop, menu);
    const total = async (body: object) =>
      (await shop.post("/price", { menu_id: menu, lines: [{ item_id: item }], ...body })).json.data.total;
    expect(await total({})).toBe(800);
    expect(await total({ channel: "delivery" })).toBe(920);
    expect(await total({ channel: "delivery", at: "2026-06-01T16:30:00.000Z" })).toBe(400);
    expect(await total({ price_level: staff })).toBe(600);
    const unknown = await shop.post("/price", {
      menu_id: menu,
      price_level: "prl_none",
      lines: [{ item_id: item }],
    });
    expect(pointersOf(unknown)).toEqual(["#/price_level"]);
  });

  it("409 not_published, 422 for a menu that is not there and for an order without lines", async () => {
    const { menu, item } = await makeMenu(shop);
    const lines = [{ item_id: item }];
    expect(refusal(await shop.post("/price", { menu_id: menu, lines }))).toBe("409 not_published");
    expect(pointersOf(await shop.post("/price", { menu_id: "mnu_none", lines }))).toEqual(["#/menu_id"]);
    expect(pointersOf(await shop.post("/price", { menu_id: menu, lines: [] }))).toEqual(["#/lines"]);
    const far = await shop.post("/price", { menu_id: menu, lines: [{ item_id: item, quantity: 10_001 }] });
    expect(far.status).toBe(422);
  });

  it("200 MA14 an item is not available when its required group cannot be filled", async () => {
    const { menu, item, seeded } = await burger();
    await shop.post(`/modifiers/${seeded}/suspend`, {});
    const [line] = (await shop.post("/price", { menu_id: menu, lines: [{ item_id: item }] })).json.data.lines;
    expect([line.available, codesOf(line)]).toEqual([false, ["min_selections", "item_unavailable"]]);
    expect(line.errors[1].detail).toBe("Not available: required_group_unsatisfiable.");
  });
});

describe("menus.live", () => {
  it("200 MA18 with energy as England wants it", async () => {
    await shop.patch("/settings", { kcal_labelling: "england" });
    const { menu } = await makeMenu(shop, { item: { kcal: { min: 540 }, portion_text: "350 g" } });
    await publish(shop, menu);
    const { data } = (await shop.get(`/${menu}/live`)).json;
    expect(data.statement).toBe("adults need around 2000 kcal a day");
    expect(data.categories[0].items[0]).toMatchObject({ kcal_text: "540 kcal", portion_text: "350 g" });
    await shop.patch(`/${menu}`, { audience: "children" });
    await publish(shop, menu);
    expect((await shop.get(`/${menu}/live`)).json.data.statement).toBeNull();
  });

  it("200 MA15 a suspension counts at once, in what is published, and ends exactly", async () => {
    const { menu, item } = await makeMenu(shop);
    await publish(shop, menu);
    await shop.post(`/items/${item}/suspend`, { until: "2026-06-01T18:00:00.000Z" });
    const at = async (instant: string) =>
      (await shop.get(`/${menu}/live?at=${instant}`)).json.data.categories[0].items[0];
    expect(await at("2026-06-01T17:59:59.000Z")).toMatchObject({
      available: false,
      reason: "suspended",
      next_change_at: "2026-06-01T18:00:00.000Z",
    });
    expect(await at("2026-06-01T18:00:00.000Z")).toMatchObject({ available: true, reason: null });
    const hidden = await shop.get(`/${menu}/live?hide=unavailable`);
    expect(hidden.json.data.categories).toEqual([]);
  });

  it("200 over midnight and over the change of the clock", async () => {
    const night = await shop.make("/schedules", {
      title: "Night",
      rules: [{ days: ["sat"], start: "22:00", end: "02:00" }],
    });
    const { menu } = await makeMenu(shop, { menu: { schedule_ids: [night] } });
    await publish(shop, menu);
    const at = async (instant: string) => {
      const { data } = (await shop.get(`/${menu}/live?at=${instant}`)).json;
      return [data.available, data.local, data.next_change_at];
    };
    expect(await at("2026-10-24T21:00:00.000Z")).toEqual([
      true,
      "2026-10-24T22:00",
      "2026-10-25T02:00:00.000Z",
    ]);
    expect(await at("2026-10-25T01:30:00.000Z")).toEqual([
      true,
      "2026-10-25T01:30",
      "2026-10-25T02:00:00.000Z",
    ]);
    expect(await at("2026-10-25T02:00:00.000Z")).toEqual([
      false,
      "2026-10-25T02:00",
      "2026-10-31T22:00:00.000Z",
    ]);
  });

  it("404 for no menu, 422 for a level that the menu has not", async () => {
    const { menu } = await makeMenu(shop);
    await publish(shop, menu);
    expect((await shop.get("/mnu_none/live")).status).toBe(404);
    expect(pointersOf(await shop.get(`/${menu}/live?price_level=prl_none`))).toEqual(["price_level"]);
    expect((await shop.get(`/${menu}/live?channel=post`)).status).toBe(422);
  });
});
