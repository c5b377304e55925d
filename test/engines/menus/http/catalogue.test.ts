import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { createShop, idsOf, makeMenu, pointersOf, refusal } from "./shop.ts";
import type { Shop } from "./shop.ts";

let shop: Shop;
beforeEach(async () => {
  shop = await createShop();
});
afterEach(() => shop.harness.close());

describe("texts", () => {
  it("are given plainly, in the store's own language, or by language", async () => {
    const plain = await shop.make("/items", { title: "Bread", price: 1 });
    expect((await shop.get(`/items/${plain}`)).json.data.title).toEqual({ en: "Bread" });
    await shop.patch("/settings", { default_locale: "cy" });
    const welsh = await shop.make("/items", {
      title: "Bara",
      price: 1,
      images: [{ url: "https://x.example/a.jpg", alt: "Torth" }],
    });
    expect((await shop.get(`/items/${welsh}`)).json.data).toMatchObject({
      title: { cy: "Bara" },
      images: [{ url: "https://x.example/a.jpg", alt: { cy: "Torth" } }],
    });
    await shop.patch(`/items/${plain}`, { title: { en: "Bread", cy: "Bara" } });
    expect((await shop.get(`/items/${plain}`)).json.data.title).toEqual({ en: "Bread", cy: "Bara" });
  });

  it.each([[{}], [{ english: "x" }], [{ en: "" }], [" "], [7]])("422 for %j", async (title) => {
    expect((await shop.post("/items", { title, price: 1 })).status).toBe(422);
  });
});

describe("items", () => {
  it("201 with the plainest values, 200 with changes, 204 gone with its stock", async () => {
    const id = await shop.make("/items", { title: "Soup", price: 650 });
    const item = (await shop.get(`/items/${id}`)).json.data;
    expect(item).toMatchObject({ price: 650, tax_inclusive: true, variations: [], kcal: null, channels: [] });
    const patched = await shop.patch(`/items/${id}`, { kcal: { min: 180 }, alcohol: {}, price: null });
    expect(patched.json.data).toMatchObject({
      kcal: { min: 180, max: null },
      alcohol: { abv: null },
      price: null,
    });
    await shop.patch(`/items/${id}/stock`, { quantity: 3 });
    expect((await shop.remove(`/items/${id}`)).status).toBe(204);
    expect((await shop.get("/stock")).json.data).toEqual([]);
    expect((await shop.patch(`/items/${id}`, {})).status).toBe(404);
  });

  it("keeps the ids of variations that are told, and makes ids for new ones", async () => {
    const id = await shop.make("/items", {
      title: "Latte",
      variations: [
        { title: "Small", price: 3 },
        { title: "Large", price: 4 },
      ],
    });
    const [small, large] = (await shop.get(`/items/${id}`)).json.data.variations;
    const answer = await shop.patch(`/items/${id}`, {
      variations: [
        { id: large.id, title: "Large", price: 5 },
        { title: "Huge", price: 6 },
      ],
    });
    const { variations } = answer.json.data;
    expect(variations.map(({ price }: { price: number }) => price)).toEqual([5, 6]);
    expect(variations[0].id).toBe(large.id);
    expect([small.id, large.id]).not.toContain(variations[1].id);
    const gone = { variations: [{ id: small.id, title: "Small", price: 3 }] };
    expect(pointersOf(await shop.patch(`/items/${id}`, gone))).toEqual(["#/variations/0/id"]);
  });

  it("422 for groups and schedules that are not there, for limits that contradict each other", async () => {
    const modifier = await shop.make("/modifiers", { title: "Cheese" });
    const group = await shop.make("/modifier-groups", { title: "Extras", max: 2, modifier_ids: [modifier] });
    const refuse = async (body: object) =>
      pointersOf(await shop.post("/items", { title: "x", price: 1, ...body }));
    expect(await refuse({ modifier_groups: [{ group_id: "grp_none" }] })).toEqual(["#/modifier_groups/0"]);
    expect(await refuse({ modifier_groups: [{ group_id: group }, { group_id: group }] })).toEqual([
      "#/modifier_groups/1",
    ]);
    expect(await refuse({ modifier_groups: [{ group_id: group, min: 3 }] })).toEqual(["#/modifier_groups/0"]);
    expect(
      await refuse({ modifier_groups: [{ group_id: group, hidden_modifier_ids: ["mod_none"] }] }),
    ).toEqual(["#/modifier_groups/0/hidden_modifier_ids/0"]);
    expect(await refuse({ schedule_ids: ["shd_none"] })).toEqual(["#/schedule_ids/0"]);
    expect(await refuse({ price: -1 })).toEqual(["#/price"]);
    expect(await refuse({ price: 1.5 })).toEqual(["#/price"]);
    expect(await refuse({ external_refs: [] })).toEqual(["#/external_refs"]);
  });
});

