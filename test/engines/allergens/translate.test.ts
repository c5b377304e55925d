import { describe, expect, it } from "vitest";

import { translateProduct, withLibraryNames } from "../../../server/engines/allergens/rules/translate.ts";
import { line, product } from "./make.ts";

const food = product({
  title: "Loaf",
  titles: { fr: "Pain" },
  contains_statement: "Contains wheat",
  ingredients: [
    line("flour", [], { names: { fr: "farine" }, sub_ingredients: [line("wheat")] }),
    line("butter", [], { ingredient_id: "ing_1" }),
  ],
});

describe("translateProduct", () => {
  it("takes the names of the language, and reports those that are missing", () => {
    const { product: found, missing } = translateProduct(food, "en", "fr");
    expect([found.title, found.ingredients[0]?.name, found.contains_statement]).toEqual([
      "Pain",
      "farine",
      null,
    ]);
    expect(missing).toEqual(["wheat", "butter"]);
    expect(translateProduct(food, "en", "en")).toEqual({ product: food, missing: [] });
  });
  it("reads the names of the library, unless the ingredient is called otherwise by now", () => {
    const named = (name: string) =>
      withLibraryNames(food, new Map([["ing_1", { name, names: { fr: "beurre" } }]])).ingredients[1]?.names;
    expect([named("butter"), named("margarine")]).toEqual([{ fr: "beurre" }, undefined]);
  });
});
