import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { groupsOfItem } from "../../../server/engines/menus/rules/group-use.ts";
import { chooseModifiers } from "../../../server/engines/menus/rules/choose-modifiers.ts";
import {
  bestOf,
  judgeItemsSteps,
  priceLine,
  priceOrder as joinLines,
  targetsOf,
} from "../../../server/engines/menus/rules/price-order.ts";
import type { PriceContext } from "../../../server/engines/menus/rules/price-order.ts";
import type { Stock } from "../../../server/engines/menus/schema/stock.ts";
import type { MenuTree } from "../../../server/engines/menus/schema/tree.ts";
import { runAtOnce } from "../../../server/lib/slices.ts";
import type { OrderLine, PricedLine, Selection } from "../../../server/engines/menus/schema/price.ts";
import {
  containing,
  groupOf,
  itemOf,
  levelOf,
  lineOf,
  modifierOf,
  selectionOf,
  stockOf,
  text,
  treeOf,
  useOf,
  worldOf,
} from "./fixture.ts";

const priceOrder = (world: PriceContext, lines: readonly OrderLine[]) => {
  const judged = runAtOnce(judgeItemsSteps(world, world.tree.items));
  return joinLines(
    world,
    lines.map((line) => priceLine(world, line, judged)),
  );
};

const pick = selectionOf;
const price = (tree: MenuTree, line: OrderLine, options = {}): PricedLine => {
  const [priced] = priceOrder(worldOf(tree, options), [line]);
  if (priced === undefined) throw new Error("no line");
  return priced;
};
const codes = (line: PricedLine): string[] => line.errors.map(({ code }) => code);
/** An item with one group. */
const withGroup = (group: object, modifiers: MenuTree["modifiers"], item: object = {}): MenuTree =>
  treeOf({
    items: [itemOf({ modifier_groups: [useOf("grp_1")], ...item })],
    modifier_groups: [groupOf({ modifier_ids: modifiers.map(({ id }) => id), ...group })],
    modifiers,
  });

describe("limits", () => {
  const one = withGroup({ min: 1, max: 1 }, [modifierOf(), modifierOf({ id: "mod_2" })]);
  const wings = withGroup(
    { min: 10, max: 10, max_distinct: 3 },
    ["a", "b", "c", "d", "e"].map((id) => modifierOf({ id, price: 0, max_quantity: 10 })),
  );
  const sauces = (...counts: readonly number[]): Selection[] =>
    counts.map((quantity, at) => pick(String.fromCodePoint(97 + at), { quantity }));

  it.each([
    ["MA6 nothing chosen of a group with min 1", one, [], ["min_selections"]],
    ["MA6 one chosen", one, [pick("mod_1")], []],
    ["two of a group with max 1", one, [pick("mod_1"), pick("mod_2")], ["max_selections"]],
    [
      "MA7 one modifier twice in a group of max 3",
      withGroup({ max: 3 }, [modifierOf()]),
      [pick("mod_1", { quantity: 2 })],
      ["option_max"],
    ],
    [
      "MA7 the same in two selections",
      withGroup({ max: 3 }, [modifierOf()]),
      [pick("mod_1"), pick("mod_1")],
      ["option_max"],
    ],
    ["MA8 wings 4+3+3", wings, sauces(4, 3, 3), []],
    ["MA8 wings 4+3+2+1", wings, sauces(4, 3, 2, 1), ["max_distinct"]],
    ["nine wings", wings, sauces(4, 3, 2), ["min_selections"]],
    ["eleven wings", wings, sauces(5, 3, 3), ["max_selections"]],
    [
      "too few different ones",
      withGroup({ min_distinct: 2 }, [modifierOf({ max_quantity: 2 }), modifierOf({ id: "mod_2" })]),
      [pick("mod_1", { quantity: 2 })],
      ["min_distinct"],
    ],
    [
      "the distinct minimum of an optional group binds only where something is chosen",
      withGroup({ min_distinct: 2 }, [modifierOf(), modifierOf({ id: "mod_2" })]),
      [],
      [],
    ],
    [
      "a group that the item has not",
      one,
      [pick("mod_1", { group_id: "grp_9" }), pick("mod_1")],
      ["group_not_found"],
    ],
    [
      "a modifier that the group has not",
      withGroup({}, [modifierOf()]),
      [pick("mod_9")],
      ["modifier_not_found"],
    ],
    [
      "a word that the group has not",
      withGroup({}, [modifierOf()]),
      [pick("mod_1", { pre_modifier: "extra" })],
      ["pre_modifier_not_found"],
    ],
    [
      "a portion that the group has not",
      withGroup({}, [modifierOf()]),
      [pick("mod_1", { portion: "left" })],
      ["portion_not_found"],
    ],
  ] as const)("%s", (_, tree, selections, expected) => {
    expect(codes(price(tree, lineOf(selections)))).toEqual(expected);
  });

  it("an item narrows a group: its own min and max, and what it hides", () => {
    const tree = withGroup({ max: 5 }, [modifierOf(), modifierOf({ id: "mod_2" })], {
      modifier_groups: [useOf("grp_1", { min: 1, max: 1, hidden_modifier_ids: ["mod_2"] })],
    });
    expect(codes(price(tree, lineOf()))).toEqual(["min_selections"]);
    expect(codes(price(tree, lineOf([pick("mod_2")])))).toEqual(["modifier_not_found", "min_selections"]);
    expect(codes(price(tree, lineOf([pick("mod_1")])))).toEqual([]);
    const unlimited = withGroup({ max: 1 }, [modifierOf(), modifierOf({ id: "mod_2" })], {
      modifier_groups: [useOf("grp_1", { max: null })],
    });
    expect(codes(price(unlimited, lineOf([pick("mod_1"), pick("mod_2")])))).toEqual([]);
  });
});

