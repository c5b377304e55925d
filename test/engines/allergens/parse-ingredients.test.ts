import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { namedLine, parseIngredients } from "../../../server/engines/allergens/rules/parse-ingredients.ts";
import { walkLines } from "../../../server/engines/allergens/rules/walk-lines.ts";
import { LineInput } from "../../../server/engines/allergens/schema/ingredient.ts";

describe("parseIngredients", () => {
  it("reads shares, brackets and allergens", () => {
    expect(
      parseIngredients(
        "Ingredients: _Wheat_ flour 52,5%, dark chocolate (18%) [sugar, cocoa mass, emulsifier (_soya_ lecithin)], salt.",
      ),
    ).toEqual([
      { name: "Wheat flour", contains: ["wheat"], percent: 52.5 },
      {
        name: "dark chocolate",
        percent: 18,
        sub_ingredients: [
          { name: "sugar" },
          { name: "cocoa mass" },
          { name: "emulsifier", sub_ingredients: [{ name: "soya lecithin", contains: ["soy"] }] },
        ],
      },
      { name: "salt" },
    ]);
  });
  it("reads what stands inside", () => {
    expect(parseIngredients("margarine (palm oil, water; salt), _milk_*")).toEqual([
      { name: "margarine", sub_ingredients: [{ name: "palm oil" }, { name: "water" }, { name: "salt" }] },
      { name: "milk", contains: ["milk"] },
    ]);
  });
  it("takes a decimal comma for no comma, and a bracket without end as it comes", () => {
    expect(parseIngredients("sugar 1,5%, oil (rape")).toEqual([
      { name: "sugar", percent: 1.5 },
      { name: "oil", sub_ingredients: [{ name: "rape" }] },
    ]);
    expect(parseIngredients(" , ;")).toEqual([]);
    expect(namedLine("oat flakes")).toEqual({ name: "oat flakes", contains: ["oats"] });
  });
  it("makes lines that can be stored of any text", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...Array.from("abc ,;()[]{}%_*.,0159"), "wheat", " milk ") }),
        (text) => {
          for (const line of parseIngredients(text)) expect(LineInput.safeParse(line).success).toBe(true);
        },
      ),
    );
  });

  it("loses no allergen of a long name, or of brackets deeper than lines can be", () => {
    const codesIn = (text: string) => {
      const found = [...walkLines(parseIngredients(text))].flatMap(({ line }) => line.contains ?? []);
      return [...new Set(found)];
    };
    const spices = "turmeric • coriander • paprika • ".repeat(10);
    expect(codesIn(`${spices}mustard • ${spices}celery`)).toEqual(["mustard", "celery"]);
    expect(codesIn("a [b [c [d [e [f [milk, g [egg]]]]]]], wheat")).toEqual(["milk", "egg", "wheat"]);
    for (const { line } of walkLines(parseIngredients(`${"x".repeat(450)} ${spices}`)))
      expect(LineInput.safeParse(line).success).toBe(true);
  });

  it("reads one ingredient more than a product may have, over all levels", () => {
    expect(parseIngredients("a,".repeat(9_000))).toHaveLength(301);
    expect(parseIngredients(`bread (${"a,".repeat(9_000)})`)[0]?.sub_ingredients).toHaveLength(300);
  });
});
