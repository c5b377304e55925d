import { describe, expect, it } from "vitest";

import { runAtOnce } from "../../../server/lib/slices.ts";
import { lintTreeSteps } from "../../../server/engines/menus/rules/lint-tree.ts";
import type { MenuTree } from "../../../server/engines/menus/schema/tree.ts";
import type { KnownAllergens } from "../../../server/core/known-allergens.ts";
import {
  categoryOf,
  groupOf,
  indexTree,
  itemOf,
  knownOf,
  levelOf,
  menuOf,
  modifierOf,
  scheduleOf,
  treeOf,
  useOf,
} from "./fixture.ts";

const declared = itemOf({ product_id: "prd_1" });
const lint = (tree: Partial<MenuTree>, known: KnownAllergens | undefined = knownOf()): string[] =>
  runAtOnce(
    lintTreeSteps(indexTree(treeOf({ items: [declared], ...tree })), {
      today: "2026-06-01",
      declaredOf: () => known,
    }),
  ).map(({ severity, code, kind, id }) => `${severity} ${code} ${kind} ${id}`);
const group = (rest: object, modifiers: MenuTree["modifiers"] = [modifierOf()]): Partial<MenuTree> => ({
  items: [{ ...declared, modifier_groups: [useOf("grp_1")] }],
  modifier_groups: [groupOf({ modifier_ids: modifiers.map(({ id }) => id), ...rest })],
  modifiers,
});
const EVENING = { start: "18:00", end: "22:00" };
const everyDay = { days: ["mon" as const, "sat" as const], start: "08:00", end: "12:00" };

