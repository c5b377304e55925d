import { describe, expect, it } from "vitest";

import { writeDocument } from "../../../../server/engines/menus/formats/formats.ts";
import { byTitle, readSample, sampleOf } from "./samples.ts";

const money = (amount: number) => ({ amount, currency: "USD" });
const variation = (id: string, price: number, more: object = {}) => ({
  type: "ITEM_VARIATION",
  id,
  item_variation_data: { name: "Regular", pricing_type: "FIXED_PRICING", price_money: money(price), ...more },
});
const squareItem = (id: string, variations: readonly object[], more: object = {}) => ({
  type: "ITEM",
  id,
  item_data: { name: id, variations, categories: [{ id: "cat" }], ...more },
});
const category = { type: "CATEGORY", id: "cat", category_data: { name: "Breads" } };
const tax = (id: string, inclusion: string, enabled = true) => ({
  type: "TAX",
  id,
  tax_data: { name: id, percentage: "8.5", inclusion_type: inclusion, enabled },
});
const square = (...objects: readonly object[]) =>
  readSample("square", { objects: [...objects, category] }, "USD");

describe("Square", () => {
  it.each([
    ["ADDITIVE", ["add"], false],
    ["INCLUSIVE", ["incl"], true],
    ["both", ["add", "incl"], false],
    ["only a disabled ADDITIVE one", ["off", "incl"], true],
  ])("imports a tax that is %s", (_, ids, expected) => {
    const { tree } = square(
      squareItem("Bun", [variation("v", 300)], { tax_ids: ids }),
      tax("add", "ADDITIVE"),
      tax("incl", "INCLUSIVE"),
      tax("off", "ADDITIVE", false),
    );
    expect(byTitle(tree.items, "Bun").tax_inclusive).toBe(expected);
  });

  it("exports a price without tax as such", async () => {
    const bun = squareItem("Bun", [variation("v", 300)], { tax_ids: ["add"] });
    const { tree } = square(bun, tax("add", "ADDITIVE"));
    const { data, losses } = await writeDocument("square", tree, {
      locale: "en",
      facts: new Map(),
      unavailable: {},
      key: "sto_a",
    });
    expect(byTitle(readSample("square", data, "USD").tree.items, "Bun")).toMatchObject({
      price: 300,
      tax_inclusive: false,
    });
    expect(losses[0]).toMatchObject({ severity: "money" });
  });

  const twoPlaces = [
    {
      location_id: "L1",
      price_money: money(350),
      sold_out: true,
      sold_out_valid_until: "2026-06-01T18:00:00Z",
    },
    { location_id: "L2", price_money: money(400) },
  ];
  const places = [squareItem("Bun", [variation("v", 300, { location_overrides: twoPlaces })])];

  it("imports price and stock of the only location", () => {
    const only = squareItem("Bun", [variation("v", 300, { location_overrides: twoPlaces.slice(0, 1) })]);
    const { tree, draft } = square(only);
    expect(byTitle(tree.items, "Bun").price).toBe(350);
    expect(byTitle(draft.items, "Bun").stock).toMatchObject({
      available: false,
      until: "2026-06-01T18:00:00.000Z",
    });
  });

  it("reports prices of several locations first, with their severity", () => {
    const { tree, losses } = square({ ...places[0], updated_at: "2026-01-01" });
    expect(byTitle(tree.items, "Bun").price).toBe(300);
    expect(losses[0]?.path).toContain("location_overrides");
    expect(losses.map(({ severity }) => severity)).toEqual(["money", "content"]);
  });

  it("imports the chosen one of several locations", () => {
    const { tree, draft } = readSample("square", { objects: [...places, category] }, "USD", "L2");
    expect(byTitle(tree.items, "Bun").price).toBe(400);
    expect(byTitle(draft.items, "Bun").stock).toBeUndefined();
  });

  it("shortens a long description instead of refusing the document", () => {
    const { tree, told } = square(
      squareItem("Bun", [variation("v", 300)], { description: "a".repeat(2_001) }),
    );
    expect(byTitle(tree.items, "Bun").description?.en).toHaveLength(2_000);
    expect(told).toEqual(["/objects/0/description: Shortened to 2000 characters."]);
  });
});

const toastItem = (price: number | null, more: object = {}) => ({
  name: "Soup",
  guid: "soup",
  price,
  ...more,
});
const toast = (menus: readonly (readonly (readonly object[])[])[], more: object = {}) =>
  readSample(
    "toast",
    {
      menus: menus.map((groups, menu) => ({
        name: `Menu ${menu}`,
        guid: `menu${menu}`,
        menuGroups: groups.map((menuItems, group) => ({
          name: `Group ${menu}${group}`,
          guid: `group${menu}${group}`,
          menuItems,
        })),
      })),
      ...more,
    },
    "USD",
  );

