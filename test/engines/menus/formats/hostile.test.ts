import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { createShop, pointersOf } from "../http/shop.ts";
import type { Shop } from "../http/shop.ts";
import { sampleOf } from "./samples.ts";
import type { Format } from "../../../../server/engines/menus/formats/formats.ts";

let shop: Shop;
beforeAll(async () => {
  shop = await createShop();
});
afterAll(() => shop.harness.close());

const text = (en: string) => ({ translations: { en } });
const uberItem = (id: string, groups: string[] = []) => ({
  id,
  title: text(id),
  price_info: { price: 100 },
  tax_info: {},
  modifier_group_ids: { ids: groups },
});
const uberGroup = (id: string, options: string[]) => ({
  id,
  title: text(id),
  modifier_options: options.map((option) => ({ id: option, type: "ITEM" })),
});
const uber = (parts: object) => ({ menus: [], categories: [], items: [], modifier_groups: [], ...parts });
const square = (...objects: object[]) => ({ objects });
const category = (id: string, parent?: string) => ({
  type: "CATEGORY",
  id,
  category_data: { name: id, ...(parent === undefined ? {} : { parent_category: { id: parent } }) },
});
const money = (amount: unknown, currency = "GBP") => ({ amount, currency });
const squareItem = (id: string, price: unknown) => ({
  type: "ITEM",
  id,
  item_data: {
    name: id,
    variations: [{ id: `${id}V`, item_variation_data: { name: "Regular", price_money: price } }],
  },
});
const toast = (menu: object, more: object = {}) => ({ menus: [{ name: "M", guid: "m", ...menu }], ...more });
const nested = (levels: number): object[] =>
  levels === 0 ? [] : [{ name: `L${levels}`, guid: `g${levels}`, menuGroups: nested(levels - 1) }];
const otter = (parts: object) => ({ menus: {}, ...parts });
const price = { currencyCode: "USD", amount: 1 };

