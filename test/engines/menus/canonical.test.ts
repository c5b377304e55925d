import { describe, expect, it } from "vitest";

import {
  canonicalPieces,
  canonicalText,
  canonicalTree,
  hashTree,
} from "../../../server/engines/menus/rules/canonical.ts";
import { itemOf, treeOf } from "./fixture.ts";

describe("canonicalText", () => {
  it("is the same whatever the order of members, and keeps the order of lists", () => {
    expect(canonicalText({ b: [2, 1], a: { d: 1, c: undefined } })).toBe('{"a":{"d":1},"b":[2,1]}');
    expect(canonicalText({ a: { d: 1 }, b: [2, 1] })).toBe('{"a":{"d":1},"b":[2,1]}');
    expect(canonicalText([null, "x", { __proto__: null, a: 1 }])).toBe('[null,"x",{"a":1}]');
  });
});

describe("canonicalPieces", () => {
  it("are the canonical text", () => {
    for (const tree of [treeOf(), treeOf({ items: [itemOf({ id: "itm_2" }), itemOf({ id: "itm_1" })] })])
      expect([...canonicalPieces(tree)].join("")).toBe(canonicalText(canonicalTree(tree)));
  });
});

describe("canonicalTree and hashTree", () => {
  const items = [itemOf({ id: "itm_2" }), itemOf({ id: "itm_1" })];
  const category = treeOf().categories;

  it("put objects in order of id, since their order says nothing", () => {
    const [one, other] = [
      treeOf({ items, categories: category }),
      treeOf({ items: [...items].toReversed(), categories: category }),
    ];
    expect(canonicalTree(one).items.map(({ id }) => id)).toEqual(["itm_1", "itm_2"]);
    expect(hashTree(one)).toBe(hashTree(other));
    expect(hashTree(one)).toMatch(/^[0-9a-f]{64}$/);
  });

  it("tell a change of any member, and of the order of items in a category", () => {
    const before = treeOf({ items });
    const turned = treeOf({
      items,
      categories: before.categories.map((each) => ({ ...each, item_ids: [...each.item_ids].toReversed() })),
    });
    expect(hashTree(turned)).not.toBe(hashTree(before));
    expect(hashTree(treeOf({ items: [itemOf({ id: "itm_2", price: 951 }), itemOf()] }))).not.toBe(
      hashTree(before),
    );
  });
});
