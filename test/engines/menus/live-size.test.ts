import { expect, it } from "vitest";

import { liveMenuSteps } from "../../../server/engines/menus/rules/live-menu.ts";
import { runAtOnce } from "../../../server/lib/slices.ts";
import { many } from "../../support/longest-turn.ts";
import {
  categoryOf,
  groupOf,
  indexTree,
  itemOf,
  menuOf,
  modifierOf,
  text,
  treeOf,
  useOf,
  worldOf,
} from "./fixture.ts";

const idsOf = (prefix: string, count: number): string[] =>
  many(count, (n) => `${prefix}_${String(n).padStart(26, "0")}`);

/** Items with everything that is written per item, in categories that all list the same ones. */
function treeWith(counts: { categories: number; items: number; groups: number; modifiers: number }) {
  const itemIds = idsOf("itm", counts.items);
  const modifierIds = idsOf("mod", counts.modifiers);
  const groupIds = idsOf("grp", counts.groups);
  const categoryIds = idsOf("cat", counts.categories);
  return treeOf({
    menu: menuOf({ category_ids: categoryIds }),
    categories: categoryIds.map((id) => categoryOf({ id, item_ids: itemIds })),
    items: itemIds.map((id) =>
      itemOf({
        id,
        title: { en: "Dish", cy: "Saig “hir” â" },
        description: text('With "quotes"\n'.repeat(20)),
        sku: "4711",
        product_id: "prd_00000000000000000000000001",
        kcal: { min: 100, max: 200 },
        portion_text: text("350 g"),
        tags: ["spicy", "new"],
        images: [{ url: "https://images.example/dish.jpg", alt: text("A dish") }],
        variations: idsOf(`var_${id}`, 3).map((variation) => ({
          id: variation,
          title: text("Large"),
          price: 1_200,
          sku: null,
          kcal: null,
          portion_text: null,
        })),
        modifier_groups: groupIds.map((group) =>
          useOf(group, { hidden_modifier_ids: modifierIds.slice(0, 1) }),
        ),
      }),
    ),
    modifier_groups: groupIds.map((id) =>
      groupOf({
        id,
        modifier_ids: modifierIds,
        portions: [{ code: "left", title: text("Left half"), scale: 0.5 }],
        pre_modifiers: [
          { code: "extra", title: text("Extra"), factor: 2, fixed_price: null, position: "prefix" },
        ],
      }),
    ),
    modifiers: modifierIds.map((id) => modifierOf({ id, removes: ["milk"], kcal: { min: 40, max: null } })),
  });
}

it.each([
  { categories: 1, items: 50, groups: 0, modifiers: 0 },
  { categories: 4, items: 20, groups: 2, modifiers: 10 },
  { categories: 1, items: 1, groups: 40, modifiers: 30 },
])("is at least what the live menu has, and not much more: %o", (counts) => {
  const tree = treeWith(counts);
  const live = runAtOnce(
    liveMenuSteps(worldOf(tree, { labelling: "england" }), { version: 1, hideUnavailable: false }),
  );
  const rendered = Buffer.byteLength(JSON.stringify(live));
  const { liveBytes } = indexTree(tree);
  expect(liveBytes).toBeGreaterThan(rendered);
  expect(liveBytes).toBeLessThan(rendered * 1.5);
});

it("counts an item once per visible category that lists it", () => {
  const one = treeWith({ categories: 1, items: 5, groups: 1, modifiers: 100 });
  const tenfold = treeWith({ categories: 10, items: 5, groups: 1, modifiers: 100 });
  const hidden = { ...tenfold, categories: tenfold.categories.map((each) => ({ ...each, visible: false })) };
  const [small, large, none] = [one, tenfold, hidden].map((tree) => indexTree(tree).liveBytes) as [
    number,
    number,
    number,
  ];
  expect(large - none).toBeGreaterThan(9 * 5 * 100 * 30);
  expect(none).toBeLessThan(small);
});