describe("lintTreeSteps", () => {
  it("finds nothing in a sound menu", () => expect(lint({})).toEqual([]));

  it.each<[string, Partial<MenuTree>, string]>([
    [
      "a category that is not there",
      { menu: menuOf({ category_ids: ["cat_1", "cat_9"] }) },
      "error dangling_id menu mnu_1",
    ],
    ["a schedule of the menu", { menu: menuOf({ schedule_ids: ["shd_9"] }) }, "error dangling_id menu mnu_1"],
    [
      "a price level of the menu",
      { menu: menuOf({ price_level_id: "prl_9" }) },
      "error dangling_id menu mnu_1",
    ],
    [
      "an item of a category",
      { categories: [categoryOf({ item_ids: ["itm_1", "itm_9"] })] },
      "error dangling_id category cat_1",
    ],
    [
      "a parent",
      { categories: [categoryOf({ item_ids: ["itm_1"], parent_id: "cat_9" })] },
      "error dangling_id category cat_1",
    ],
    [
      "a group of an item",
      { items: [{ ...declared, modifier_groups: [useOf("grp_9")] }] },
      "error dangling_id item itm_1",
    ],
    [
      "a schedule of a price level",
      { price_levels: [levelOf({ schedule_id: "shd_9" })] },
      "error dangling_id price_level prl_1",
    ],
    [
      "no items at all",
      { items: [], categories: [categoryOf({ item_ids: [] })] },
      "error empty_menu menu mnu_1",
    ],
    ["no price", { items: [{ ...declared, price: null }] }, "error item_without_price item itm_1"],
    ["a group that asks for more than there is", group({ min: 3 }), "error group_unreachable item itm_1"],
    [
      "a group that asks for more different ones than there are",
      group({ min: 1, min_distinct: 2 }),
      "error group_unreachable item itm_1",
    ],
    [
      "a group whose limits contradict each other",
      group({ min: 3, max: 2 }),
      "error group_limits item itm_1",
    ],
    [
      "more defaults than may be chosen",
      group({ max: 1 }, [modifierOf({ default: true }), modifierOf({ id: "mod_2", default: true })]),
      "error defaults_exceed_limits modifier_group grp_1",
    ],
    [
      "a group inside itself",
      group({}, [modifierOf({ nested_group_ids: ["grp_1"] })]),
      "error group_circle modifier_group grp_1",
    ],
    ["a schedule without rules", { schedules: [scheduleOf()] }, "error schedule_never_opens schedule shd_1"],
    [
      "a schedule of a Sunday that opens on weekdays",
      { schedules: [scheduleOf({ rules: [everyDay], valid_from: "2026-06-07", valid_until: "2026-06-07" })] },
      "error schedule_never_opens schedule shd_1",
    ],
    [
      "a schedule that is over",
      { schedules: [scheduleOf({ rules: [everyDay], valid_until: "2026-05-30" })] },
      "warning schedule_over schedule shd_1",
    ],
    [
      "a schedule whose single dates are over",
      { schedules: [scheduleOf({ exceptions: [{ date: "2025-12-24", closed: false, ranges: [EVENING] }] })] },
      "warning schedule_over schedule shd_1",
    ],
    [
      "a category with nothing in it",
      { categories: [categoryOf({ item_ids: ["itm_1"] }), categoryOf({ id: "cat_2" })] },
      "warning empty_category category cat_2",
    ],
    [
      "an image without words",
      { items: [{ ...declared, images: [{ url: "https://x.example/a.jpg", alt: null }] }] },
      "warning missing_alt_text item itm_1",
    ],
    ["no product", { items: [itemOf()] }, "warning missing_allergen_declaration item itm_1"],
  ])("finds %s", (_, tree, expected) => expect(lint(tree)).toContain(expected));

  it.each<[string, Partial<MenuTree>]>([
    ["a group that is just reached", group({ min: 2 }, [modifierOf({ max_quantity: 2 })])],
    [
      "a schedule that opens on an exception alone",
      {
        schedules: [
          scheduleOf({
            exceptions: [{ date: "2026-06-05", closed: false, ranges: [{ start: "08:00", end: "09:00" }] }],
          }),
        ],
      },
    ],
    [
      "a schedule that begins next year",
      { schedules: [scheduleOf({ rules: [everyDay], valid_from: "2027-08-01" })] },
    ],
    [
      "a category of categories",
      { categories: [categoryOf(), categoryOf({ id: "cat_2", parent_id: "cat_1", item_ids: ["itm_1"] })] },
    ],
    [
      "an item of variations alone",
      {
        items: [
          {
            ...declared,
            price: null,
            variations: [
              { id: "var_1", title: { en: "x" }, price: 1, sku: null, kcal: null, portion_text: null },
            ],
          },
        ],
      },
    ],
  ])("finds nothing in %s", (_, tree) => expect(lint(tree)).toEqual([]));

  it("calls a product that nobody verified undeclared", () => {
    expect(lint({}, knownOf({ verified: false }))).toEqual([
      "warning missing_allergen_declaration item itm_1",
    ]);
  });

  it("holds an item to the modifiers that it leaves to be chosen", () => {
    const tree = group({ min: 1 }, [modifierOf(), modifierOf({ id: "mod_2" })]);
    const hide = (hidden: string[]): Partial<MenuTree> => ({
      ...tree,
      items: [{ ...declared, modifier_groups: [useOf("grp_1", { hidden_modifier_ids: hidden })] }],
    });
    expect(lint(hide(["mod_1"]))).toEqual([]);
    expect(lint(hide(["mod_1", "mod_2"]))).toEqual(["error group_unreachable item itm_1"]);
  });

  it("looks into groups inside modifiers too, and tells errors first", () => {
    const tree: Partial<MenuTree> = {
      items: [{ ...itemOf(), modifier_groups: [useOf("grp_1")] }],
      modifier_groups: [groupOf({ modifier_ids: ["mod_1"] }), groupOf({ id: "grp_2", min: 1 })],
      modifiers: [modifierOf({ nested_group_ids: ["grp_2"] })],
    };
    expect(lint(tree)).toEqual([
      "error group_unreachable modifier mod_1",
      "warning missing_allergen_declaration item itm_1",
    ]);
  });

  it("finds groups that stand too deep", () => {
    const chain = ["grp_1", "grp_2", "grp_3", "grp_4"];
    const tree: Partial<MenuTree> = {
      items: [{ ...declared, modifier_groups: [useOf("grp_1")] }],
      modifier_groups: chain.map((id) => groupOf({ id, modifier_ids: [`m_${id}`] })),
      modifiers: chain.map((id, at) =>
        modifierOf({ id: `m_${id}`, nested_group_ids: chain.slice(at + 1, at + 2) }),
      ),
    };
    expect(lint(tree)).toEqual(["error group_too_deep modifier_group grp_1"]);
  });
});

it("finds the single dates of a schedule that began long ago, and those that are far away", () => {
  const on = (date: string) => ({ date, closed: false, ranges: [EVENING] });
  const schedules = [
    scheduleOf({ valid_from: "2024-01-01", exceptions: [on("2026-12-24")] }),
    scheduleOf({ id: "shd_2", exceptions: [on("2029-12-24")] }),
  ];
  expect(lint({ schedules }).filter((text) => text.includes("schedule"))).toEqual([]);
});
