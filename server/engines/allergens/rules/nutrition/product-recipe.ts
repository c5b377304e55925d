import type { NutritionFacts } from "../../schema/nutrition-fields.ts";
import type { IngredientLine } from "../../schema/ingredient.ts";
import type { Product } from "../../schema.ts";
import { findFactErrors } from "./check-facts.ts";
import { recipeSteps } from "./recipe.ts";

/** Facts of library ingredients by id; null or absent: unknown. */
export type FactsOf = (ingredientId: string) => NutritionFacts | null | undefined;

/** What a recipe comes to, or the names of the ingredients that keep it from being calculated. */
export interface CalculatedNutrition {
  readonly nutrition: NutritionFacts | null;
  readonly missing: readonly string[];
}

type Made = Pick<Product, "ingredients" | "recipe">;

/**
 * The nutrition of a product from its recipe, in steps of one ingredient. Every ingredient needs its weight and its facts: one that is unknown makes
 * the whole unknown. An ingredient of the library without facts of its own is calculated from what it is made of, where
 * all of that has weights and facts. Water has none.
 */
export function* productSteps(
  { ingredients, recipe }: Made,
  factsOf: FactsOf,
): Generator<undefined, CalculatedNutrition> {
  if (recipe === null || recipe === undefined || ingredients.length === 0)
    return { nutrition: null, missing: [] };
  const parts: { readonly line: IngredientLine; readonly facts: NutritionFacts | null }[] = [];
  for (const line of ingredients) parts.push({ line, facts: yield* lineSteps(line, factsOf) });
  const missing = parts
    .filter(({ line, facts }) => line.quantity_g === null || facts === null)
    .map(({ line }) => line.name);
  const known = parts.flatMap(({ line: { name, quantity_g: quantity }, facts }) =>
    quantity === null || facts === null ? [] : [{ name, quantity_g: quantity, nutrition: facts }],
  );
  if (missing.length > 0) return { nutrition: null, missing };
  const result = yield* recipeSteps({ ...recipe, ingredients: known });
  if ("fault" in result) return { nutrition: null, missing: [known[result.index]?.name ?? ""] };
  // A yield below the dry matter gives what no food can contain.
  const isPossible = findFactErrors(result.facts).length === 0;
  return isPossible ? { nutrition: result.facts, missing: [] } : { nutrition: null, missing: ["yield_g"] };
}

function* lineSteps(line: IngredientLine, factsOf: FactsOf): Generator<undefined, NutritionFacts | null> {
  if (/^water$/iu.test(line.name.trim())) return WATER;
  const own = line.ingredient_id === null ? null : (factsOf(line.ingredient_id) ?? null);
  if (own !== null || line.sub_ingredients.length === 0) return own;
  const recipe = { is_drink: false };
  const { nutrition } = yield* productSteps({ ingredients: line.sub_ingredients, recipe }, factsOf);
  return nutrition;
}

const WATER: NutritionFacts = {
  basis: "per_100g",
  energy_kj: 0,
  energy_kcal: 0,
  fat: 0,
  saturates: 0,
  carbohydrate: 0,
  sugars: 0,
  fibre: 0,
  protein: 0,
  salt: 0,
  is_drink: false,
  as_prepared: false,
  source: "manual",
};
