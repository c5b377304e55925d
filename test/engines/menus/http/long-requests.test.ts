import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { storePartition } from "../../../../server/core/partitions.ts";
import {
  categories,
  connections,
  connectionStock,
  items,
  menus,
  modifierGroups,
  modifiers,
  priceLevels,
  schedules,
} from "../../../../server/engines/menus/repository.ts";
import { connectionWatch } from "../../../../server/engines/menus/services/push-connections.ts";
import type { Schedule } from "../../../../server/engines/menus/schema/schedule.ts";
import { longestOf, longestTurn, many, TURN_MS } from "../../../support/longest-turn.ts";
import { categoryOf, groupOf, itemOf, levelOf, menuOf, modifierOf, scheduleOf, useOf } from "../fixture.ts";
import { createShop, makeMenu, NOW, publish, refusal, store } from "./shop.ts";
import type { Shop } from "./shop.ts";

// A short request about much must not keep the event loop from all others.

let shop: Shop;
beforeAll(async () => {
  shop = await createShop();
});
afterAll(() => shop.harness.close());

const longest = (method: string, path: string, body?: unknown, status = 200): Promise<number> =>
  longestTurn({ harness: shop.harness, world: shop, path: `/menus${path}` }, body, status, { method });

async function makeAll(path: string, count: number, body: object): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < count; n += 1) ids.push(await shop.make(path, body));
  return ids;
}

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
  expect(await longest("POST", "/price", order)).toBeLessThan(TURN_MS);
}, 60_000);

it("the allergens of thirty dishes of five hundred modifiers each on five menus", async () => {
  const modifier_ids = await makeAll("/modifiers", 100, { title: "Side", default: true });
  const groups = await makeAll("/modifier-groups", 5, { title: "Sides", modifier_ids });
  const modifier_groups = groups.map((group_id) => ({ group_id }));
  const { menu, item } = await makeMenu(shop, { item: { modifier_groups } });
  const others = await makeAll("", 4, { title: "Menu" });
  await makeAll("/categories", 1, { title: "Kitchen", menu_ids: others, item_ids: [item] });
  for (const id of [menu, ...others]) await publish(shop, id);
  const question = { items: many(30, () => ({ menu_item_id: item })), avoid: ["milk"] };
  const path = "/allergens/check";
  expect(await longestTurn({ harness: shop.harness, world: shop, path }, question)).toBeLessThan(TURN_MS);
}, 60_000);

