import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { modifierGroups, modifiers } from "../../../../server/engines/menus/repository.ts";
import { longestTurn, many, TURN_MS } from "../../../support/longest-turn.ts";
import { groupOf, modifierOf, useOf } from "../fixture.ts";
import { createShop, makeMenu, NOW, publish, store } from "./shop.ts";
import type { Shop } from "./shop.ts";

// Dishes of hundreds of parts, each a product as large as documents may be.

let shop: Shop;
let product = "";
beforeAll(async () => {
  shop = await createShop();
  product = await makeProduct(0);
});
afterAll(() => shop.harness.close());

const longest = (path: string, body: unknown): Promise<number> =>
  longestTurn({ harness: shop.harness, world: shop, path }, body);

/** A product of 290 ingredients with five codes each, nearly as large as one may be. */
async function makeProduct(n: number): Promise<string> {
  const contains = ["milk", "egg", "peanut", "soy", "celery"];
  const body = { title: `Sauce ${n}`, ingredients: many(290, (at) => ({ name: `Part ${at}`, contains })) };
  const made = await shop.harness.call("POST", "/v1/allergens/products", { key: shop.key, body });
  expect(made.status, made.text.slice(0, 500)).toBe(201);
  return made.json.data.id;
}

/** A dish whose defaults are so many modifiers of products, in groups of a hundred, on so many menus. */
async function makeDish(products: readonly string[], menuCount: number) {
  const times = { created_at: NOW, updated_at: NOW };
  const newId = shop.harness.services.newId;
  const parts = products.map((product_id) => ({
    ...modifierOf({ id: newId("mod"), default: true, product_id }),
    ...times,
  }));
  await store(shop, modifiers, parts);
  const groups = many(Math.ceil(parts.length / 100), (n) => {
    const modifier_ids = parts.slice(n * 100, n * 100 + 100).map(({ id }) => id);
    return { ...groupOf({ id: newId("grp"), modifier_ids }), ...times };
  });
  await store(shop, modifierGroups, groups);
  const modifier_groups = groups.map(({ id }) => useOf(id));
  const { menu, item } = await makeMenu(shop, { item: { product_id: product, modifier_groups } });
  await publish(shop, menu);
  for (let n = 1; n < menuCount; n += 1) {
    const other = await shop.make("", { title: "Menu" });
    await shop.make("/categories", { title: "Kitchen", menu_ids: [other], item_ids: [item] });
    await publish(shop, other);
  }
  return { menu, item };
}

const check = (item: string, count: number) => ({
  avoid: ["milk"],
  items: many(count, () => ({ menu_item_id: item })),
});

describe("a dish of five hundred times the same large product", () => {
  let [menu, item] = ["", ""];
  beforeAll(async () => {
    ({ menu, item } = await makeDish(
      many(500, () => product),
      1,
    ));
  }, 60_000);

  it("is priced", async () => {
    const order = { menu_id: menu, lines: [{ item_id: item }] };
    const [line] = (await shop.post("/price", order)).json.data.lines;
    expect(line.allergens).toEqual(["celery", "egg", "milk", "peanut", "soy"]);
    expect(await longest("/menus/price", order)).toBeLessThan(TURN_MS);
    const lines = many(10, () => ({ item_id: item }));
    expect(await longest("/menus/price", { menu_id: menu, lines })).toBeLessThan(TURN_MS);
  }, 60_000);

  it("is shown", async () => {
    const at = { harness: shop.harness, world: shop, path: `/menus/${menu}/live` };
    expect(await longestTurn(at, undefined, 200, { method: "GET" })).toBeLessThan(TURN_MS);
  }, 60_000);

  it("is checked", async () => {
    expect(await longest("/allergens/check", check(item, 5))).toBeLessThan(TURN_MS);
  }, 60_000);
});

it("a dish of forty times the same large product, checked five times on five menus", async () => {
  const { item } = await makeDish(
    many(40, () => product),
    5,
  );
  expect(await longest("/allergens/check", check(item, 5))).toBeLessThan(TURN_MS);
}, 60_000);

it("a dish of ten large products, priced and checked", async () => {
  const products: string[] = [];
  for (let n = 0; n < 10; n += 1) products.push(await makeProduct(n + 1));
  const { menu, item } = await makeDish(products, 2);
  const lines = many(5, () => ({ item_id: item }));
  expect(await longest("/menus/price", { menu_id: menu, lines })).toBeLessThan(TURN_MS);
  expect(await longest("/allergens/check", check(item, 5))).toBeLessThan(TURN_MS);
}, 60_000);

it("invalid selections, thousands of each of many dishes, or of one", async () => {
  const avoid = ["milk"];
  const of = (choices: number) => ({ selections: many(choices, () => 1) });
  const some = many(100, () => ({ menu_item_id: "itm_none", selections: many(100, () => of(6)) }));
  expect(await longest("/allergens/check", { avoid, items: some })).toBeLessThan(TURN_MS);
  const one = { menu_item_id: "itm_none", selections: many(100, () => of(700)) };
  expect(await longest("/allergens/check", { avoid, items: [one] })).toBeLessThan(TURN_MS);
}, 60_000);
