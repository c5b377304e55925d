import { z } from "zod";

import { Claim, Declaration } from "../schema/declaration.ts";
import { LineInput } from "../schema/ingredient.ts";
import { SaleType } from "../schema.ts";
import { NutritionFacts } from "../schema/nutrition.ts";
import recipes from "./demo-recipes.json" with { type: "json" };

const DemoRecipe = z.strictObject({
  title: z.string(),
  sale_type: SaleType,
  /** Keys of the library with their share, or ingredients of this recipe alone. */
  lines: z.array(z.union([z.tuple([z.string(), z.number()]), z.tuple([z.string()]), LineInput])),
  warns: z.array(z.strictObject({ code: Declaration.shape.code, note: z.string() })).optional(),
  amounts: z.partialRecord(Declaration.shape.code, z.number()).optional(),
  claims: z.array(Claim).optional(),
  nutrition: NutritionFacts.optional(),
  /** Default: verified; `null`: not verified yet. */
  verified_days_ago: z.int().nullable().optional(),
  /** Days since the recipe changed after it was verified. */
  changed_days_ago: z.int().optional(),
});
export type DemoRecipe = z.output<typeof DemoRecipe>;

/**
 * What the bakery and its kitchen sell (`demo-recipes.json`), in the order of the list; keys that the menus' demo has too
 * mean the same.
 */
export const RECIPE_KEYS = Object.keys(recipes);
export const demoRecipes = () => z.record(z.string(), DemoRecipe).parse(recipes);