describe("prices", () => {
  const burger = (group: object): MenuTree =>
    withGroup(group, [modifierOf({ id: "cheese", price: 100, default: true })], { price: 800 });

  it.each([
    ["MA9 defaults not charged", { defaults_charged: false }, [], 800],
    ["MA9 defaults charged", { defaults_charged: true }, [], 900],
    [
      "MA9 defaults charged, cheese removed",
      { defaults_charged: true },
      [pick("cheese", { quantity: 0 })],
      800,
    ],
    ["a default that is not charged, removed", {}, [pick("cheese", { quantity: 0 })], 800],
    ["a default that is told is still one", {}, [pick("cheese")], 800],
  ] as const)("%s", (_, group, selections, expected) => {
    expect(price(burger(group), lineOf(selections)).unit_price).toBe(expected);
  });

  it("MA10 a large at 1250 with two extra cheeses at 120, one of them free, is 1370", () => {
    const tree = withGroup({ free_quantity: 1 }, [modifierOf({ max_quantity: 2 })], {
      variations: [
        { id: "var_L", title: text("Large"), price: 1250, sku: null, kcal: null, portion_text: null },
      ],
    });
    const line = lineOf([pick("mod_1", { quantity: 2 })], { variation_id: "var_L", quantity: 3 });
    expect(price(tree, line)).toMatchObject({
      title: "Item, Large",
      base_price: 1250,
      unit_price: 1370,
      total: 4110,
      errors: [],
    });
  });

  it("MA11 EXTRA by 1.5 makes 120 to 180; a half of 125 is 63", () => {
    const group = {
      pre_modifiers: [
        { code: "extra", title: text("Extra"), factor: 1.5, fixed_price: null, position: "prefix" as const },
        {
          code: "side",
          title: text("on the side"),
          factor: null,
          fixed_price: 25,
          position: "suffix" as const,
        },
      ],
      portions: [{ code: "left", title: text("Left"), scale: 0.5 }],
    };
    const of = (unit: number, selection: object): number | undefined =>
      price(withGroup(group, [modifierOf({ price: unit })]), lineOf([pick("mod_1", selection)])).modifiers[0]
        ?.unit_price;
    expect(of(120, { pre_modifier: "extra" })).toBe(180);
    expect(of(125, { portion: "left" })).toBe(63);
    expect(of(120, { pre_modifier: "side" })).toBe(25);
    // Rounded after each step: 125 × 1.5 = 187.5 → 188, half of it is 94.
    expect(of(125, { pre_modifier: "extra", portion: "left" })).toBe(94);
  });

  it("an item without a price of its own is sold as one of its variations", () => {
    const variations = [
      { id: "var_1", title: text("Bowl"), price: 650, sku: null, kcal: null, portion_text: null },
    ];
    const tree = treeOf({ items: [itemOf({ price: null, variations })] });
    expect(price(tree, lineOf())).toMatchObject({ unit_price: null, total: null });
    expect(codes(price(tree, lineOf()))).toEqual(["variation_required"]);
    expect(codes(price(tree, lineOf([], { variation_id: "var_9" })))).toEqual(["variation_not_found"]);
    expect(price(tree, lineOf([], { variation_id: "var_1" })).total).toBe(650);
    expect(codes(price(treeOf({ items: [itemOf({ price: null })] }), lineOf()))).toEqual(["price_missing"]);
  });

  it("an item that the menu does not show is not found", () => {
    const hidden = treeOf({ items: [itemOf()], categories: [] });
    expect(codes(price(hidden, lineOf()))).toEqual(["item_not_found"]);
    expect(codes(price(treeOf(), lineOf()))).toEqual(["item_not_found"]);
  });

  it("nested groups are priced once for each unit that they stand in", () => {
    const tree = treeOf({
      items: [itemOf({ price: 1000, modifier_groups: [useOf("grp_1")] })],
      modifier_groups: [
        groupOf({ modifier_ids: ["side"] }),
        groupOf({ id: "grp_2", modifier_ids: ["dip"], min: 1 }),
      ],
      modifiers: [
        modifierOf({ id: "side", price: 300, max_quantity: 2, nested_group_ids: ["grp_2"] }),
        modifierOf({ id: "dip", price: 50, max_quantity: 3 }),
      ],
    });
    const dips = [pick("dip", { group_id: "grp_2", quantity: 3 })];
    const line = price(tree, lineOf([pick("side", { quantity: 2, selections: dips })]));
    expect(line.unit_price).toBe(1000 + 2 * (300 + 3 * 50));
    expect(line.modifiers).toMatchObject([
      { modifier_id: "side", quantity: 2, charged: 600, depth: 1 },
      { modifier_id: "dip", quantity: 6, charged: 300, depth: 2 },
    ]);
    expect(codes(price(tree, lineOf([pick("side")])))).toEqual(["min_selections"]);
  });

  it("leaves in a dish what a swap takes off one half of it, also where the rest of it is removed", () => {
    const swap = modifierOf({
      product_id: "prd_vegan",
      removes: ["milk"],
      removes_ingredient_ids: ["cheese"],
    });
    const noButter = modifierOf({ id: "mod_2", removes: ["milk"], removes_ingredient_ids: ["butter"] });
    const portions = [{ code: "left", title: text("Left"), scale: 0.5 }];
    const tree = withGroup({ max: 2, portions }, [swap, noButter], { product_id: "prd_base" });
    const known = { prd_base: containing({ milk: ["cheese", "butter"] }), prd_vegan: containing({}) };
    const of = (...selections: Selection[]) => price(tree, lineOf(selections), { known }).allergens;
    expect(of(pick("mod_1"), pick("mod_2"))).toEqual([]);
    expect(of(pick("mod_1", { portion: "left" }), pick("mod_2"))).toEqual(["milk"]);
  });

  it("energy is that of the base and the modifiers together, by portion", () => {
    const tree = withGroup(
      { portions: [{ code: "left", title: text("Left"), scale: 0.5 }] },
      [
        modifierOf({ kcal: { min: 85, max: 95 } }),
        modifierOf({ id: "mod_2" }),
        modifierOf({ id: "no", removes: ["milk"] }),
      ],
      { kcal: { min: 500, max: null } },
    );
    expect(price(tree, lineOf([pick("mod_1", { portion: "left" })]))).toMatchObject({
      kcal: { min: 543, max: 548 },
      kcal_text: "543–548 kcal",
    });
    expect(price(tree, lineOf([pick("mod_2")]))).toMatchObject({ kcal: null, kcal_text: null });
    expect(price(tree, lineOf([pick("no")])).kcal).toEqual({ min: 500, max: null });
  });
});