/** What each must be refused for, by format: the document and the place that the refusal names. */
const cases: readonly (readonly [string, Format, unknown, string])[] = [
  ["wrong type of a list", "uber", uber({ items: {} }), "#/data/items"],
  [
    "price as text",
    "uber",
    uber({ items: [{ ...uberItem("a"), price_info: { price: "3.00" } }] }),
    "#/data/items/0/price_info/price",
  ],
  [
    "negative price",
    "uber",
    uber({ items: [{ ...uberItem("a"), price_info: { price: -1 } }] }),
    "#/data/items/0/price_info/price",
  ],
  [
    "no language",
    "uber",
    uber({ items: [{ ...uberItem("a"), title: { translations: {} } }] }),
    "#/data/items/0/title/translations",
  ],
  ["an id twice", "uber", uber({ items: [uberItem("a"), uberItem("a")] }), "#/data/items/1/id"],
  [
    "unknown day",
    "uber",
    uber({
      menus: [
        { id: "m", title: text("M"), service_availability: [{ day_of_week: "mon", time_periods: [] }] },
      ],
    }),
    "#/data/menus/0/service_availability/0/day_of_week",
  ],
  [
    "25 o'clock",
    "uber",
    uber({
      menus: [
        {
          id: "m",
          title: text("M"),
          service_availability: [
            { day_of_week: "monday", time_periods: [{ start_time: "25:00", end_time: "26:00" }] },
          ],
        },
      ],
    }),
    "#/data/menus/0/service_availability/0/time_periods/0",
  ],
  [
    "a group inside itself",
    "uber",
    uber({ items: [uberItem("a", ["g"]), uberItem("o", ["g"])], modifier_groups: [uberGroup("g", ["o"])] }),
    "#/data/modifier_groups/0",
  ],
  [
    "a circle of two groups",
    "uber",
    uber({
      items: [uberItem("a", ["g"]), uberItem("o", ["h"]), uberItem("p", ["g"])],
      modifier_groups: [uberGroup("g", ["o"]), uberGroup("h", ["p"])],
    }),
    "#/data/modifier_groups/0",
  ],
  [
    "an item twice in a category",
    "uber",
    uber({
      items: [uberItem("a")],
      categories: [{ id: "c", title: text("C"), entities: [{ id: "a" }, { id: "a" }] }],
    }),
    "#/data/categories/0",
  ],
  [
    "min above max",
    "uber",
    uber({
      modifier_groups: [
        { ...uberGroup("g", []), quantity_info: { quantity: { min_permitted: 3, max_permitted: 2 } } },
      ],
    }),
    "#/data/modifier_groups/0",
  ],
  [
    "more things than one request takes",
    "uber",
    uber({ items: Array.from({ length: 481 }, (_, at) => uberItem(`i${at}`)) }),
    "#/data",
  ],
  [
    "an override for another menu",
    "uber",
    uber({
      items: [
        {
          ...uberItem("a"),
          price_info: { price: 1, overrides: [{ context_type: "MENU", context_value: "x", price: 2 }] },
        },
      ],
    }),
    "#/data/items/0/price_info/overrides/0/context_value",
  ],

  ["no objects", "square", square(), "#/data"],
  ["no data of its type", "square", square({ type: "ITEM", id: "A" }), "#/data/objects/0/item_data"],
  ["an id twice", "square", square(category("A"), category("A")), "#/data/objects/1/id"],
  [
    "two currencies",
    "square",
    square(squareItem("A", money(1)), squareItem("B", money(1, "USD"))),
    "#/data/objects/1/item_data/variations/0/item_variation_data/price_money/currency",
  ],
  [
    "price with decimals",
    "square",
    square(squareItem("A", money(1.5))),
    "#/data/objects/0/item_data/variations/0/item_variation_data/price_money/amount",
  ],
  ["a category under itself", "square", square(category("A", "B"), category("B", "A")), "#/data/objects/0"],

  ["no menus", "toast", {}, "#/data/menus"],
  [
    "four levels of menu groups",
    "toast",
    toast({ menuGroups: nested(4) }),
    "#/data/menus/0/menuGroups/0/menuGroups/0/menuGroups/0/menuGroups/0",
  ],
  [
    "a guid twice",
    "toast",
    toast({
      menuGroups: [
        { name: "A", guid: "g" },
        { name: "B", guid: "g" },
      ],
    }),
    "#/data/menus/0/menuGroups/1/guid",
  ],
  [
    "a reference to nothing",
    "toast",
    toast({
      menuGroups: [
        {
          name: "A",
          guid: "g",
          menuItems: [{ name: "X", guid: "i", price: 1, modifierGroupReferences: [7] }],
        },
      ],
    }),
    "#/data/menus/0/menuGroups/0/menuItems/0/modifierGroupReferences/0",
  ],
  [
    "a key that is not the reference",
    "toast",
    toast({}, { modifierGroupReferences: { 5: { name: "G", guid: "g", referenceId: 6 } } }),
    "#/data/modifierGroupReferences/5/referenceId",
  ],
  [
    "price past all bounds",
    "toast",
    toast({ menuGroups: [{ name: "A", guid: "g", menuItems: [{ name: "X", guid: "i", price: 1e300 }] }] }),
    "#/data/menus/0/menuGroups/0/menuItems/0/price",
  ],
  [
    "a circle of groups",
    "toast",
    toast(
      {
        menuGroups: [
          {
            name: "A",
            guid: "a",
            menuItems: [{ name: "X", guid: "i", price: 1, modifierGroupReferences: [1] }],
          },
        ],
      },
      {
        modifierGroupReferences: {
          1: { name: "G", guid: "g", referenceId: 1, modifierOptionReferences: [2] },
        },
        modifierOptionReferences: {
          2: { name: "O", guid: "o", referenceId: 2, price: 1, modifierGroupReferences: [1] },
        },
      },
    ),
    "#/data/modifierGroupReferences/1",
  ],

  [
    "a PLU twice",
    "deliverect",
    {
      products: [
        { productType: 1, plu: "A", name: "A", price: 1 },
        { productType: 1, plu: "A", name: "B", price: 1 },
      ],
    },
    "#/data/products/1/plu",
  ],
  [
    "type 9",
    "deliverect",
    { products: [{ productType: 9, plu: "A", name: "A" }] },
    "#/data/products/0/productType",
  ],
  [
    "a product without a price",
    "deliverect",
    { products: [{ productType: 1, plu: "A", name: "A" }] },
    "#/data/products/0/price",
  ],
  [
    "a sub-product that nothing defines",
    "deliverect",
    { products: [{ productType: 1, plu: "A", name: "A", price: 1, subProducts: ["Z"] }] },
    "#/data/products/0/subProducts/0",
  ],
  [
    "a category twice",
    "deliverect",
    {
      products: [{ productType: 2, plu: "A", name: "A" }],
      categories: [
        { posCategoryId: "C", name: "C" },
        { posCategoryId: "C", name: "D" },
      ],
    },
    "#/data/categories/1/posCategoryId",
  ],

  ["a key that is not the id", "otter", otter({ menus: { a: { id: "b", name: "M" } } }), "#/data/menus/a/id"],
  [
    "two currencies",
    "otter",
    otter({
      items: {
        a: { id: "a", name: "A", price },
        b: { id: "b", name: "B", price: { ...price, currencyCode: "GBP" } },
      },
    }),
    "#/data/items/b/price/currencyCode",
  ],
  [
    "a default that is no option",
    "otter",
    otter({
      modifierGroups: {
        g: {
          id: "g",
          name: "G",
          itemIds: [],
          defaultModifierSelectionData: { defaultModifierSelections: [{ itemId: "z" }] },
        },
      },
    }),
    "#/data/modifierGroups/g/defaultModifierSelectionData/defaultModifierSelections/0/itemId",
  ],
];

