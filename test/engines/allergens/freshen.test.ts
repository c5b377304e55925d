import { describe, expect, it } from "vitest";

import { collapse, freshen, withoutBrokenClaims } from "../../../server/engines/allergens/rules/freshen.ts";
import { rollUp } from "../../../server/engines/allergens/rules/roll-up.ts";
import { claimed, line, verified } from "./make.ts";

const butter = line("butter", ["milk"], { ingredient_id: "ing_1", ingredient_revision: 1, percent: 20 });
const inside = line("filling", [], { sub_ingredients: [butter] });
const food = verified({
  ingredients: [inside],
  declarations: rollUp([inside]),
  dietary: [claimed("sesame_free")],
});
const changed = line("butter", ["milk", "sesame"], { ingredient_id: "ing_1", ingredient_revision: 2 });
const pending = new Map([["ing_1", { revision: 2, name: "butter", line: changed }]]);

describe("freshen", () => {
  it("gives a product what the library has now, at any depth, and withdraws claims that it breaks", () => {
    const found = freshen(food, pending, "uk");
    expect(found.ingredients[0]?.sub_ingredients[0]).toMatchObject({
      contains: ["milk", "sesame"],
      percent: 20,
    });
    expect(found.declarations.map(({ code }) => code)).toEqual(["milk", "sesame"]);
    expect(found.dietary[0]?.status).toBe("withdrawn");
  });
  it("leaves a product that has the change already, and claims that hold", () => {
    expect(freshen(food, new Map(), "uk")).toBe(food);
    const current = { ...pending.get("ing_1"), revision: 1, name: "butter" };
    expect(freshen(food, new Map([["ing_1", current]]), "uk")).toBe(food);
    expect(withoutBrokenClaims(food, "uk").dietary).toEqual(food.dietary);
  });
  it("collapses what would become too large into one line with all codes", () => {
    const wide = line("butter", ["milk"], { sub_ingredients: [line("seed", ["sesame"])] });
    const found = collapse(food, "ing_1", wide);
    expect(found.ingredients[0]?.sub_ingredients[0]).toMatchObject({
      contains: ["milk", "sesame"],
      ingredient_revision: 1,
    });
  });
});