describe("Toast", () => {
  it("imports SMART_TAX as not included, and reports it first", () => {
    const { tree, losses } = toast([[[toastItem(10, { taxInclusion: "SMART_TAX", kitchenName: "S" })]]]);
    expect(tree.items[0]?.tax_inclusive).toBe(false);
    expect(losses.map(({ severity }) => severity)).toEqual(["money", "content"]);
  });

  it.each(["MENU_SPECIFIC_PRICE", "BASE_PRICE"])("keeps 10 and 14 of two menus under %s", (strategy) => {
    const soup = (price: number) => toastItem(price, { pricingStrategy: strategy });
    const { tree, draft, losses } = toast([[[soup(10)]], [[soup(14)]]]);
    expect(tree.items).toMatchObject([{ price: 1000 }]);
    const prices = new Map(draft.levels.map(({ menu, prices: [own] }) => [menu, own?.price]));
    expect(prices.get("menu1")).toBe(1400);
    expect(prices.get("menu0") ?? 1000).toBe(1000);
    expect(losses).toEqual([]);
  });

  it("exports the price of a menu, which an import reads again", async () => {
    const { tree } = toast([[[toastItem(14, { pricingStrategy: "MENU_SPECIFIC_PRICE" })]]]);
    const { data, losses } = await writeDocument("toast", tree, {
      locale: "en",
      facts: new Map(),
      unavailable: {},
      key: "sto_a",
    });
    expect(losses.map(({ reason }) => reason)).toEqual([
      "Its prices are exported as those of the items in this menu.",
    ]);
    const again = readSample("toast", data, "USD");
    expect(again.tree.price_levels[0]?.overrides).toEqual(tree.price_levels[0]?.overrides);
  });

  it.each([
    ["modifiers", {}, { modifierGroupReferences: [1] }],
    ["tax", { taxInclusion: "TAX_INCLUDED" }, { taxInclusion: "TAX_NOT_INCLUDED" }],
    ["a price", {}, { price: 14 }],
  ])("imports an item with other %s in another group as an item of that group", async (_, one, other) => {
    const groups = {
      modifierGroupReferences: {
        1: { name: "Extras", guid: "extras", referenceId: 1, modifierOptionReferences: [] },
      },
    };
    const { tree } = toast([[[toastItem(10, one)], [toastItem(10, other)]]], groups);
    expect(tree.items).toHaveLength(2);
    const { data } = await writeDocument("toast", tree, {
      locale: "en",
      facts: new Map(),
      unavailable: {},
      key: "sto_a",
    });
    const again = readSample("toast", data, "USD").tree;
    const facts = (items: typeof tree.items) =>
      items.map((item) => [item.price, item.tax_inclusive, item.modifier_groups.length]);
    expect(facts(again.items)).toEqual(facts(tree.items));
    expect(again.items.map(({ external_refs: refs }) => refs)).toEqual(
      tree.items.map(({ external_refs: refs }) => refs),
    );
  });

  it("imports an item once that only differs in visibility", () => {
    const { tree } = toast([
      [[toastItem(10, { visibility: ["POS"] })], [toastItem(10, { visibility: ["KIOSK"] })]],
    ]);
    expect(tree.items).toHaveLength(1);
  });
});

it("Deliverect: imports snoozed products as not available", () => {
  const sample = sampleOf("deliverect");
  const products = [{ productType: 1, plu: "P1", name: "Soup", price: 500, snoozed: true }];
  const { draft } = readSample("deliverect", { ...sample, products });
  expect(draft.items).toMatchObject([{ price: 500, stock: { available: false, until: null } }]);
});

