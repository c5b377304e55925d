import { describe, expect, it } from "vitest";

import { runAtOnce } from "../../../server/lib/slices.ts";
import { liveMenuSteps } from "../../../server/engines/menus/rules/live-menu.ts";
import { LiveMenu } from "../../../server/engines/menus/schema/live.ts";
import {
  categoryOf,
  containing,
  groupOf,
  itemOf,
  levelOf,
  menuOf,
  modifierOf,
  scheduleOf,
  stockOf,
  text,
  treeOf,
  useOf,
  worldOf,
} from "./fixture.ts";

const tree = treeOf({
  menu: menuOf({ category_ids: ["cat_1", "cat_h"], audience: "all" }),
  categories: [
    categoryOf({ title: { en: "Coffee", cy: "Coffi" }, item_ids: ["itm_1"] }),
    categoryOf({ id: "cat_2", parent_id: "cat_1", item_ids: ["itm_2"], sort_order: 2 }),
    categoryOf({
      id: "cat_3",
      parent_id: "cat_1",
      item_ids: ["itm_1"],
      sort_order: 1,
      schedule_ids: ["shd_1"],
    }),
    categoryOf({ id: "cat_h", visible: false, item_ids: ["itm_1"] }),
  ],
  items: [
    itemOf({
      product_id: "prd_1",
      price: 340,
      kcal: { min: 5, max: null },
      portion_text: text("12 oz"),
      modifier_groups: [useOf("grp_1", { max: 2 })],
      variations: [
        { id: "var_1", title: text("Large"), price: 390, sku: null, kcal: null, portion_text: null },
      ],
    }),
    itemOf({ id: "itm_2", price: 500 }),
  ],
  modifier_groups: [groupOf({ min: 1, max: 1, modifier_ids: ["mod_1"] })],
  modifiers: [modifierOf({ default: true, product_id: "prd_2", kcal: { min: 130, max: null }, price: 40 })],
  schedules: [scheduleOf({ rules: [{ days: ["tue"], start: "08:00", end: "10:00" }] })],
  price_levels: [
    levelOf({ channel: "delivery", overrides: [{ target_id: null, price: null, percent: 10 }] }),
  ],
});
const known = { prd_1: containing({}), prd_2: containing({ milk: ["milk"] }) };
/** Monday 1 June 2026, 10:00 in London. */
const live = (options: Parameters<typeof worldOf>[1] = {}, hideUnavailable = false) =>
  runAtOnce(
    liveMenuSteps(worldOf(tree, { known, labelling: "england", ...options }), {
      version: 4,
      hideUnavailable,
    }),
  );

describe("liveMenu", () => {
  it("is what its schema says", () => {
    expect(LiveMenu.parse(live())).toEqual(live());
    expect(live()).toMatchObject({
      menu_version: 4,
      at: "2026-06-01T09:00:00.000Z",
      local: "2026-06-01T10:00",
      statement: "adults need around 2000 kcal a day",
      available: true,
    });
  });

  it("shows visible categories in their order, with the items in each", () => {
    const { categories } = live();
    expect(categories.map(({ id }) => id)).toEqual(["cat_1"]);
    expect(categories[0]?.categories.map(({ id }) => id)).toEqual(["cat_3", "cat_2"]);
  });

  it("shows an item with its default modifiers: energy and allergens", () => {
    const [item] = live().categories[0]?.items ?? [];
    expect(item).toMatchObject({
      price: 340,
      kcal: { min: 135, max: null },
      kcal_text: "135 kcal",
      portion_text: "12 oz",
      allergens: ["milk"],
      allergen_status: "complete",
      modifier_groups: [{ group_id: "grp_1", min: 1, max: 2, modifier_ids: ["mod_1"] }],
      variations: [{ id: "var_1", price: 390, portion_text: "12 oz", kcal_text: "135 kcal" }],
    });
  });

  it("goes by the price level of the channel", () => {
    const menu = live({ channel: "delivery" });
    expect(menu.categories[0]?.items[0]).toMatchObject({
      price: 374,
      price_level_id: "prl_1",
      variations: [{ price: 429 }],
    });
    expect(menu.modifier_groups[0]?.modifiers[0]?.price).toBe(40);
  });

  it("judges an item anew in each place where it stands", () => {
    const [coffee] = live().categories;
    expect(coffee?.items[0]?.available).toBe(true);
    expect(coffee?.categories[0]?.items[0]).toMatchObject({
      id: "itm_1",
      available: false,
      reason: "category_schedule",
      next_change_at: "2026-06-02T07:00:00.000Z",
    });
  });

  it("leaves out what is not available, and what is left empty by that", () => {
    const stock = [
      stockOf({ status: "quantity", quantity: 3 }),
      stockOf({ id: "itm_2", status: "out_of_stock" }),
    ];
    const [coffee] = live({ stock }, true).categories;
    expect(coffee?.items.map(({ id, quantity_left: left }) => [id, left])).toEqual([["itm_1", 3]]);
    expect(coffee?.categories).toEqual([]);
    expect(
      live(
        { stock: [stockOf({ status: "out_of_stock" }), stockOf({ id: "itm_2", status: "out_of_stock" })] },
        true,
      ).categories,
    ).toEqual([]);
  });

  it("says of a modifier whether it can be had", () => {
    const stock = [stockOf({ id: "mod_1", target: "modifier", status: "out_of_stock" })];
    expect(live({ stock }).modifier_groups[0]?.modifiers[0]?.available).toBe(false);
    expect(live({ stock }).categories[0]?.items[0]?.reason).toBe("required_group_unsatisfiable");
  });
});
