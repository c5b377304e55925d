import { describe, expect, it } from "vitest";

import { categoryOf, indexTree, itemOf, menuOf, treeOf } from "./fixture.ts";

const tree = indexTree(
  treeOf({
    menu: menuOf({ category_ids: ["cat_b", "cat_a", "cat_gone"] }),
    items: [itemOf()],
    categories: [
      categoryOf({ id: "cat_a", item_ids: ["itm_1"] }),
      categoryOf({ id: "cat_b" }),
      categoryOf({ id: "cat_c", parent_id: "cat_b", sort_order: 2, item_ids: ["itm_1"] }),
      categoryOf({ id: "cat_d", parent_id: "cat_b", sort_order: 1, visible: false, item_ids: ["itm_1"] }),
      categoryOf({ id: "cat_e", parent_id: "cat_d", item_ids: ["itm_1"] }),
    ],
  }),
);

describe("indexTreeSteps", () => {
  it("keeps the menu's order at the top and sort_order below", () => {
    expect(tree.roots.map(({ id }) => id)).toEqual(["cat_b", "cat_a"]);
    expect(tree.childrenOf("cat_b").map(({ id }) => id)).toEqual(["cat_d", "cat_c"]);
    expect(tree.childrenOf("cat_a")).toEqual([]);
  });

  it("tells every visible place of an item", () => {
    const places = tree.placesOf("itm_1").map((path) => path.map(({ id }) => id).join(">"));
    expect(places).toEqual(["cat_b>cat_c", "cat_a"]);
    expect(tree.placesOf("itm_9")).toEqual([]);
  });

  it("does not run in circles", () => {
    const looped = indexTree(
      treeOf({ categories: [categoryOf({ parent_id: "cat_1", item_ids: ["itm_1"] })], items: [itemOf()] }),
    );
    expect(looped.placesOf("itm_1")).toHaveLength(1);
  });
});
