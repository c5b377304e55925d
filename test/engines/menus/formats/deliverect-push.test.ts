import { describe, expect, it } from "vitest";

import { writeDocument } from "../../../../server/engines/menus/formats/formats.ts";
import { byTitle, readSample } from "./samples.ts";

/*
 * The menu of Deliverect's reference ("menuStatus", full asynchronous menu push, developers.deliverect.com), with the
 * members that say what is sold and at what price. Prices by hand: steak 15.00, salad +2.00, mashed potato +1.00, rest free.
 */
const modifier = (
  _id: string,
  plu: string,
  fields: { name: string; price: number; [member: string]: unknown },
) => ({
  [_id]: { _id, plu, productType: 2, min: 0, max: 0, multiply: 1, subProducts: [], ...fields },
});
const menu = {
  availabilities: [{ dayOfWeek: 1, startTime: "10:00", endTime: "17:00" }],
  bundles: {},
  categories: [
    {
      _id: "6464dd6010",
      name: "test",
      nameTranslations: {},
      products: ["649ea92c"],
      subProducts: ["649ea92c"],
      availabilities: [],
      level: 1,
    },
  ],
  channelLinkId: "649ad021949cfa36470f9ea9",
  currency: 1,
  menu: "test",
  menuId: "64648bd2a28d59a83ff80406",
  menuType: 1,
  modifierGroups: {
    "64770b0": {
      _id: "64770b0",
      name: "Cooking instructions",
      nameTranslations: { en: "Cooking Instructions" },
      productType: 3,
      min: 1,
      max: 1,
      plu: "MOD-01",
      price: 0,
      subProducts: ["64770ba", "64770be"],
    },
    "64770b2": {
      _id: "64770b2",
      name: "Choose a side",
      productType: 3,
      min: 0,
      max: 0,
      multiMax: 3,
      plu: "MOD-02",
      price: 0,
      subProducts: ["64770c0", "64770c2", "64770c4"],
    },
  },
  modifiers: {
    ...modifier("64770ba", "COOK-01", { name: "Rare", price: 0 }),
    ...modifier("64770be", "COOK-03", { name: "Well done", price: 0 }),
    ...modifier("64770c0", "SI-01", { name: "Fries", price: 0, defaultQuantity: 1 }),
    ...modifier("64770c2", "SI-02", { name: "Salad", price: 200 }),
    ...modifier("64770c4", "SI-03", { name: "Mashed Potato", price: 100, snoozed: true }),
  },
  products: {
    "649ea92c": {
      _id: "649ea92c",
      name: "Delicious Steak Frites",
      description: "Delicious Steak Frites",
      productType: 1,
      plu: "STK-01",
      price: 1500,
      min: 0,
      max: 0,
      multiMax: 1,
      posCategoryIds: ["STK"],
      subProducts: ["64770b0", "64770b2"],
    },
  },
  snoozedProducts: {},
};

describe("a menu that Deliverect pushes", () => {
  const read = (more: object = {}) =>
    readSample("deliverect_menu", {
      menus: [{ ...menu, ...more }],
      stores: ["649ad0"],
      callback: "https://x.test",
    });

  it("has the prices, limits and stock of the document", () => {
    const { tree, draft } = read();
    expect(tree.items.map(({ title, price }) => [title.en, price])).toEqual([
      ["Delicious Steak Frites", 1500],
    ]);
    expect(Object.fromEntries(tree.modifiers.map(({ title, price }) => [title.en, price]))).toEqual({
      Fries: 0,
      "Mashed Potato": 100,
      Rare: 0,
      Salad: 200,
      "Well done": 0,
    });
    expect(byTitle(tree.modifier_groups, "Cooking instructions")).toMatchObject({ min: 1, max: 1 });
    expect(byTitle(tree.modifier_groups, "Choose a side")).toMatchObject({ min: 0, max: null });
    expect(byTitle(draft.modifiers, "Mashed Potato").stock).toMatchObject({ available: false });
    expect(byTitle(draft.modifiers, "Salad").stock).toBeUndefined();
    expect(byTitle(tree.modifiers, "Fries").default).toBe(true);
  });

  it("puts products into the categories that list them", () => {
    const { tree } = read();
    expect(tree.categories.map(({ title, item_ids: ids }) => [title.en, ids])).toEqual([
      ["test", [tree.items[0]?.id]],
    ]);
  });

  it("has the ids of a product sync: both are one catalogue", async () => {
    const pushed = read().tree;
    const { data } = await writeDocument("deliverect", pushed, {
      locale: "en",
      facts: new Map(),
      unavailable: {},
      key: "sto_a",
    });
    const synced = readSample("deliverect", data).tree;
    const prices = (tree: typeof pushed) =>
      Object.fromEntries([...tree.items, ...tree.modifiers].map(({ id, price }) => [id, price]));
    expect(prices(synced)).toEqual(prices(pushed));
  });

  it("reads what is snoozed from the list of the menu too", () => {
    const { draft } = read({ snoozedProducts: { "649ea92c": { plu: "STK-01" } } });
    expect(draft.items[0]?.stock).toMatchObject({ available: false });
  });

  it("reads what is snoozed by its id alone", () => {
    const { draft } = read({ snoozedProducts: { "649ea92c": {} } });
    expect(draft.items[0]?.stock).toMatchObject({ available: false, until: null });
  });

  it("keeps the groups of a product that is an option as well, where it has none", () => {
    const option = modifier("64770c5", "STK-01", { name: "Delicious Steak Frites", price: 1500 });
    const { draft } = read({ modifiers: { ...menu.modifiers, ...option } });
    expect(draft.items.map(({ ref, groups }) => [ref, groups.map(({ group }) => group)])).toEqual([
      ["STK-01", ["MOD-01", "MOD-02"]],
    ]);
  });

  it("reports what it cannot take, at its place in the push", () => {
    const { told, tree } = read({ bundles: { box: { plu: "BOX" } }, minimumOrder: 1000 });
    expect(told).toContain("/menus/0/minimumOrder: This field is not supported.");
    expect(told).toContain("/menus/0/bundles/box: Bundles are not supported.");
    expect(tree.schedules.map(({ rules }) => rules)).toEqual([
      [{ days: ["mon"], start: "10:00", end: "17:00" }],
    ]);
  });

  it("takes the condensed menu of the reference on images, which has no PLU for its modifier", () => {
    const { tree } = readSample("deliverect_menu", {
      menus: [
        {
          categories: [{ _id: "6579cc459", name: "Drinks" }],
          modifierGroups: {
            g: { _id: "g", name: "Choose a Sauce", plu: "100060", productType: 3, subProducts: ["m"] },
          },
          modifiers: { m: { _id: "m", name: "Truffle Cream Sauce", price: 800, productType: 2 } },
          products: {
            p: {
              _id: "p",
              name: "Hand Cut Fries",
              plu: "PR60",
              price: 890,
              productType: 1,
              subProducts: ["g"],
            },
          },
        },
      ],
    });
    expect([
      byTitle(tree.items, "Hand Cut Fries").price,
      byTitle(tree.modifiers, "Truffle Cream Sauce").price,
    ]).toEqual([890, 800]);
  });
});
