import { describe, expect, it } from "vitest";

import { chooseModifiers } from "../../../server/engines/menus/rules/choose-modifiers.ts";
import { groupsOfItem } from "../../../server/engines/menus/rules/group-use.ts";
import { chargeGroups, totalOf } from "../../../server/engines/menus/rules/price-modifiers.ts";
import type { MenuTree } from "../../../server/engines/menus/schema/tree.ts";
import type { Selection } from "../../../server/engines/menus/schema/price.ts";
import { groupOf, itemOf, modifierOf, selectionOf as pick, treeOf, useOf, worldOf } from "./fixture.ts";

function cost(group: object, modifiers: MenuTree["modifiers"], selections: readonly Selection[]): number {
  const world = worldOf(
    treeOf({
      items: [itemOf({ modifier_groups: [useOf("grp_1")] })],
      modifier_groups: [groupOf({ modifier_ids: modifiers.map(({ id }) => id), ...group })],
      modifiers,
    }),
  );
  const used = groupsOfItem(world.tree, [useOf("grp_1")]);
  const choices = chooseModifiers(world.tree, used, selections, () => undefined);
  return totalOf(chargeGroups(choices, world.priceOf));
}

const cheap = modifierOf({ id: "cheap", price: 50, max_quantity: 5 });
const dear = modifierOf({ id: "dear", price: 200, max_quantity: 5 });
const cheddar = modifierOf({ id: "cheddar", price: 100, default: true, max_quantity: 3 });

describe("free_quantity", () => {
  it.each([
    ["the cheapest go first", { free_policy: "cheapest_first" }, [pick("dear"), pick("cheap")], 200],
    ["the first chosen go first", { free_policy: "first_selected" }, [pick("dear"), pick("cheap")], 50],
    ["in the other order", { free_policy: "first_selected" }, [pick("cheap"), pick("dear")], 200],
    ["units of one modifier count one by one", {}, [pick("dear", { quantity: 3 })], 400],
    ["nothing is chosen", {}, [pick("dear", { quantity: 0 })], 0],
  ] as const)("one is free: %s", (_, group, selections, expected) => {
    expect(cost({ free_quantity: 1, ...group }, [cheap, dear], selections)).toBe(expected);
  });

  it("more free than chosen costs nothing", () => {
    expect(cost({ free_quantity: 9 }, [cheap, dear], [pick("dear", { quantity: 2 }), pick("cheap")])).toBe(0);
  });

  it("an included default uses up none of it", () => {
    expect(cost({ free_quantity: 1 }, [cheddar, dear], [pick("cheddar"), pick("dear")])).toBe(0);
    expect(cost({ free_quantity: 1 }, [cheddar, dear], [pick("cheddar", { quantity: 3 })])).toBe(100);
  });
});

describe("defaults", () => {
  it.each([
    ["a second unit of a default is paid", {}, [pick("cheddar", { quantity: 2 })], 100],
    ["a default that is charged is paid", { defaults_charged: true }, [pick("cheddar")], 100],
    ["a removed default pays nothing back", {}, [pick("cheddar", { quantity: 0 })], 0],
    ["in its place another one at its full price", {}, [pick("dear")], 200],
    ["under substitution for the difference", { substitution: true }, [pick("dear")], 100],
    ["never for less than nothing", { substitution: true }, [pick("cheap")], 0],
    ["one default stands for one unit", { substitution: true }, [pick("dear", { quantity: 2 })], 300],
    ["for the dearest", { substitution: true }, [pick("cheap"), pick("dear")], 150],
    [
      "a default pays for several units together",
      { substitution: true },
      [pick("cheap", { quantity: 3 })],
      50,
    ],
    ["not while the default is kept", { substitution: true }, [pick("cheddar"), pick("dear")], 200],
    [
      "a default that is charged was never paid: there is nothing to set off",
      { substitution: true, defaults_charged: true },
      [pick("dear")],
      200,
    ],
  ] as const)("%s", (_, group, selections, expected) => {
    expect(cost(group, [cheddar, cheap, dear], selections)).toBe(expected);
  });

  it("under substitution several removed defaults pay for one unit together", () => {
    const brie = modifierOf({ id: "brie", price: 300, default: true });
    const gold = modifierOf({ id: "gold", price: 500 });
    expect(cost({ substitution: true }, [cheddar, brie, gold], [pick("gold")])).toBe(100);
  });

  it("EXTRA of an included default costs what it is dearer", () => {
    const group = {
      pre_modifiers: [
        { code: "extra", title: { en: "Extra" }, factor: 1.5, fixed_price: null, position: "prefix" },
      ],
    };
    expect(cost(group, [cheddar], [pick("cheddar", { pre_modifier: "extra" })])).toBe(50);
  });
});
