import { describe, expect, it } from "vitest";

import { groupsOfItem, groupsOfModifier, reachOf } from "../../../server/engines/menus/rules/group-use.ts";
import { groupOf, modifierOf, treeOf, useOf, worldOf } from "./fixture.ts";

const { tree } = worldOf(
  treeOf({
    modifier_groups: [groupOf({ min: 1, max: 4, modifier_ids: ["mod_1", "mod_2", "mod_gone"] })],
    modifiers: [
      modifierOf({ max_quantity: 2 }),
      modifierOf({ id: "mod_2", nested_group_ids: ["grp_1", "grp_9"] }),
    ],
  }),
);
const use = (rest: object = {}) => {
  const [used] = groupsOfItem(tree, [useOf("grp_1", rest)]);
  return [used?.min, used?.max, used?.modifiers.map(({ id }) => id)];
};

describe("groupsOfItem", () => {
  it("takes the group's own limits, or those of the item; null lifts the maximum", () => {
    expect(use()).toEqual([1, 4, ["mod_1", "mod_2"]]);
    expect(use({ min: 0, max: 2 })).toEqual([0, 2, ["mod_1", "mod_2"]]);
    expect(use({ max: null, hidden_modifier_ids: ["mod_1"] })).toEqual([1, null, ["mod_2"]]);
    expect(groupsOfItem(tree, [useOf("grp_9")])).toEqual([]);
  });
});

describe("groupsOfModifier", () => {
  it("gives the groups inside it that are there", () => {
    const found = groupsOfModifier(tree, modifierOf({ nested_group_ids: ["grp_9", "grp_1"] }));
    expect(found.map(({ group, min }) => [group.id, min])).toEqual([["grp_1", 1]]);
  });
});

describe("reachOf", () => {
  it("sums the most units of each", () =>
    expect(reachOf([{ max_quantity: 2 }, { max_quantity: 3 }])).toBe(5));
});
