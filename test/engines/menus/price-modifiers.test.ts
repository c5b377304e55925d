import * as fc from "fast-check";
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

/** The same rules, written down unit by unit. */
function costOfUnits(
  {
    substitution = false,
    free_quantity: freeQuantity = 0,
    free_policy: freePolicy = "cheapest_first",
  }: { substitution?: boolean; free_quantity?: number; free_policy?: string },
  modifiers: MenuTree["modifiers"],
  selections: readonly Selection[],
): number {
  const units = selections.flatMap(({ modifier_id: id, quantity }, entry) =>
    Array.from({ length: quantity }, () => {
      const price = modifiers.find((modifier) => modifier.id === id)?.price ?? 0;
      return { id, entry, amount: price, included: false };
    }),
  );
  let credit = 0;
  for (const { id, price } of modifiers.filter((modifier) => modifier.default)) {
    const own = units.find((unit) => unit.id === id);
    if (own === undefined) credit += price;
    else Object.assign(own, { amount: 0, included: true });
  }
  if (!substitution) credit = 0;
  while (credit > 0) {
    const open = units.filter(({ included, amount }) => !included && amount > 0);
    const [dearest] = open.toSorted((a, b) => b.amount - a.amount);
    if (dearest === undefined) break;
    const paid = Math.min(credit, dearest.amount);
    credit -= paid;
    Object.assign(dearest, { amount: dearest.amount - paid, included: true });
  }
  const countable = units.filter(({ included }) => !included);
  if (freePolicy === "cheapest_first") countable.sort((a, b) => a.amount - b.amount);
  for (const unit of countable.slice(0, freeQuantity)) unit.amount = 0;
  return units.reduce((total, { amount }) => total + amount, 0);
}

describe("any group", () => {
  const groups = fc.record({
    substitution: fc.boolean(),
    free_quantity: fc.integer({ min: 0, max: 6 }),
    free_policy: fc.constantFrom("cheapest_first", "first_selected"),
  });
  const offers = fc
    .array(fc.record({ price: fc.integer({ min: 0, max: 12 }), default: fc.boolean() }), {
      minLength: 1,
      maxLength: 5,
    })
    .map((all) => all.map((each, at) => modifierOf({ id: `mod_${at}`, ...each })));
  const picks = fc.array(
    fc.record({ at: fc.integer({ min: 0, max: 4 }), quantity: fc.integer({ min: 0, max: 5 }) }),
    { minLength: 1, maxLength: 6 },
  );

  it("costs what its units cost one by one", () => {
    fc.assert(
      fc.property(groups, offers, picks, (group, modifiers, picked) => {
        const selections = picked.map(({ at, quantity }) =>
          pick(`mod_${at % modifiers.length}`, { quantity }),
        );
        expect(cost(group, modifiers, selections)).toBe(costOfUnits(group, modifiers, selections));
      }),
      { numRuns: 500 },
    );
  });
});
