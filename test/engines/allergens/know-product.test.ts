import { expect, it } from "vitest";

import type { Product } from "../../../server/engines/allergens/schema.ts";
import { isInForce, knowProduct } from "../../../server/engines/allergens/rules/know-product.ts";
import { rollUp } from "../../../server/engines/allergens/rules/roll-up.ts";
import { claimed, declared, line, product, verified } from "./make.ts";

const about = { mode: "uk" as const, today: "2026-06-01" };

it("tells what is recorded, what is declared, and where absence means something", () => {
  const butter = line("butter", ["milk"], { ingredient_id: "ing_1", animal_origin: "dairy" });
  const food = verified({
    ingredients: [butter],
    declarations: [declared("pine_nut", "may_contain")],
    dietary: [claimed("vegetarian")],
  });
  const known = knowProduct(food, food, about);
  expect(known).toMatchObject({
    title: "Loaf",
    verified: true,
    complete_in: ["uk"],
    allergens: ["milk"],
    may_contain: [],
    diets: ["vegetarian"],
  });
  expect(known.facts).toEqual([
    {
      code: "milk",
      presence: "contains",
      declared_as: "milk",
      exempt: false,
      origins: [{ id: butter.id, ingredient_id: "ing_1", name: "butter" }],
    },
    { code: "pine_nut", presence: "may_contain", declared_as: null, exempt: false, origins: [] },
  ]);
  expect(known.unfit_for).toEqual(expect.arrayContaining(["vegan", "milk_free"]));
  expect(knowProduct(product(), product(), about)).toMatchObject({ verified: false, complete_in: [] });
});

it("tells each reason by itself, so that leaving out one leaves the others", () => {
  const lines = [line("cheese", ["milk"]), line("biscuit", [], { may_contain: ["milk"] })];
  const known = (declarations: Product["declarations"]) => {
    const food = verified({ ingredients: lines, declarations });
    return knowProduct(food, food, about).facts.map(({ presence, origins }) => [
      presence,
      origins.map(({ name }) => name),
    ]);
  };
  const recipe = [
    ["contains", ["cheese"]],
    ["may_contain", ["biscuit"]],
  ];
  expect(known([])).toEqual(recipe);
  expect(known([declared("milk")])).toEqual([...recipe, ["contains", []]]);
});

it("a claim about gluten holds only in a mode whose limit it keeps", () => {
  const rice = {
    ingredients: [line("rice flour")],
    dietary: [claimed("gluten_free", { gluten_mg_per_kg: 19 })],
  };
  const food = verified(rice);
  const known = (mode: "uk" | "us" | "au_nz") => knowProduct(food, food, { ...about, mode });
  expect([known("uk").diets, known("us").diets, known("au_nz").diets]).toEqual([
    ["gluten_free"],
    ["gluten_free"],
    [],
  ]);
  expect(known("au_nz").reasons).toMatchObject([
    {
      concerns: "gluten_free",
      detail: expect.stringMatching(/^Gluten free allows at most 0 mg\/kg of gluten .*[^.]\.$/),
    },
  ]);
});

it("a certificate holds through its last day; a claim that does not fit is none", () => {
  const kosher = claimed("kosher", { status: "certified", certifier: "KLBD", valid_until: "2026-06-01" });
  expect([isInForce(kosher, "2026-06-01"), isInForce(kosher, "2026-06-02")]).toEqual([true, false]);
  expect(isInForce(claimed("vegan", { status: "withdrawn" }), "2026-06-01")).toBe(false);
  const odd = verified({ ingredients: [line("milk", ["milk"])], dietary: [claimed("vegan")] });
  expect(knowProduct(odd, odd, about).diets).toEqual([]);
});

it("names of ingredients without a code keep what is left when the coded one is removed", () => {
  const [cheese, butter] = [line("cheese", ["milk"]), line("butter")];
  const food = verified({ ingredients: [cheese, butter], declarations: [] });
  const facts = (subject: Product) =>
    knowProduct(subject, subject, about).facts.map(({ code, origins }) => [
      code,
      [...new Set(origins.map(({ id }) => id))],
    ]);
  // Only a product that declares it can have been verified.
  const declarations = rollUp(food.ingredients);
  expect(facts({ ...food, declarations })).toEqual([
    ["milk", [cheese.id]],
    ["milk", [butter.id]],
  ]);
  const coded = [cheese, line("butter", ["milk"])];
  expect(facts({ ...food, ingredients: coded, declarations: rollUp(coded) })).toHaveLength(1);
});