describe("what lines have in common", () => {
  it("max_per_order and stock are counted over all lines", () => {
    const tree = treeOf({ items: [itemOf({ max_per_order: 3 })] });
    const lines = [lineOf([], { quantity: 2 }), lineOf([], { quantity: 2 })];
    const all = priceOrder(worldOf(tree), lines);
    expect(all.map(codes)).toEqual([["max_per_order"], ["max_per_order"]]);
    const counted = priceOrder(
      worldOf(treeOf({ items: [itemOf()] }), { stock: [stockOf({ status: "quantity", quantity: 3 })] }),
      lines,
    );
    expect(counted.map(codes)).toEqual([["insufficient_stock"], ["insufficient_stock"]]);
    expect(counted[0]?.errors[0]?.detail).toBe("3 left, 4 requested.");
  });

  it("MA15 what is suspended or out of stock cannot be ordered, with its modifiers", () => {
    const tree = withGroup({}, [modifierOf()]);
    const suspended: Stock = stockOf({
      id: "mod_1",
      target: "modifier",
      suspensions: [
        { channel: null, until: "2026-06-01T18:00:00.000Z", reason: null, since: "2026-06-01T09:00:00.000Z" },
      ],
    });
    const at = (instant: string) =>
      codes(price(tree, lineOf([pick("mod_1")]), { stock: [suspended], at: instant }));
    expect(at("2026-06-01T17:59:59.000Z")).toEqual(["modifier_unavailable"]);
    expect(at("2026-06-01T18:00:00.000Z")).toEqual([]);
    const out = stockOf({ status: "out_of_stock", quantity: 0 });
    expect(price(tree, lineOf(), { stock: [out] })).toMatchObject({
      available: false,
      errors: [{ code: "item_unavailable", detail: "Not available: out_of_stock." }],
    });
  });
});

