import { describe, expect, it } from "vitest";

import { chooseModifiers } from "../../../server/engines/menus/rules/choose-modifiers.ts";
import { groupsOfItem } from "../../../server/engines/menus/rules/group-use.ts";
import { groupOf, itemOf, modifierOf, selectionOf as pick, treeOf, useOf, worldOf } from "./fixture.ts";

const { tree } = worldOf(
  treeOf({
    items: [itemOf({ modifier_groups: [useOf("grp_1"), useOf("grp_2")] })],
    modifier_groups: [
      groupOf({ modifier_ids: ["a", "b"] }),
      groupOf({ id: "grp_2", modifier_ids: ["c"] }),
      groupOf({ id: "grp_3", modifier_ids: ["d"] }),
    ],
    modifiers: [
      modifierOf({ id: "a", default: true, nested_group_ids: ["grp_3"] }),
      modifierOf({ id: "b" }),
      modifierOf({ id: "c", default: true }),
      modifierOf({ id: "d", default: true }),
    ],
  }),
);
const used = groupsOfItem(tree, tree.items[0]?.modifier_groups ?? []);
const choose = (...selections: Parameters<typeof chooseModifiers>[2]) => {
  const errors: string[] = [];
  const groups = chooseModifiers(tree, used, selections, (code) => errors.push(code));
  const names = groups.map(({ choices }) =>
    choices.map(({ modifier, quantity, nested }) => [
      modifier.id,
      quantity,
      nested.flatMap((inner) => inner.choices.map((choice) => choice.modifier.id)),
    ]),
  );
  return { names, errors };
};

describe("chooseModifiers", () => {
  it("takes the defaults of groups that nobody names, and of those inside them", () => {
    expect(choose().names).toEqual([[["a", 1, ["d"]]], [["c", 1, []]]]);
  });

  it("takes a group that is named as it is told, and the others as they come", () => {
    expect(choose(pick("b")).names).toEqual([[["b", 1, []]], [["c", 1, []]]]);
    expect(choose(pick("a", { quantity: 0 })).names).toEqual([[], [["c", 1, []]]]);
  });

  it("keeps two selections of one modifier apart, and counts them together", () => {
    const twice = choose(pick("b"), pick("b"));
    expect(twice.names[0]).toEqual([
      ["b", 1, []],
      ["b", 1, []],
    ]);
    expect(twice.errors).toEqual(["option_max"]);
  });

  it("tells each fault once", () => {
    expect(choose(pick("b", { quantity: 5 }), pick("b", { quantity: 5 })).errors).toEqual(["option_max"]);
    expect(choose(pick("x"), pick("c", { group_id: "grp_9" })).errors).toEqual([
      "group_not_found",
      "modifier_not_found",
    ]);
  });
});