describe("an item whose modifiers have ten groups of a hundred defaults each", () => {
  const times = { created_at: NOW, updated_at: NOW };
  const ids = (prefix: string, count: number) => many(count, () => shop.harness.services.newId(prefix));
  let [menu = "", item = ""]: string[] = [];
  let selections: { group_id: string; modifier_id: string; selections: object[] }[] = [];
  beforeAll(async () => {
    const [inner, outer, innerGroups, outerGroups, levels] = [
      ids("mod", 200),
      ids("mod", 100),
      ids("grp", 200),
      ids("grp", 20),
      ids("prl", 40),
    ];
    const pick = (all: readonly string[], start: number, count: number) =>
      many(count, (n) => all[(start + n) % all.length] ?? "");
    const nestedOf = (n: number) => pick(innerGroups, n * 10, 10);
    await store(shop, modifiers, [
      ...inner.map((id) => ({ ...modifierOf({ id, default: true }), ...times })),
      ...outer.map((id, n) => ({ ...modifierOf({ id, nested_group_ids: nestedOf(n) }), ...times })),
    ]);
    await store(shop, modifierGroups, [
      ...innerGroups.map((id, n) => ({ ...groupOf({ id, modifier_ids: pick(inner, n, 100) }), ...times })),
      ...outerGroups.map((id) => ({ ...groupOf({ id, modifier_ids: outer }), ...times })),
    ]);
    const overrides = many(50, (n) => ({ target_id: `itm_${n}`, price: 1, percent: null }));
    await store(
      shop,
      priceLevels,
      levels.map((id) => ({ ...levelOf({ id, overrides }), ...times })),
    );
    const made = await makeMenu(shop);
    [menu, item] = [made.menu, made.item];
    await shop.patch(`/items/${item}`, { modifier_groups: outerGroups.map((id) => useOf(id)) });
    await publish(shop, menu);
    selections = many(100, (n) => ({
      group_id: outerGroups[n % 20] ?? "",
      modifier_id: outer[n] ?? "",
      // None of the group.
      selections: nestedOf(n).map((id, at) => ({
        group_id: id,
        modifier_id: pick(inner, (n * 10 + at) % 200, 1)[0],
        quantity: 0,
      })),
    }));
  }, 60_000);

  it("is priced with a hundred of them", async () => {
    const order = { menu_id: menu, lines: [{ item_id: item, selections }] };
    expect((await shop.post("/price", order)).json.data.lines[0].unit_price).toBe(800 + 100 * 120);
    expect(await longest("POST", "/price", order)).toBeLessThan(TURN_MS);
  }, 60_000);

  it("is checked for allergens with five hundred of them", async () => {
    const [plain, chosen, innerGroups, outerGroups] = [
      ids("mod", 100),
      ids("mod", 500),
      ids("grp", 200),
      ids("grp", 5),
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
    const modifier_groups = outerGroups.map((id) => useOf(id));
    const id = await shop.make("/items", { title: "Plate", price: 800, modifier_groups });
    const check = { avoid: ["milk"], items: [{ menu_item_id: id }] };
    const at = { harness: shop.harness, world: shop, path: "/allergens/check" };
    expect(await longestTurn(at, check)).toBeLessThan(TURN_MS);
  }, 60_000);
});

it("the price of an item in four hundred categories, each with its own schedules", async () => {
  const newId = (prefix: string) => shop.harness.services.newId(prefix);
  const times = { created_at: NOW, updated_at: NOW };
  const time = (minute: number): string =>
    `${String(Math.floor(minute / 60)).padStart(2, "0")}:${String(minute % 60).padStart(2, "0")}`;
  const days: Schedule["rules"][number]["days"] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
  const scheduleIds = many(50, () => newId("shd"));
  const stored = scheduleIds.map((id, n) => {
    const rules = many(50, (at) => ({
      days,
      start: time(28 * at + (n % 14)),
      end: time(28 * at + (n % 14) + 1),
    }));
    return { ...scheduleOf({ id, rules }), holidays: null, ...times };
  });
  await store(shop, schedules, stored);
  const item = await shop.make("/items", { title: "Burger", price: 800 });
  const menu = newId("mnu");
  const listIds = many(400, () => newId("cat"));
  const lists = listIds.map((id, n) => ({
    ...categoryOf({
      id,
      menu_ids: n < 90 ? [menu] : [],
      parent_id: n < 90 ? null : (listIds[n % 90] ?? null),
      item_ids: [item],
      schedule_ids: many(4, (at) => scheduleIds[(n + at * (1 + (n % 7))) % 50] ?? ""),
    }),
    ...times,
  }));
  await store(shop, categories, lists);
  const state = {
    status: "draft" as const,
    latest_version: 0,
    published_version: null,
    published_at: null,
    scheduled: null,
  };
  await store(shop, menus, [
    { ...menuOf({ id: menu, category_ids: listIds.slice(0, 90) }), ...times, ...state },
  ]);
  await publish(shop, menu);
  const order = { menu_id: menu, lines: many(3, () => ({ item_id: item })) };
  expect((await shop.post("/price", order)).json.data.lines).toHaveLength(3);
  expect(await longest("POST", "/price", order)).toBeLessThan(TURN_MS);
}, 60_000);

it("a change of a group where a thousand groups share modifiers with ten groups each", async () => {
  const newId = (prefix: string) => shop.harness.services.newId(prefix);
  const times = { created_at: NOW, updated_at: NOW };
  const groupIds = many(3, () => many(300, () => newId("grp")));
  const modifierIds = many(3, () => many(1_000, () => newId("mod")));
  const pick = (all: readonly string[] = [], start: number, count: number) =>
    many(count, (n) => all[(start + n * 13) % all.length] ?? "");
  await store(
    shop,
    modifiers,
    modifierIds.flatMap((ids, level) =>
      ids.map((id, n) => ({
        ...modifierOf({ id, nested_group_ids: level < 2 ? pick(groupIds[level + 1], n * 7, 10) : [] }),
        ...times,
      })),
    ),
  );
  await store(
    shop,
    modifierGroups,
    groupIds.flatMap((ids, level) =>
      ids.map((id, n) => ({
        ...groupOf({ id, modifier_ids: pick(modifierIds[level], n * 37, 100) }),
        ...times,
      })),
    ),
  );
  const change = { modifier_ids: pick(modifierIds[0], 5, 100) };
  expect(await longest("PATCH", `/modifier-groups/${groupIds[0]?.[0]}`, change)).toBeLessThan(TURN_MS);
}, 60_000);

describe("a store of items that are as large as documents may be", () => {
  /** Of 250,000 characters each. */
  const COUNT = 100;
  const times = { created_at: NOW, updated_at: NOW };
  let menu = "";
  let small = "";
  let group = "";
  beforeAll(async () => {
    const { newId, runTx } = shop.harness.services;
    const part = storePartition(shop.key.storeId, "live");
    group = await shop.make("/modifier-groups", { title: "Sides" });
    const inAll = (length: number) =>
      Object.fromEntries(many(20, (n) => [`a${String.fromCodePoint(97 + n)}`, "x".repeat(length)]));
    const ids = many(COUNT, () => newId("itm"));
    for (const [n, id] of ids.entries()) {
      const variations = many(50, () => ({
        id: newId("var"),
        title: inAll(140),
        price: 1,
        sku: null,
        kcal: null,
        portion_text: inAll(90),
      }));
      const modifier_groups = n === 50 ? [{ group_id: group, hidden_modifier_ids: [] }] : [];
      const item = { ...itemOf({ id, title: { en: `Dish ${n}` }, variations, modifier_groups }), ...times };
      await runTx(part, async (tx) => void tx.create(items, item));
    }
    menu = newId("mnu");
    const state = {
      status: "draft" as const,
      latest_version: 0,
      published_version: null,
      published_at: null,
      scheduled: null,
    };
    const lists = many(10, (n) => ({
      ...categoryOf({ id: newId("cat"), menu_ids: [menu], item_ids: ids.slice(n * 10, n * 10 + 10) }),
      ...times,
    }));
    await runTx(part, async (tx) => {
      for (const list of lists) tx.create(categories, list);
      const category_ids = lists.map(({ id }) => id);
      tx.create(menus, { ...menuOf({ id: menu, category_ids }), ...times, ...state });
    });
    small = (await makeMenu(shop, { item: { modifier_groups: [{ group_id: group }] } })).menu;
  }, 60_000);

  it("a draft of more than 20 million characters is refused, and no other", async () => {
    const too = "409 collection_too_large";
    expect(refusal(await shop.post(`/${menu}/lint`, {}))).toBe(too);
    expect(refusal(await shop.post(`/${menu}/publish`, {}))).toBe(too);
    expect(refusal(await shop.get(`/${menu}/export?format=uber`))).toBe(too);
    expect(refusal(await shop.get(`/${menu}/diff?from=draft&to=draft`))).toBe(too);
    expect((await shop.post(`/${small}/lint`, {})).status).toBe(200);
    expect(await publish(shop, small)).toBe(1);
  });

  it("drafts that are requested at the same time take turns", async () => {
    const paths = ["lint", "lint"].map((action) => () => shop.post(`/${small}/${action}`, {}));
    const reads = ["export?format=uber", "diff?from=draft&to=1"].map(
      (path) => () => shop.get(`/${small}/${path}`),
    );
    const answers = await Promise.all(
      many(3, () => [...paths, ...reads])
        .flat()
        .map((send) => send()),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  });

  it("the lists of items of categories", async () => {
    const path = "/categories?include=items&limit=10";
    const listed = (await shop.get(path)).json.data;
    const titles = listed.flatMap((each: { items: { title: string }[] }) =>
      each.items.map(({ title }) => title),
    );
    expect(titles).toContain("Dish 99");
    expect(await longest("GET", path)).toBeLessThan(TURN_MS);
  }, 60_000);

  it("the deletion of a group, and new groups, of which no item may be left out", async () => {
    expect(await longest("DELETE", `/modifier-groups/${group}`, undefined, 409)).toBeLessThan(TURN_MS);
  }, 60_000);
});

it("categories of a menu that are open at a time, with two hundred schedules of as many days as they may have", async () => {
  const times = { created_at: NOW, updated_at: NOW };
  const menu = await shop.make("", { title: "Menu" });
  const newId = shop.harness.services.newId;
  const day = (n: number): string => new Date(Date.UTC(2026, 0, 1 + n)).toISOString().slice(0, 10);
  const ranges = many(10, (n) => ({ start: `0${n}:00`, end: `0${n}:30` }));
  const exceptions = many(400, (n) => ({ date: day(n), closed: false, ranges }));
  const hours = many(200, (): Schedule => ({
    ...scheduleOf({ id: newId("shd"), rules: [], exceptions }),
    ...times,
    title: { en: "Hours" },
    holidays: null,
  }));
  for (let at = 0; at < hours.length; at += 5) await store(shop, schedules, hours.slice(at, at + 5));
  const texts = (chars: number) =>
    Object.fromEntries(many(20, (n) => [`a${"abcdefghijklmnopqrst".charAt(n)}`, "t".repeat(chars)]));
  const listed = many(100, (n) => ({
    ...categoryOf({
      id: newId("cat"),
      title: texts(150),
      description: texts(2_000),
      menu_ids: [menu],
      schedule_ids: hours.slice(2 * n, 2 * n + 2).map(({ id }) => id),
    }),
    ...times,
    external_refs: [],
  }));
  for (let at = 0; at < listed.length; at += 10) await store(shop, categories, listed.slice(at, at + 10));
  const open = `/categories?menu_id=${menu}&at=2026-06-01T08:10:00.000Z&limit=1`;
  expect(await longest("GET", open)).toBeLessThan(TURN_MS);
  const place = { harness: shop.harness, world: shop, path: "/menus/categories?limit=100" };
  expect(await longestTurn(place, null, 200, { method: "GET", atOnce: 16 })).toBeLessThan(3 * TURN_MS);
}, 120_000);

it("when to send stock next to twenty connections that were sent four thousand periods each", async () => {
  const part = storePartition(shop.key.storeId, "live");
  const newId = shop.harness.services.newId;
  const sent = many(20, () => ({
    id: newId("con"),
    unavailable: Object.fromEntries(many(4_000, () => [newId("itm"), "2026-06-05T09:00:00.000Z"])),
  }));
  const stock = { sent_at: NOW, attempts: 0, next_attempt_at: null, error: null };
  const connection = { title: "Till", url: "https://till.example", menu_id: newId("mnu"), channel: "pickup" };
  const made = sent.map(({ id }) => ({
    ...connection,
    id,
    created_at: NOW,
    updated_at: NOW,
    channel: "pickup" as const,
    format: "tree" as const,
    locale: null,
    publication: null,
    online_version: 1,
    stock,
  }));
  await store(shop, connections, made);
  for (const value of sent) await store(shop, connectionStock, [value]);
  const { runTx } = shop.harness.services;
  const longest = await longestOf(
    () => null,
    async () => void (await runTx(part, (tx) => connectionWatch.next(tx))),
  );
  expect(longest).toBeLessThan(TURN_MS);
}, 60_000);