// The example of Toast's documentation: Cheese Pizza at $8 and $10, toppings at $2 on a small and $4 on a large one.
describe("Toast prices of groups", () => {
  const option = (referenceId: number, name: string, price: number | null) => ({
    referenceId,
    name,
    guid: name.toLowerCase(),
    price,
    pricingStrategy: price === null ? "GROUP_PRICE" : "BASE_PRICE",
  });
  const bySize = (small: number, large: number) => [
    { sizeName: "Small", sizeGuid: "small", sequencePrices: [{ sequence: 1, price: small }] },
    { sizeName: "Large", sizeGuid: "elsewhere", sequencePrices: [{ sequence: 1, price: large }] },
  ];
  const bySequence = (prices: readonly number[]) => [
    {
      sizeName: null,
      sizeGuid: null,
      sequencePrices: prices.map((price, at) => ({ sequence: at + 1, price })),
    },
  ];
  const SIZED = { pricingStrategy: "SIZE_PRICE", pricingRules: { sizeSpecificPricingGuid: "size" } };
  const pizza = (strategy: string, rules: readonly object[], item: object = {}) =>
    toast(
      [
        [
          [
            {
              ...toastItem(null),
              ...SIZED,
              modifierGroupReferences: [2, 3],
              ...item,
            },
          ],
        ],
      ],
      {
        modifierGroupReferences: {
          2: { name: "Size", guid: "size", referenceId: 2, modifierOptionReferences: [12, 13] },
          3: {
            name: "Toppings",
            guid: "toppings",
            referenceId: 3,
            maxSelections: 4,
            pricingStrategy: strategy,
            pricingRules: { sizeSequencePricingRules: rules },
            modifierOptionReferences: [10, 11],
          },
        },
        modifierOptionReferences: {
          10: option(10, "Mushrooms", null),
          11: option(11, "Onions", null),
          12: option(12, "Small", 8),
          13: option(13, "Large", 10),
        },
      },
    );

  /** What a pizza of a size costs with one topping. */
  const total = ({ tree }: ReturnType<typeof pizza>, size: string): number => {
    const chosen = byTitle(tree.modifiers, size);
    const group = tree.modifier_groups.find(({ id }) => chosen.nested_group_ids.includes(id));
    const topping = tree.modifiers.find(({ id }) => group?.modifier_ids[0] === id);
    return (tree.items[0]?.price ?? 0) + chosen.price + (topping?.price ?? 0);
  };

  it("imports toppings priced by size, each size with its own", () => {
    const read = pizza("SIZE_PRICE", bySize(2, 4));
    expect([total(read, "Small"), total(read, "Large")]).toEqual([1000, 1400]);
    expect(read.losses).toEqual([]);
    expect(read.tree.items[0]?.modifier_groups).toHaveLength(1);
  });

  it("exports them at the same prices", async () => {
    const read = pizza("SIZE_PRICE", bySize(2, 4));
    const { data } = await writeDocument("toast", read.tree, {
      locale: "en",
      facts: new Map(),
      unavailable: {},
      key: "sto_a",
    });
    const again = readSample("toast", data, "USD");
    expect([total(again, "Small"), total(again, "Large")]).toEqual([1000, 1400]);
    expect(again.tree.modifiers).toHaveLength(read.tree.modifiers.length);
  });

  it("refuses a document whose options for each size exceed the limit, before it builds them", () => {
    const toppings = Array.from({ length: 100 }, () => 10);
    const sizes = Array.from({ length: 100 }, () => 12);
    const priced = {
      pricingStrategy: "SIZE_PRICE",
      pricingRules: { sizeSequencePricingRules: bySize(2, 4) },
    };
    const read = () =>
      toast([[[{ ...toastItem(null), ...SIZED, modifierGroupReferences: [2, 3] }]]], {
        modifierGroupReferences: {
          2: { name: "Size", guid: "size", referenceId: 2, modifierOptionReferences: sizes },
          3: {
            name: "Toppings",
            guid: "toppings",
            referenceId: 3,
            ...priced,
            modifierOptionReferences: toppings,
          },
        },
        modifierOptionReferences: { 10: option(10, "Mushrooms", null), 12: option(12, "Small", 8) },
      });
    expect(read).toThrow("1 field is invalid.");
  });

  it("reports a size without a price of its own", () => {
    const read = pizza("SIZE_PRICE", [
      bySize(2, 4)[0] ?? {},
      { ...bySize(2, 4)[0], sizeName: "XL", sizeGuid: "xl" },
    ]);
    expect(read.losses.map(({ severity }) => severity)).toEqual(["money"]);
  });

  it.each([
    [[1, 1, 1], 100, 0, []],
    [[0, 0, 1.5], 150, 2, []],
    [[1, 2, 2.5], 250, 0, ["money"]],
  ])("imports prices by sequence %j, never less than charged", (prices, price, free, severities) => {
    const { tree, losses } = pizza("SEQUENCE_PRICE", bySequence(prices));
    expect(byTitle(tree.modifiers, "Onions").price).toBe(price);
    expect(byTitle(tree.modifier_groups, "Toppings").free_quantity).toBe(free);
    expect([...new Set(losses.map(({ severity }) => severity))]).toEqual(severities);
  });

  it("takes the highest price for an item without sizes, and reports it", () => {
    const plain = {
      price: 9,
      pricingStrategy: "BASE_PRICE",
      pricingRules: null,
      modifierGroupReferences: [3],
    };
    const { tree, losses } = pizza("SIZE_PRICE", bySize(2, 4), plain);
    expect(byTitle(tree.modifiers, "Onions").price).toBe(400);
    expect(losses.some(({ severity }) => severity === "money")).toBe(true);
  });
});
