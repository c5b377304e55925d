import { describe, expect, it } from "vitest";

import { CODES } from "../../../server/engines/allergens/data/codes.ts";
import { allDeclarations, declaredIn } from "../../../server/engines/allergens/rules/declare.ts";
import { collapse, freshen, withoutBrokenClaims } from "../../../server/engines/allergens/rules/freshen.ts";
import { rollUp } from "../../../server/engines/allergens/rules/roll-up.ts";
import { Product } from "../../../server/engines/allergens/schema.ts";
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
    const wide = line("butter", ["milk"], {
      ingredient_id: "ing_1",
      sub_ingredients: [line("seed", ["sesame"])],
    });
    const found = collapse(food, wide, "uk");
    expect(found.ingredients[0]?.sub_ingredients[0]).toMatchObject({
      contains: ["milk", "sesame"],
      ingredient_revision: 1,
    });
    expect(declaredIn(found, "uk").allergens).toEqual(["milk", "sesame"]);
    expect(found.dietary[0]?.status).toBe("withdrawn");
  });
  it("collapses without an exemption that does not hold for all parts, and without claims that a part breaks", () => {
    const syrup = line("syrup", ["wheat"], { ingredient_id: "ing_2", exemption: "wheat_glucose_syrup" });
    const sweet = verified({
      ingredients: [syrup],
      declarations: rollUp([syrup]),
      dietary: [claimed("vegan"), claimed("halal"), claimed("nut_free")],
    });
    expect(declaredIn(sweet, "uk").allergens).toEqual([]);
    const parts = [
      line("honey", [], { animal_origin: "honey" }),
      line("gelatine", [], { animal_origin: "pork" }),
    ];
    const found = collapse(sweet, { ...syrup, exemption: null, sub_ingredients: parts }, "uk");
    expect(declaredIn(found, "uk").allergens).toEqual(["wheat"]);
    expect(found.dietary.map(({ status }) => status)).toEqual(["withdrawn", "withdrawn", "claimed"]);
    const oil = line("oil", ["soy"], { exemption: "refined_soy_oil" });
    const exempt = { ...syrup, sub_ingredients: [oil] };
    expect(declaredIn(collapse(sweet, exempt, "uk"), "uk").allergens).toEqual(["wheat", "soy"]);
  });
  it("collapses more codes than a line may have into lines inside it, and again into the same ones", () => {
    const mix = line("mix", [], { ingredient_id: "ing_3" });
    const codes = CODES.map(({ code }) => code);
    const many = { ...mix, sub_ingredients: [line("a", codes.slice(0, 20)), line("b", codes.slice(20, 45))] };
    const once = collapse(verified({ ingredients: [mix, mix], declarations: [] }), many, "uk");
    const again = collapse(once, many, "uk");
    expect(again).toEqual(once);
    expect(Product.parse(once)).toEqual(once);
    expect(new Set(allDeclarations(once).map(({ code }) => code))).toEqual(new Set(codes.slice(0, 45)));
    expect(once.ingredients[1]).toEqual(mix);
  });
});