describe("modifier groups", () => {
  it("201 with display_mode by its minimum", async () => {
    const id = await shop.make("/modifier-groups", { title: "Milk", min: 1, max: 1 });
    expect((await shop.get(`/modifier-groups/${id}`)).json.data).toMatchObject({
      display_mode: "required",
      free_policy: "cheapest_first",
      max: 1,
    });
  });

  it("422 for limits that contradict each other or the modifiers", async () => {
    const [a, b] = [
      await shop.make("/modifiers", { title: "A", default: true }),
      await shop.make("/modifiers", { title: "B", default: true }),
    ];
    const refuse = async (body: object) =>
      pointersOf(await shop.post("/modifier-groups", { title: "x", ...body }));
    expect(await refuse({ min: 3, max: 2 })).toEqual(["#/max"]);
    expect(await refuse({ min_distinct: 3, max_distinct: 2 })).toEqual(["#/max_distinct"]);
    expect(await refuse({ max_distinct: 3, modifier_ids: [a, b] })).toEqual(["#/max_distinct"]);
    expect(await refuse({ min_distinct: 3, modifier_ids: [a, b] })).toEqual(["#/min_distinct"]);
    expect(await refuse({ max: 1, modifier_ids: [a, b] })).toEqual(["#/modifier_ids"]);
    expect(await refuse({ modifier_ids: [a, a] })).toEqual(["#/modifier_ids/1"]);
    expect(await refuse({ modifier_ids: ["mod_none"] })).toEqual(["#/modifier_ids/0"]);
    const word = { code: "extra", title: "Extra" };
    expect(await refuse({ pre_modifiers: [word, word] })).toEqual(["#/pre_modifiers/1"]);
    expect(await refuse({ pre_modifiers: [{ ...word, factor: 1, fixed_price: 1 }] })).toEqual([
      "#/pre_modifiers/0/fixed_price",
    ]);
    expect(await refuse({ portions: [{ code: "half", title: "Half", scale: 0.33333 }] })).toEqual([
      "#/portions/0/scale",
    ]);
    expect(await refuse({ max: 0 })).toEqual(["#/max"]);
  });

  it("422 for a group inside itself and for four levels, from either end", async () => {
    const groups = [];
    for (const title of ["1", "2", "3", "4"]) groups.push(await shop.make("/modifier-groups", { title }));
    const [one, two, three, four] = groups;
    const into = async (from: string | undefined, to: string | undefined) => {
      const modifier = await shop.make("/modifiers", { title: "m", nested_group_ids: [to] });
      return { modifier, answer: await shop.patch(`/modifier-groups/${from}`, { modifier_ids: [modifier] }) };
    };
    expect((await into(one, two)).answer.status).toBe(200);
    const { modifier, answer } = await into(two, three);
    expect(answer.status).toBe(200);
    expect(pointersOf((await into(three, one)).answer)).toEqual(["#/modifier_ids"]);
    expect(pointersOf((await into(three, four)).answer)).toEqual(["#/modifier_ids"]);
    const circle = await shop.patch(`/modifiers/${modifier}`, { nested_group_ids: [two] });
    expect(pointersOf(circle)).toEqual(["#/nested_group_ids"]);
    expect(
      pointersOf(await shop.patch(`/modifiers/${modifier}`, { nested_group_ids: ["grp_none"] })),
    ).toEqual(["#/nested_group_ids/0"]);
  });
});

