import { z } from "zod";

import { Id } from "../../../core/schema.ts";
import { MODE_IDS } from "../data/modes.ts";
import { MICRO_CODES } from "../data/nutrition/micronutrients.ts";
import { findFactErrors } from "../rules/nutrition/check-facts.ts";

/**
 * Amounts are JSON numbers, stored as they were given and never rounded: a double keeps any decimal of up to 15
 * digits, and big.js reads a number by its shortest decimal text, so 0.118 is 0.118 in every calculation.
 * Strings would buy nothing but work for each caller.
 */
const Grams = z.number().min(0).max(100_000);
const gram = (description: string) => Grams.meta({ description: `${description}, g` });

export const Portion = z.strictObject({
  size: z.number().positive().max(100_000),
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
  energy_kj: Grams.optional().meta({ description: "kJ; worked out from the nutrients unless given" }),
  energy_kcal: Grams.optional().meta({ description: "kcal; worked out from the nutrients unless given" }),
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
  salt: gram("Salt (sodium × 2.5); worked out from the sodium unless given").optional(),
  sodium_mg: Grams.optional().meta({ description: "Sodium, mg; worked out from the salt unless given" }),
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
const NutritionFields = z.strictObject({
  basis: z.enum(["per_100g", "per_100ml", "per_portion"]),
  portion: Portion.optional().meta({ description: "Required when the basis is per_portion" }),
  density_g_per_ml: z
    .number()
    .positive()
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

/** Nutrition facts of a product; refused with one error per member that cannot be true. */
export const NutritionFacts = NutritionFields.superRefine((facts, ctx) => {
  for (const { path, detail } of findFactErrors(facts)) {
    ctx.addIssue({ code: "custom", path: [...path], message: detail });
  }
});
export type NutritionFacts = z.output<typeof NutritionFacts>;

/** An amount that is improbable but not impossible: stored all the same, and told with every panel. */
export const NutritionWarning = z.object({ field: z.string(), code: z.string(), detail: z.string() });
export type NutritionWarning = z.output<typeof NutritionWarning>;

const PanelRowView = z.object({
  key: z.string(),
  label: z.string(),
  indent: z.union([z.literal(0), z.literal(1), z.literal(2)]),
  value: z.number().meta({ description: "Rounded as the mode's law says; stored facts never are" }),
  unit: z.enum(["kJ", "kcal", "g", "mg", "ug"]),
  is_below: z.boolean().meta({ description: "The amount is below value, as in <0.5 g" }),
  display: z.string(),
  alternatives: z.array(z.string()).meta({ description: "What the law lets the label say instead" }),
  percent: z
    .number()
    .nullable()
    .meta({ description: "Of the daily reference; null where the mode has none" }),
  percent_display: z.string().nullable(),
});

export const PanelView = z.object({
  mode: z.enum(MODE_IDS),
  per: z.enum(["100", "portion"]),
  basis: z.string(),
  source: z.string(),
  percent_name: z.string(),
  percent_note: z.string().nullable(),
  rows: z.array(PanelRowView),
  missing: z
    .array(z.string())
    .meta({ description: "Rows that this mode requires and the facts do not tell" }),
  omitted: z.array(z.string()).meta({ description: "Vitamins and minerals below the significant amount" }),
});
export type PanelView = z.output<typeof PanelView>;

const CalorieLabelView = z.object({
  kcal: z.int(),
  text: z.string(),
  portion: z.string(),
  statement: z.string(),
  is_required: z
    .boolean()
    .meta({ description: "By settings.calorie_labelling; no drink above 1.2 % alcohol" }),
  detail: z.string(),
});

/** How a panel is asked for; `mode` and `per` have defaults of their own. */
export const panelFields = {
  mode: z.enum(MODE_IDS).optional().meta({ description: "The settings' default mode unless given" }),
  per: z
    .enum(["100", "portion"])
    .optional()
    .meta({ description: "Per 100 g or ml, or per portion; the mode's own unless given" }),
  negligible: z.enum(["less_than", "zero", "trace"]).default("less_than").meta({
    description: "What to print where the law leaves a choice; trace is for menus, no panel has it",
  }),
  population: z
    .enum(["adults", "children_1_to_3"])
    .default("adults")
    .meta({ description: "Whose daily values; only us has those of children" }),
};

export const NutritionView = z.object({
  product_id: Id,
  nutrition: NutritionFacts.nullable(),
  panel: PanelView.nullable(),
  calorie_label: CalorieLabelView.nullable().meta({
    description: "What a menu in England shows (SI 2021/909); null without a portion",
  }),
  warnings: z.array(NutritionWarning),
});