/** Faults of one entry in a document that has others. */
const LEFT_OUT = new Set([
  "an id twice (uber)",
  "a group inside itself (uber)",
  "a circle of two groups (uber)",
  "two currencies (square)",
  "a reference to nothing (toast)",
  "a circle of groups (toast)",
  "a PLU twice (deliverect)",
  "a sub-product that nothing defines (deliverect)",
  "two currencies (otter)",
]);

/** References to what may be on another page, and what nests too deep: imported without them, and reported there. */
const incomplete: readonly (readonly [string, Format, unknown, string])[] = [
  [
    "six levels of groups",
    "uber",
    uber({
      items: [uberItem("a", ["g1"]), ...[1, 2, 3, 4, 5].map((at) => uberItem(`o${at}`, [`g${at + 1}`]))],
      modifier_groups: [1, 2, 3, 4, 5, 6].map((at) => uberGroup(`g${at}`, at === 6 ? [] : [`o${at}`])),
    }),
    "#/data/items/3",
  ],
  [
    "four levels of categories",
    "square",
    square(category("A"), category("B", "A"), category("C", "B"), category("D", "C")),
    "#/data/objects/3",
  ],
  [
    "a group that nothing defines",
    "uber",
    uber({ items: [uberItem("a", ["nowhere"])] }),
    "#/data/items/0/modifier_group_ids/ids/0",
  ],
  [
    "an item of a category that nothing defines",
    "uber",
    uber({ categories: [{ id: "c", title: text("C"), entities: [{ id: "x" }] }] }),
    "#/data/categories/0",
  ],
  ["a parent that nothing defines", "square", square(category("A", "Z")), "#/data/objects/0"],
  [
    "an item of a category elsewhere",
    "square",
    square({
      type: "ITEM",
      id: "A",
      item_data: {
        name: "A",
        categories: [{ id: "Z" }],
        variations: [{ id: "V", item_variation_data: { price_money: money(1) } }],
      },
    }),
    "#/data/objects/0/item_data/categories/0/id",
  ],
];