describe("schedules", () => {
  it("422 for days reversed and for exceptions that make no sense", async () => {
    const refuse = async (body: object) =>
      pointersOf(await shop.post("/schedules", { title: "x", rules: [], ...body }));
    expect(await refuse({ valid_from: "2026-06-02", valid_until: "2026-06-01" })).toEqual(["#/valid_until"]);
    const closed = { date: "2026-12-25", closed: true };
    expect(await refuse({ exceptions: [closed, closed] })).toEqual(["#/exceptions/1/date"]);
    const range = { start: "08:00", end: "09:00" };
    expect(await refuse({ exceptions: [{ ...closed, ranges: [range] }] })).toEqual(["#/exceptions/0/ranges"]);
    expect(await refuse({ exceptions: [{ date: "2026-12-25" }] })).toEqual(["#/exceptions/0/ranges"]);
    expect(await refuse({ rules: [{ days: ["mon"], start: "24:00", end: "02:00" }] })).toEqual([
      "#/rules/0/start",
    ]);
  });

  it("422 for holidays without a calendar, and days that are there twice", async () => {
    const calendar = await shop.make("/calendars", { title: "c", days: [{ date: "2026-12-25" }] });
    const refuse = async (holidays: object) =>
      pointersOf(await shop.post("/schedules", { title: "x", rules: [], holidays }));
    expect(await refuse({ calendar_id: "cal_none", closed: true })).toEqual(["#/holidays/calendar_id"]);
    expect(await refuse({ calendar_id: calendar })).toEqual(["#/holidays/ranges"]);
    const days = [{ date: "2026-12-25" }, { date: "2026-12-25" }];
    expect(pointersOf(await shop.patch(`/calendars/${calendar}`, { days }))).toEqual(["#/days/1/date"]);
    const holidays = { calendar_id: calendar, closed: true };
    const schedule = await shop.make("/schedules", { title: "x", rules: [], holidays });
    const refused = await shop.remove(`/calendars/${calendar}`);
    expect([refusal(refused), refused.json.error.errors]).toEqual(["409 referenced", [{ detail: schedule }]]);
    await shop.patch(`/schedules/${schedule}`, { holidays: null });
    expect((await shop.remove(`/calendars/${calendar}`)).status).toBe(204);
  });

  it("200 with changes", async () => {
    const id = await shop.make("/schedules", { title: "x", rules: [] });
    const rules = [{ days: ["fri"], start: "22:00", end: "02:00" }];
    expect((await shop.patch(`/schedules/${id}`, { rules })).json.data.rules).toEqual(rules);
  });
});

describe("price levels", () => {
  it("422 for what is not there, two overrides of one thing, and one that says two things", async () => {
    const refuse = async (body: object) =>
      pointersOf(await shop.post("/price-levels", { title: "x", ...body }));
    expect(await refuse({ menu_id: "mnu_none" })).toEqual(["#/menu_id"]);
    expect(await refuse({ schedule_id: "shd_none" })).toEqual(["#/schedule_id"]);
    expect(await refuse({ overrides: [{ percent: 5 }, { percent: 6 }] })).toEqual(["#/overrides/1"]);
    expect(await refuse({ overrides: [{ percent: 5, price: 6 }] })).toEqual(["#/overrides/0"]);
    expect(await refuse({ overrides: [{}] })).toEqual(["#/overrides/0"]);
    expect(await refuse({ overrides: [{ percent: 5.001 }] })).toEqual(["#/overrides/0/percent"]);
    expect(await refuse({ overrides: [{ percent: -101 }] })).toEqual(["#/overrides/0/percent"]);
  });
});

