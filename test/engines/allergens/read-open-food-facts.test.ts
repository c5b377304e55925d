import { describe, expect, it } from "vitest";

import {
  OffProduct,
  readOpenFoodFacts,
} from "../../../server/engines/allergens/rules/read-open-food-facts.ts";
import { oatBiscuits, pesto } from "./open-food-facts.ts";

const read = (product: object) => readOpenFoodFacts(OffProduct.parse(product));

describe("readOpenFoodFacts", () => {
  it("takes the name, the list, the tags and the nutriments", () => {
    const product = read(oatBiscuits);
    expect(product).toMatchObject({
      external_ref: { system: "open_food_facts", id: "0000000000017" },
      title: "Oat biscuits",
      claims: ["vegetarian"],
      warnings: [],
    });
    expect(product.ingredients.slice(0, 2)).toEqual([
      { name: "Oat flakes", contains: ["oats"], percent: 42 },
      { name: "wheat flour", contains: ["wheat"] },
    ]);
    // The names of ingredients say en:gluten (oats, wheat) and en:milk (butter); nuts nothing says.
    expect(product.declarations).toEqual([{ code: "nuts", presence: "may_contain", note: "traces_tags" }]);
    expect(product.nutrition).toMatchObject({
      basis: "per_100g",
      energy_kj: 2010,
      fat: 21,
      saturates: 9.1,
      salt: 0.8,
    });
  });

  it("reports tags that have the names of members of every object", () => {
    const tags = ["__proto__", "constructor"];
    const product = read({ code: "1", allergens_tags: tags, labels_tags: tags });
    expect(product).toMatchObject({ declarations: [], claims: [] });
    expect(product.warnings).toEqual(tags.map((tag) => `No code for the tag ${tag}.`));
  });

  it("takes its own reading of the list with what stands inside", () => {
    const product = read(pesto);
    expect(product.ingredients[0]).toEqual({
      name: "basil",
      percent: 38.5,
    });
    expect(product.ingredients[1]).toMatchObject({
      name: "cheese",
      sub_ingredients: [{ name: "milk", contains: ["milk"] }, { name: "salt" }],
    });
    expect(product.declarations.map(({ code, presence }) => [code, presence])).toEqual([
      ["cashew", "contains"],
    ]);
  });

  it("says what it could not take", () => {
    const product = read({
      ...pesto,
      allergens_tags: ["en:none-of-ours"],
      nutriments: { fat_100g: 10, sugars_100g: 90 },
    });
    expect(product.warnings).toEqual([
      "No code for the tag en:none-of-ours.",
      expect.stringMatching(/^Nutrition left out: /),
    ]);
    expect(product.nutrition).toBeNull();
    expect(read({ code: "1", product_name: " " }).title).toBe("");
  });
});
