import { z } from "zod";

import { MICRO_CODES } from "../data/nutrition/micronutrients.ts";

/**
 * Amounts are JSON numbers, stored as they were given and never rounded: a double keeps any decimal of up to 15
 * digits, and big.js reads a number by its shortest decimal text, so 0.118 is 0.118 in every calculation.
 * Strings would buy nothing but work for each caller.
 */
const Grams = z.number().min(0).max(100_000);
const gram = (description: string) => Grams.meta({ description: `${description}, g` });

/** What amounts are divided by: one of 1e-300 would make numbers of hundreds of digits of all the amounts. */
export const LEAST = 0.000001;

export const Portion = z.strictObject({
  size: z.number().min(LEAST).max(100_000),
  unit: z.enum(["g", "ml"]),
  servings_per_pack: z.number().positive().max(10_000).optional(),
  name: z.string().min(1).max(60).optional().meta({ description: "Household measure, as in 2 biscuits" }),
});
export type Portion = z.output<typeof Portion>;

const MicroAmount = z.strictObject({
  amount: z.number().min(0).max(1_000_000),
  unit: z.enum(["g", "mg", "ug"]),
});

/** What a nutrition declaration states, all of it for one `basis`. */
const nutrientFields = {
  energy_kj: Grams.optional().meta({ description: "kJ. Default: calculated from the nutrients" }),
  energy_kcal: Grams.optional().meta({ description: "kcal. Default: calculated from the nutrients" }),
  fat: gram("Total fat"),
  saturates: gram("Saturated fatty acids"),
  monounsaturates: gram("Monounsaturated fatty acids").optional(),
  polyunsaturates: gram("Polyunsaturated fatty acids").optional(),
  trans_fat: gram("Trans fatty acids").optional(),
  carbohydrate: gram("Carbohydrate without fibre, polyols included (FIC Annex I)"),
  sugars: gram("Total sugars, polyols excluded"),
  added_sugars: gram("Added sugars").optional(),
  free_sugars: gram("Free sugars").optional(),
  polyols: gram("Polyols, erythritol included").optional(),
  erythritol: gram("Erythritol").optional(),
  starch: gram("Starch").optional(),
  fibre: gram("Dietary fibre (AOAC)").optional(),
  protein: gram("Protein (N × 6.25)"),
  salt: gram("Salt (sodium × 2.5). Default: calculated from the sodium").optional(),
  sodium_mg: Grams.optional().meta({ description: "Sodium, mg. Default: calculated from the salt" }),
  cholesterol_mg: Grams.optional().meta({ description: "Cholesterol, mg" }),
  alcohol: gram("Ethanol").optional(),
  organic_acids: gram("Organic acids").optional(),
  salatrims: gram("Salatrims, apart from the fat").optional(),
  micros: z
    .partialRecord(z.enum(MICRO_CODES), MicroAmount)
    .optional()
    .meta({ description: "Vitamins and minerals by code" }),
};

/** The members of nutrition facts without the checks across members. */
export const NutritionFields = z.strictObject({
  basis: z.enum(["per_100g", "per_100ml", "per_portion"]),
  portion: Portion.optional().meta({ description: "Required when the basis is per_portion" }),
  density_g_per_ml: z
    .number()
    .min(LEAST)
    .max(20)
    .optional()
    .meta({ description: "Needed only to go from grams to millilitres or back" }),
  ...nutrientFields,
  fvn_percent: z.number().min(0).max(100).optional().meta({
    description: "Fruit, vegetables and nuts by weight, as the UK nutrient profiling model counts them",
  }),
  fvl_percent: z
    .number()
    .min(0)
    .max(100)
    .optional()
    .meta({ description: "Fruit, vegetables and legumes by weight, as Nutri-Score 2023 counts them" }),
  is_drink: z.boolean().default(false),
  as_prepared: z.boolean().default(false).meta({ description: "The figures are for the food as prepared" }),
  source: z.enum(["calculated", "laboratory", "manual"]).default("manual"),
});

/** Nutrition facts as they are stored; the checks across members are in `nutrition.ts`. */
export type NutritionFacts = z.output<typeof NutritionFields>;