describe("deleting what is named", () => {
  it("409 referenced, with what names it", async () => {
    const schedule = await shop.make("/schedules", { title: "x", rules: [] });
    const modifier = await shop.make("/modifiers", { title: "m" });
    const group = await shop.make("/modifier-groups", { title: "g", modifier_ids: [modifier] });
    const { item, category, menu } = await makeMenu(shop, {
      item: {
        modifier_groups: [{ group_id: group, hidden_modifier_ids: [modifier] }],
        schedule_ids: [schedule],
      },
    });
    const level = await shop.make("/price-levels", {
      title: "l",
      menu_id: menu,
      overrides: [{ target_id: item, price: 1 }],
    });
    await shop.patch(`/${menu}`, { price_level_id: level });
    const namers = async (path: string): Promise<unknown> => {
      const answer = await shop.remove(path);
      expect([path, refusal(answer)]).toEqual([path, "409 referenced"]);
      return answer.json.error.errors.map(({ detail }: { detail: string }) => detail);
    };
    expect(await namers(`/schedules/${schedule}`)).toEqual([item]);
    expect(await namers(`/modifiers/${modifier}`)).toEqual([group, item]);
    expect(await namers(`/modifier-groups/${group}`)).toEqual([item]);
    expect(await namers(`/items/${item}`)).toEqual([category, level]);
    expect(await namers(`/price-levels/${level}`)).toEqual([menu]);
    expect(await namers(`/${menu}`)).toEqual([level]);
  });

  it("204 when nothing does; a draft menu leaves its categories", async () => {
    const { menu, category } = await makeMenu(shop);
    expect((await shop.remove(`/${menu}`)).status).toBe(204);
    expect((await shop.get(`/categories/${category}`)).json.data.menu_ids).toEqual([]);
    for (const [path, body] of [
      ["/schedules", { title: "x", rules: [] }],
      ["/modifiers", { title: "m" }],
      ["/modifier-groups", { title: "g" }],
      ["/price-levels", { title: "l" }],
    ] as const) {
      const id = await shop.make(path, body);
      expect((await shop.remove(`${path}/${id}`)).status).toBe(204);
      expect(idsOf(await shop.get(path))).toEqual([]);
    }
  });
});

describe("limits", () => {
  it("409 limit_reached at the most of a kind, and room again after a deletion", async () => {
    const ids = [];
    for (let made = 0; made < 50; made += 1) ids.push(await shop.make("/price-levels", { title: `${made}` }));
    expect(refusal(await shop.post("/price-levels", { title: "one more" }))).toBe("409 limit_reached");
    await shop.remove(`/price-levels/${ids[0]}`);
    expect((await shop.post("/price-levels", { title: "one more" })).status).toBe(201);
  });

  it("409 too_many_links when a menu would take on more than forty categories at once", async () => {
    const menu = await shop.make("", { title: "Menu" });
    const ids = [];
    for (let made = 0; made < 41; made += 1) ids.push(await shop.make("/categories", { title: `${made}` }));
    expect(refusal(await shop.patch(`/${menu}`, { category_ids: ids }))).toBe("409 too_many_links");
    expect((await shop.patch(`/${menu}`, { category_ids: ids.slice(0, 40) })).status).toBe(200);
    expect((await shop.patch(`/${menu}`, { category_ids: ids })).status).toBe(200);
  });
});

describe("settings", () => {
  it("200 defaults at version 0, then what was set", async () => {
    expect((await shop.get("/settings")).json.data).toMatchObject({ default_locale: "en", version: 0 });
    await shop.patch("/settings", { currency: "EUR", time_zone: "Europe/Dublin" });
    const menu = await shop.make("", { title: "Menu" });
    expect((await shop.get(`/${menu}`)).json.data).toMatchObject({
      currency: "EUR",
      time_zone: "Europe/Dublin",
    });
    expect((await shop.patch("/settings", { time_zone: "Mars/Olympus" })).status).toBe(422);
    const stale = await shop.call("PATCH", "/settings", { low_threshold: 1 }, { "if-match": '"999999"' });
    expect(stale.status).toBe(412);
  });
});