describe("targetsOf", () => {
  it("names items, modifiers, and the items that modifiers are, with all their units", () => {
    const tree = withGroup({}, [modifierOf({ item_id: "itm_9", max_quantity: 3 })]);
    const line = lineOf([pick("mod_1", { quantity: 2 })], { quantity: 3 });
    const { tree: indexed } = worldOf(tree);
    const choices = chooseModifiers(
      indexed,
      groupsOfItem(indexed, indexed.items[0]?.modifier_groups ?? []),
      line.selections,
      () => undefined,
    );
    expect(Object.fromEntries(targetsOf(line, choices))).toEqual({ itm_1: 3, mod_1: 6, itm_9: 6 });
  });
});

describe("bestOf", () => {
  it("takes the place that is available, else the one that opens first", () => {
    const at = (nextChangeMs: number | null, available = false) => ({
      available,
      reason: null,
      nextChangeMs,
    });
    expect(bestOf([at(9), at(null), at(3)])).toEqual(at(3));
    expect(bestOf([at(3), at(9, true)])).toEqual(at(9, true));
    expect(bestOf([at(null), at(null)])).toEqual(at(null));
  });
});

describe("orders of any kind", () => {
  const modifierIds = ["a", "b", "c", "d"];
  const groups = fc.record({
    free_quantity: fc.integer({ min: 0, max: 4 }),
    defaults_charged: fc.boolean(),
    substitution: fc.boolean(),
    percent: fc.constantFrom(null, 15, -20, 12.5),
    prices: fc.tuple(...modifierIds.map(() => fc.integer({ min: 0, max: 300 }))),
    defaults: fc.tuple(...modifierIds.map(() => fc.boolean())),
  });
  const selection = fc.record({
    id: fc.constantFrom(...modifierIds),
    quantity: fc.integer({ min: 0, max: 3 }),
    pre: fc.constantFrom(null, "extra"),
    portion: fc.constantFrom(null, "left"),
  });
  const orders = fc.array(
    fc.record({
      quantity: fc.integer({ min: 1, max: 4 }),
      selections: fc.array(selection, { maxLength: 6 }),
    }),
    { minLength: 1, maxLength: 5 },
  );

  interface Group {
    readonly prices: readonly number[];
    readonly defaults: readonly boolean[];
    readonly percent: number | null;
    readonly free_quantity: number;
    readonly defaults_charged: boolean;
    readonly substitution: boolean;
  }
  const treeFor = (group: Group): MenuTree => ({
    ...withGroup(
      {
        ...group,
        pre_modifiers: [
          { code: "extra", title: text("Extra"), factor: 1.5, fixed_price: null, position: "prefix" },
        ],
        portions: [{ code: "left", title: text("Left"), scale: 0.5 }],
      },
      modifierIds.map((id, at) =>
        modifierOf({
          id,
          price: group.prices[at] ?? 0,
          default: group.defaults[at] ?? false,
          max_quantity: 50,
        }),
      ),
    ),
    price_levels:
      group.percent === null
        ? []
        : [levelOf({ overrides: [{ target_id: null, price: null, percent: group.percent }] })],
  });
  const toLine = (line: {
    quantity: number;
    selections: { id: string; quantity: number; pre: string | null; portion: string | null }[];
  }) =>
    lineOf(
      line.selections.map(({ id, quantity, pre, portion }) =>
        pick(id, { quantity, pre_modifier: pre, portion }),
      ),
      { quantity: line.quantity },
    );

  it("the price is independent of the order of lines and of selections", () => {
    fc.assert(
      fc.property(
        groups,
        orders,
        fc.array(fc.nat(), { minLength: 30, maxLength: 30 }),
        (group, lines, keys) => {
          const shuffle = <T>(list: readonly T[]): T[] =>
            list
              .map((each, at) => ({ each, key: keys[at % keys.length] ?? 0 }))
              .sort((a, b) => a.key - b.key)
              .map(({ each }) => each);
          const world = worldOf(treeFor(group));
          const told = lines.map(toLine);
          const before = priceOrder(world, told).map(({ total }) => total);
          const shuffled = shuffle(told.map((line, at) => ({ line, at })));
          const after = priceOrder(
            world,
            shuffled.map(({ line }) => ({ ...line, selections: shuffle(line.selections) })),
          ).map(({ total }) => total);
          expect(after).toEqual(shuffled.map(({ at }) => before[at]));
        },
      ),
    );
  });

  it("nothing costs less than nothing, a line adds up, and what is free or included only lowers it", () => {
    fc.assert(
      fc.property(groups, orders, (group, lines) => {
        const told = lines.map(toLine);
        const priced = priceOrder(worldOf(treeFor(group)), told);
        const dear = priceOrder(
          worldOf(treeFor({ ...group, free_quantity: 0, defaults_charged: true, substitution: false })),
          told,
        );
        for (const [at, line] of priced.entries()) {
          const charged = line.modifiers.reduce((sum, modifier) => sum + modifier.charged, 0);
          expect(line.unit_price).toBe((line.base_price ?? 0) + charged);
          expect(line.total).toBe((line.unit_price ?? 0) * line.quantity);
          expect(line.unit_price).toBeLessThanOrEqual(dear[at]?.unit_price ?? 0);
          for (const modifier of line.modifiers) {
            expect(modifier.charged).toBeGreaterThanOrEqual(0);
            expect(modifier.charged).toBeLessThanOrEqual(modifier.unit_price * modifier.quantity);
          }
        }
      }),
    );
  });
});