describe("a document that cannot be a menu", () => {
  it.each(incomplete)("200 reports %s (%s)", async (_, format, data, pointer) => {
    const answer = await shop.post("/import", { format, data, dry_run: true });
    expect(answer.status, answer.text).toBe(200);
    const paths = answer.json.data.warnings.map(({ path }: { path: string }) => `#/data${path}`);
    expect(paths).toContain(pointer);
  });

  it.each(cases.filter(([name, format]) => !LEFT_OUT.has(`${name} (${format})`)))(
    "422 %s (%s)",
    async (_, format, data, pointer) => {
      const answer = await shop.post("/import", { format, data });
      expect([answer.status, pointersOf(answer)[0]], answer.text).toEqual([422, pointer]);
    },
  );

  it.each(cases.filter(([name, format]) => LEFT_OUT.has(`${name} (${format})`)))(
    "200 without the entry: %s (%s)",
    async (_, format, data, pointer) => {
      const answer = await shop.post("/import", { format, data, dry_run: true });
      expect(answer.status, answer.text).toBe(200);
      const left: { path: string; reason: string; severity: string }[] = answer.json.data.warnings;
      expect(left.map(({ path }) => `#/data${path}`)).toContain(pointer);
      expect([left[0]?.severity, left[0]?.reason]).toEqual([
        "money",
        expect.stringMatching(/^The entry is invalid and was left out: /),
      ]);
    },
  );

  it("changes nothing", async () => {
    expect((await shop.get("/items")).json.data).toEqual([]);
    expect((await shop.get("")).json.data).toEqual([]);
  });
});

describe("a body that is no document", () => {
  it.each([
    ["an unknown format", { format: "doordash", data: {} }, "#/format"],
    ["no format", { data: {} }, "#/format"],
    ["no data", { format: "square" }, "#/data"],
    ["a member of its own", { format: "square", data: square(category("A")), replace: true }, "#/replace"],
  ])("422 for %s", async (_, body, pointer) => {
    const answer = await shop.post("/import", body);
    expect([answer.status, pointersOf(answer)[0]], answer.text).toEqual([422, pointer]);
  });

  it("400 for JSON that nests deeper than the gateway reads", async () => {
    const answer = await shop.post("/import", { format: "toast", data: toast({ menuGroups: nested(40) }) });
    expect(answer.status).toBe(400);
  });
});

it("a time zone that does not exist is left out and reported: Toast", async () => {
  const answer = await shop.post("/import", {
    format: "toast",
    data: toast({}, { restaurantTimeZone: "Mars/Olympus" }),
  });
  expect(answer.status, answer.text).toBe(200);
  expect(answer.text).toContain("restaurantTimeZone");
  expect(answer.text).not.toContain("Mars");
});

describe("random damage to a sample", () => {
  const formats = ["square", "toast", "deliverect", "uber", "otter"] as const;
  const junk = [null, "", "x", -1, 1.5, 1e300, true, [], {}, [{}], { a: 1 }];

  it.each(formats)("is a 200 or a 422 that names places, never a 500: %s", async (format) => {
    const places = placesOf(sampleOf(format));
    // Every ninth place with one kind of junk each keeps this to seconds and still meets every member in time.
    for (const [at, place] of places.entries()) {
      if (at % 9 !== 0) continue;
      const data = replaceAt(sampleOf(format), place, junk[(at / 9) % junk.length]);
      const answer = await shop.post("/import", { format, data, dry_run: true });
      expect([200, 422], `${place.join("/")}: ${answer.text}`).toContain(answer.status);
      if (answer.status === 422) expect(pointersOf(answer).length).toBeGreaterThan(0);
    }
  });
});

type Place = readonly (string | number)[];

const placesOf = (value: unknown, path: Place = []): Place[] => {
  if (Array.isArray(value)) return [path, ...value.flatMap((item, at) => placesOf(item, [...path, at]))];
  if (typeof value !== "object" || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([name, item]) => placesOf(item, [...path, name]))];
};

function replaceAt(value: unknown, [first, ...rest]: Place, junk: unknown): unknown {
  if (first === undefined) return junk;
  if (Array.isArray(value))
    return value.map((item, at) => (at === first ? replaceAt(item, rest, junk) : item));
  const members = Object.entries(Object(value)).map(([name, item]) => [
    name,
    name === first ? replaceAt(item, rest, junk) : item,
  ]);
  return Object.fromEntries(members);
}
