import { describe, expect, it } from "vitest";

import { dishAllergens, removableOrigins } from "../../../server/engines/menus/rules/line-allergens.ts";
import type { TreeModifier } from "../../../server/engines/menus/schema/tree.ts";
import { isComplete } from "../../../server/core/known-allergens.ts";
import type { KnownAllergens } from "../../../server/core/known-allergens.ts";
import { longestOf, many, TURN_MS } from "../../support/longest-turn.ts";
import { containing, knownOf, modifierOf } from "./fixture.ts";

const dish = (
  base: KnownAllergens | null,
  choices: readonly TreeModifier[] = [],
  products: Readonly<Record<string, KnownAllergens>> = {},
) =>
  dishAllergens(base === null ? null : "prd_base", choices, (id) =>
    id === "prd_base" && base !== null ? base : products[id],
  );
const noCheese = (rest: Partial<TreeModifier> = {}): TreeModifier =>
  modifierOf({ removes: ["milk"], ...rest });

describe("dishAllergens", () => {
  it("MA19 no cheese leaves milk in while the bun has some", () => {
    const base = containing({ milk: ["cheese", "bun"], wheat: ["bun"] });
    expect(dish(base, [noCheese()]).allergens).toEqual(["milk", "wheat"]);
    expect(dish(base, [noCheese({ removes_ingredient_ids: ["cheese"] })]).allergens).toEqual([
      "milk",
      "wheat",
    ]);
  });

  it("takes a code away when nothing else carries it", () => {
    const base = containing({ milk: ["cheese"], wheat: ["bun"] });
    const { allergens, facts } = dish(base, [noCheese()]);
    expect([allergens, facts.map(({ code }) => code)]).toEqual([["wheat"], ["wheat"]]);
    expect(dish(base, [noCheese({ removes_ingredient_ids: ["cheese"] })]).allergens).toEqual(["wheat"]);
    expect(dish(base, [noCheese({ removes_ingredient_ids: ["bun"] })]).allergens).toEqual(["milk", "wheat"]);
  });

  it("goes by the ingredients that all choices together leave out", () => {
    const base = containing({ milk: ["cheese", "butter"] });
    const choices = [
      noCheese({ removes_ingredient_ids: ["cheese"] }),
      noCheese({ removes: [], removes_ingredient_ids: ["butter"] }),
    ];
    expect(dish(base, choices).allergens).toEqual([]);
  });

  it("knows an ingredient by its id in the library too", () => {
    const base = containing({ milk: [] });
    const origin = { id: "line-1", ingredient_id: "ing_1", name: "Cheddar" };
    const known = { ...base, facts: base.facts.map((fact) => ({ ...fact, origins: [origin] })) };
    expect(dish(known, [noCheese({ removes_ingredient_ids: ["ing_1"] })]).allergens).toEqual([]);
  });

  it("keeps what was declared by hand, and what another choice brings", () => {
    expect(dish(containing({ milk: [] }), [noCheese()]).allergens).toEqual(["milk"]);
    expect(dish(containing({ milk: [] }), [noCheese({ removes_ingredient_ids: ["x"] })]).allergens).toEqual([
      "milk",
    ]);
    const base = containing({ milk: ["cheese"] });
    const sauce = modifierOf({ id: "mod_2", product_id: "prd_2" });
    const products = { prd_2: containing({ milk: ["cream"], mustard: ["mustard"] }) };
    expect(dish(base, [noCheese(), sauce], products).allergens).toEqual(["milk", "mustard"]);
  });

  it("keeps a code that another kind of it is declared as", () => {
    const base = containing({ fish: ["sauce"], salmon: ["fillet"] }, { allergens: ["fish"] });
    const facts = base.facts.map((fact) => ({ ...fact, declared_as: "fish" }));
    expect(dish({ ...base, facts }, [noCheese({ removes: ["fish"] })]).allergens).toEqual(["fish"]);
    const single = { ...base, facts: facts.slice(0, 1) };
    expect(dish(single, [noCheese({ removes: ["fish"] })]).allergens).toEqual([]);
  });

  it("still warns of what another ingredient may contain", () => {
    const base = containing({ milk: ["cheese"] });
    const warned = { code: "milk", presence: "may_contain", declared_as: "milk", exempt: false } as const;
    const origins = [{ id: "biscuit", ingredient_id: null, name: "biscuit" }];
    const found = dish({ ...base, facts: [...base.facts, { ...warned, origins }] }, [noCheese()]);
    expect([found.allergens, found.may_contain]).toEqual([[], ["milk"]]);
    expect(found.facts).toMatchObject([{ code: "milk", presence: "may_contain" }]);
  });

  it("keeps what was declared by hand beside an ingredient that is left out", () => {
    const base = containing({ milk: ["cheese"] });
    const byHand = base.facts.map((fact) => ({ ...fact, origins: [] }));
    expect(dish({ ...base, facts: [...base.facts, ...byHand] }, [noCheese()]).allergens).toEqual(["milk"]);
  });

  it("knows nothing of a modifier that is an item, though it takes something away", () => {
    const swap = noCheese({ item_id: "itm_salad" });
    expect(isComplete(dish(containing({ milk: ["cheese"] }), [swap]))).toBe(false);
  });

  it("does not take a code away of which it does not know where it comes from", () => {
    const odd = knownOf({ allergens: ["milk"] });
    expect(dish(odd, [noCheese()]).allergens).toEqual(["milk"]);
  });

  it("names what it may contain only where it does not contain it", () => {
    const base = knownOf({ may_contain: ["nuts", "sesame"] });
    const added = modifierOf({ product_id: "prd_2" });
    const found = dish(base, [added], { prd_2: containing({ nuts: ["pesto"] }) });
    expect([found.allergens, found.may_contain]).toEqual([["nuts"], ["sesame"]]);
  });

  it.each([
    ["everything is declared", containing({ milk: ["a"] }), [noCheese()], {}, true],
    ["nobody knows the base", null, [], {}, false],
    ["a choice adds something of which nobody knows anything", knownOf(), [modifierOf()], {}, false],
    [
      "a choice adds a product that nobody declared",
      knownOf(),
      [modifierOf({ product_id: "prd_2" })],
      {},
      false,
    ],
    [
      "a choice adds one that nobody verified",
      knownOf(),
      [modifierOf({ product_id: "prd_2" })],
      { prd_2: knownOf({ verified: false }) },
      false,
    ],
    ["the base is verified for no mode", knownOf({ complete_in: [] }), [], {}, false],
    [
      "the parts were looked at in other modes",
      knownOf(),
      [modifierOf({ product_id: "prd_2" })],
      { prd_2: knownOf({ complete_in: ["us"] }) },
      false,
    ],
    [
      "both in one mode",
      knownOf({ complete_in: ["uk", "us"] }),
      [modifierOf({ product_id: "prd_2" })],
      { prd_2: knownOf() },
      true,
    ],
    ["verified in another mode than that of the shop", knownOf({ complete_in: ["us"] }), [], {}, false],
  ] as const)("is complete or not: %s", (...[, base, choices, products, expected]) => {
    expect(isComplete(dish(base, choices, products))).toBe(expected);
  });

  it("suits a diet only when every part does, and not when one does not", () => {
    const vegan = knownOf({ diets: ["vegan", "halal"] });
    const added = modifierOf({ product_id: "prd_2" });
    const found = dish(vegan, [added], { prd_2: knownOf({ diets: ["halal"], unfit_for: ["vegan"] }) });
    expect([found.diets, found.unfit_for]).toEqual([["halal"], ["vegan"]]);
    expect(dish(vegan, [modifierOf()]).diets).toEqual([]);
  });

  it("takes the strongest fact of each code, and free from only what every part is free of", () => {
    const fact = (presence: "contains" | "may_contain" | "free_from", exempt = false) => ({
      code: "soya",
      declared_as: "soya",
      presence,
      exempt,
      origins: [],
    });
    const added = modifierOf({ product_id: "prd_2" });
    const presence = (a: ReturnType<typeof fact>[], b: ReturnType<typeof fact>[]) =>
      dish(knownOf({ facts: a }), [added], { prd_2: knownOf({ facts: b }) }).facts.map((each) => [
        each.presence,
        each.exempt,
      ]);
    expect(presence([fact("free_from")], [fact("may_contain")])).toEqual([["may_contain", false]]);
    expect(presence([fact("contains", true)], [fact("contains", false)])).toEqual([["contains", false]]);
    const [exempt, warned] = [[fact("contains", true)], [fact("may_contain")]];
    expect(presence(exempt, warned)).toEqual([["may_contain", false]]);
    expect(presence(warned, exempt)).toEqual([["may_contain", false]]);
    expect(presence(exempt, [fact("free_from")])).toEqual([["contains", true]]);
    expect(presence([fact("free_from")], [fact("free_from")])).toEqual([["free_from", false]]);
    expect(presence([fact("free_from")], [])).toEqual([]);
  });

  it("depends on the origins that can be removed and two others", () => {
    const withoutOthers = (base: KnownAllergens, removable: ReadonlySet<string>): KnownAllergens => ({
      ...base,
      facts: base.facts.map((fact) => ({ ...fact, origins: removableOrigins(fact.origins, removable) })),
    });
    const lists = [[], ["a"], ["b"], ["x"], ["a", "b"], ["a", "x"], ["x", "y"], ["x", "y", "z", "a", "b"]];
    const removals = [[], ["a"], ["b"], ["a", "b"]].map((ids) => noCheese({ removes_ingredient_ids: ids }));
    for (const milk of lists) {
      const base = containing({ milk, wheat: ["bun", "x", "y"] });
      const short = withoutOthers(base, new Set(["a", "b"]));
      expect(short.facts[1]?.origins).toHaveLength(2);
      for (const removal of removals) expect(dish(short, [removal])).toEqual(dish(base, [removal]));
    }
    const origin = { id: "line-1", ingredient_id: "ing_1", name: "Cheddar" };
    expect(removableOrigins([origin, origin, origin], new Set(["ing_1"]))).toHaveLength(3);
  });

  it("takes little time for five hundred choices of a product of many ingredients", async () => {
    const codes = many(10, (n) => [`code_${n}`, many(60, (at) => `line-${at}`)] as const);
    const reasons = [{ concerns: null, detail: "Not verified." }];
    const base = containing(Object.fromEntries(codes), { reasons });
    const removed = noCheese({ product_id: "prd_base", removes: codes.slice(1).map(([code]) => code) });
    const choices = many(500, (n) => ({ ...removed, removes_ingredient_ids: [`line-${n % 59}`] }));
    const found = dish(base, choices);
    expect([found.facts.length, found.facts[0]?.origins, found.reasons]).toEqual([10, [], reasons]);
    expect(
      await longestOf(
        () => null,
        async () => void dish(base, choices),
      ),
    ).toBeLessThan(TURN_MS);
  }, 30_000);
});
