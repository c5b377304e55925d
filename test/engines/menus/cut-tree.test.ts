import { describe, expect, it } from "vitest";

import { cutTree } from "../../../server/engines/menus/rules/cut-tree.ts";
import type { Catalogue } from "../../../server/engines/menus/rules/cut-tree.ts";
import { MenuTree } from "../../../server/engines/menus/schema/tree.ts";
import type { Menu } from "../../../server/engines/menus/schema.ts";
import {
  categoryOf,
  groupOf,
  itemOf,
  levelOf,
  menuOf,
  modifierOf,
  scheduleOf,
  text,
  useOf,
} from "./fixture.ts";

const times = { created_at: "2026-06-01T09:00:00.000Z", updated_at: "2026-06-01T09:00:00.000Z" };
const stored = <T extends object>(values: readonly T[]): (T & typeof times)[] =>
  values.map((value) => ({ ...value, ...times }));
const menu: Menu = {
  ...menuOf({ category_ids: ["cat_b", "cat_a"], schedule_ids: ["shd_menu"], price_level_id: "prl_own" }),
  ...times,
  status: "draft",
  latest_version: 0,
  published_version: null,
  published_at: null,
  scheduled: null,
};
const variation = { id: "var_1", title: text("Large"), price: 1, sku: null, kcal: null, portion_text: null };
const catalogue: Catalogue = {
  categories: stored([
    categoryOf({ id: "cat_z" }),
    categoryOf({ id: "cat_a", item_ids: ["itm_1"] }),
    categoryOf({ id: "cat_b" }),
    categoryOf({ id: "cat_d", parent_id: "cat_c", item_ids: ["itm_2"], schedule_ids: ["shd_category"] }),
    categoryOf({ id: "cat_c", parent_id: "cat_b" }),
  ]),
  items: stored([
    itemOf({ id: "itm_9" }),
    itemOf({ id: "itm_2", schedule_ids: ["shd_item"], variations: [variation] }),
    itemOf({ id: "itm_1", modifier_groups: [useOf("grp_1")] }),
  ]),
  modifier_groups: stored([
    groupOf({ id: "grp_9" }),
    groupOf({ id: "grp_1", modifier_ids: ["mod_1"] }),
    groupOf({ id: "grp_2", modifier_ids: ["mod_2"] }),
  ]),
  modifiers: stored([
    modifierOf({ id: "mod_9" }),
    modifierOf({ id: "mod_1", nested_group_ids: ["grp_2"] }),
    modifierOf({ id: "mod_2", nested_group_ids: ["grp_1"] }),
  ]),
  schedules: stored(
    ["shd_menu", "shd_category", "shd_item", "shd_level", "shd_other", "shd_other_level"].map((id) => ({
      ...scheduleOf({ id }),
      holidays: id === "shd_menu" ? { calendar_id: "cal_1", closed: true, ranges: [] } : null,
    })),
  ),
  calendars: stored([{ id: "cal_1", title: text("Holidays"), days: [{ date: "2026-12-25", title: "" }] }]),
  price_levels: stored([
    levelOf({
      id: "prl_all",
      schedule_id: "shd_level",
      overrides: ["itm_1", "itm_9", "var_1", "mod_2", "mod_9", null].map((id) => ({
        target_id: id,
        price: 1,
        percent: null,
      })),
    }),
    levelOf({ id: "prl_other", menu_id: "mnu_2", schedule_id: "shd_other_level" }),
    levelOf({ id: "prl_own", menu_id: "mnu_2" }),
    levelOf({ id: "prl_this", menu_id: "mnu_1" }),
  ]),
};
const ids = (values: readonly { id: string }[]): string[] => values.map(({ id }) => id);

describe("cutTree", () => {
  const tree = cutTree(menu, catalogue);

  it("takes what can be reached, and nothing else, in order of id", () => {
    expect(ids(tree.categories)).toEqual(["cat_a", "cat_b", "cat_c", "cat_d"]);
    expect(ids(tree.items)).toEqual(["itm_1", "itm_2"]);
    expect(ids(tree.modifier_groups)).toEqual(["grp_1", "grp_2"]);
    expect(ids(tree.modifiers)).toEqual(["mod_1", "mod_2"]);
    expect(ids(tree.schedules)).toEqual(["shd_category", "shd_item", "shd_level", "shd_menu"]);
    expect(tree.schedules.map(({ exceptions }) => exceptions.map(({ date }) => date))).toEqual([
      [],
      [],
      [],
      ["2026-12-25"],
    ]);
  });

  it("takes the price levels that can hold, with the overrides that are about it", () => {
    expect(ids(tree.price_levels)).toEqual(["prl_all", "prl_own", "prl_this"]);
    expect(tree.price_levels[0]?.overrides.map(({ target_id: id }) => id)).toEqual([
      "itm_1",
      "var_1",
      "mod_2",
      null,
    ]);
  });

  it("is a tree by its schema, without times and without the state of publishing", () => {
    expect(MenuTree.parse(tree)).toEqual(tree);
    expect(tree.menu).toEqual(
      menuOf({ category_ids: ["cat_b", "cat_a"], schedule_ids: ["shd_menu"], price_level_id: "prl_own" }),
    );
    expect(Object.keys(tree.items[0] ?? {})).not.toContain("created_at");
  });
});
