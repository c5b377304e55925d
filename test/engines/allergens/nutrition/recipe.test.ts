import { Big } from "big.js";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import type { NutritionFacts } from "../../../../server/engines/allergens/schema/nutrition.ts";
import { NutritionFacts as Schema } from "../../../../server/engines/allergens/schema/nutrition.ts";
import { calculateRecipe } from "../../../../server/engines/allergens/rules/nutrition/recipe.ts";
import type { Recipe, RecipeResult } from "../../../../server/engines/allergens/rules/nutrition/recipe.ts";
import { seeded } from "../../../seeded.ts";
import { decimals, facts } from "./facts.ts";

const part = (name: string, quantity: number, given: Partial<NutritionFacts>) => ({
  name,
  quantity_g: quantity,
  nutrition: facts(given),
});
function calculate(ingredients: Recipe["ingredients"], more: Partial<Recipe> = {}): RecipeResult {
  const result = calculateRecipe({ ingredients, is_drink: false, ...more });
  if ("fault" in result) throw new Error(result.fault);
  return result;
}

const flour = part("flour", 300, { carbohydrate: 75, sugars: 1, protein: 10, fat: 1, salt: 0, fibre: 3 });
const butter = part("butter", 200, {
  fat: 82,
  saturates: 52,
  protein: 0.5,
  carbohydrate: 0.5,
  salt: 1.5,
  fibre: 0,
});
const sugar = part("sugar", 100, { carbohydrate: 100, sugars: 100, salt: 0, fibre: 0 });

describe("calculateRecipe", () => {
  it("sums shortbread and divides by what it weighs baked", () => {
    const { facts: baked, rawG, finalG, incomplete } = calculate([flour, butter, sugar], { yield_g: 540 });
    expect([rawG.toNumber(), finalG.toNumber(), incomplete]).toEqual([600, 540, []]);
    expect(baked).toMatchObject({
      basis: "per_100g",
      fat: 30.925926,
      saturates: 19.259259,
      carbohydrate: 60.37037,
      sugars: 19.074074,
      protein: 5.740741,
      fibre: 1.666667,
      salt: 0.555556,
      source: "calculated",
      as_prepared: true,
    });
    expect(Schema.safeParse(baked).error).toBeUndefined();
  });

  it("takes a loss of weight in percent for the same", () => {
    expect(calculate([flour, butter, sugar], { weight_loss_percent: 10 }).facts).toEqual(
      calculate([flour, butter, sugar], { yield_g: 540 }).facts,
    );
  });

  it("keeps the weight unless told", () => {
    expect(calculate([flour, butter]).finalG.toNumber()).toBe(500);
  });

  it("never takes what is not known for nothing", () => {
    const { facts: mixed, incomplete } = calculate([
      part("oats", 100, {
        carbohydrate: 60,
        fibre: 10,
        salt: 0,
        micros: { iron: { amount: 4, unit: "mg" } },
      }),
      part("honey", 100, { carbohydrate: 80, sugars: 80 }),
    ]);
    expect(mixed).not.toHaveProperty("fibre");
    expect(mixed).not.toHaveProperty("salt");
    expect(mixed).not.toHaveProperty("micros");
    expect(incomplete).toEqual([
      { field: "fibre", missing_in: ["honey"] },
      { field: "salt", missing_in: ["honey"] },
      { field: "micros.iron", missing_in: ["honey"] },
    ]);
  });

  it("adds vitamins and minerals in whatever unit they come", () => {
    const iron = (amount: number, unit: "mg" | "ug") => ({ micros: { iron: { amount, unit } } });
    const { facts: mixed } = calculate([part("a", 50, iron(4, "mg")), part("b", 50, iron(2000, "ug"))]);
    expect(mixed.micros).toEqual({ iron: { amount: 3, unit: "mg" } });
  });

  it("takes an energy over only where every ingredient tells one", () => {
    const told = part("told", 50, { fat: 10, energy_kj: 400, energy_kcal: 95 });
    expect(calculate([told, told]).facts).toMatchObject({ energy_kj: 400, energy_kcal: 95 });
    expect(calculate([told, part("untold", 50, { fat: 10 })]).facts).not.toHaveProperty("energy_kj");
  });

  it("weighs what is measured by volume, and says which ingredient cannot be", () => {
    const milk = { basis: "per_100ml", fat: 3.708, density_g_per_ml: 1.03 } as const;
    expect(calculate([part("milk", 100, milk)]).facts.fat).toBe(3.6);
    const { density_g_per_ml: _, ...unweighed } = milk;
    expect(calculateRecipe({ ingredients: [flour, part("milk", 100, unweighed)], is_drink: false })).toEqual({
      fault: "density_required",
      index: 1,
    });
  });

  it("does not care for the order, and twice the recipe is the same food", () => {
    const arbitrary = fc.array(
      fc.record({
        quantity: fc.integer({ min: 1, max: 2000 }),
        fat: decimals(100, 2),
        protein: decimals(100, 2),
      }),
      { minLength: 1, maxLength: 6 },
    );
    fc.assert(
      fc.property(arbitrary, (rows) => {
        const parts = rows.map(({ quantity, ...given }, index) => part(`${index}`, quantity, given));
        const once = calculate(parts).facts;
        expect(calculate(parts.toReversed()).facts).toEqual(once);
        expect(calculate([...parts, ...parts]).facts).toEqual(once);
        const most = Math.max(...rows.map(({ fat }) => fat));
        expect(new Big(once.fat).lte(most)).toBe(true);
      }),
      seeded(300),
    );
  });
});
