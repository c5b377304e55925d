import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { canonicalText, canonicalTree } from "../../../server/engines/menus/rules/canonical.ts";
import { diffTrees } from "../../../server/engines/menus/rules/diff-trees.ts";
import type { MenuTree } from "../../../server/engines/menus/schema/tree.ts";
import { applyDiff } from "./apply-diff.ts";
import { categoryOf, groupOf, itemOf, levelOf, menuOf, modifierOf, scheduleOf, treeOf } from "./fixture.ts";

describe("diffTrees", () => {
  it("tells what came, went and changed, with the members that differ", () => {
    const from = treeOf({ items: [itemOf(), itemOf({ id: "itm_2" })], categories: [] });
    const to = treeOf({
      menu: menuOf({ title: { en: "Menu", cy: "Bwydlen" } }),
      items: [itemOf({ price: 990, sku: "X" }), itemOf({ id: "itm_3" })],
      categories: [],
    });
    expect(diffTrees(from, to)).toEqual([
      {
        kind: "menu",
        id: "mnu_1",
        change: "changed",
        from: { title: { en: "Menu" } },
        to: { title: { en: "Menu", cy: "Bwydlen" } },
      },
      {
        kind: "items",
        id: "itm_1",
        change: "changed",
        from: { price: 950, sku: null },
        to: { price: 990, sku: "X" },
      },
      { kind: "items", id: "itm_2", change: "removed", from: itemOf({ id: "itm_2" }), to: null },
      { kind: "items", id: "itm_3", change: "added", from: null, to: itemOf({ id: "itm_3" }) },
    ]);
    expect(diffTrees(to, to)).toEqual([]);
  });

  it("takes a member that is not there for one that is null, and languages in any order for the same", () => {
    const from = treeOf({ items: [itemOf({ title: { en: "A", cy: "B" } })] });
    const to = treeOf({ items: [{ ...itemOf({ title: { cy: "B", en: "A" } }), external_refs: undefined }] });
    expect(diffTrees(from, to)).toEqual([]);
  });

  it("applied to the old tree it gives the new one", () => {
    const id = fc.constantFrom("a1_", "b2_", "c3_", "d4_");
    const words = fc.record(
      { en: fc.constantFrom("x", "y"), cy: fc.constantFrom("x", "y") },
      { requiredKeys: ["en"] },
    );
    const ids = fc.uniqueArray(id);
    const list = <T extends { id: string }>(value: fc.Arbitrary<T>) =>
      fc.uniqueArray(value, { selector: (each) => each.id });
    const trees = fc.record({
      menu: fc.record({ title: words, category_ids: ids }).map((rest) => menuOf(rest)),
      categories: list(fc.record({ id, title: words, item_ids: ids }).map((rest) => categoryOf(rest))),
      items: list(
        fc
          .record({
            id,
            title: words,
            price: fc.option(fc.nat({ max: 3 })),
            tags: fc.uniqueArray(fc.constantFrom("x", "y")),
          })
          .map((rest) => itemOf(rest)),
      ),
      modifier_groups: list(fc.record({ id, modifier_ids: ids }).map((rest) => groupOf(rest))),
      modifiers: list(fc.record({ id, price: fc.nat({ max: 3 }) }).map((rest) => modifierOf(rest))),
      schedules: list(
        fc.record({ id, valid_from: fc.constantFrom(null, "2026-01-01") }).map((rest) => scheduleOf(rest)),
      ),
      price_levels: list(fc.record({ id, priority: fc.nat({ max: 3 }) }).map((rest) => levelOf(rest))),
    });
    fc.assert(
      fc.property(trees, trees, (from: MenuTree, to: MenuTree) => {
        const changes = diffTrees(from, to);
        expect(canonicalText(applyDiff(from, changes))).toBe(canonicalText(canonicalTree(to)));
        expect(changes.length === 0).toBe(
          canonicalText(canonicalTree(from)) === canonicalText(canonicalTree(to)),
        );
        expect(diffTrees(to, from)).toHaveLength(changes.length);
      }),
    );
  });
});
