import { z } from "zod";

import { Id } from "../../../core/schema.ts";
import { MODE_IDS } from "../data/modes.ts";
import { findFactErrors } from "../rules/nutrition/check-facts.ts";
import { NutritionFields } from "./nutrition-fields.ts";

/** Nutrition facts of a product; refused with one error per member that cannot be true. */
export const NutritionFacts = NutritionFields.superRefine((facts, ctx) => {
  for (const { path, detail } of findFactErrors(facts)) {
    ctx.addIssue({ code: "custom", path: [...path], message: detail });
  }
});
export type NutritionFacts = z.output<typeof NutritionFacts>;

export const exampleFacts = {
  basis: "per_100g",
  portion: { size: 25, unit: "g", servings_per_pack: 8, name: "1 finger" },
  fat: 28.1,
  saturates: 17.5,
  carbohydrate: 57.7,
  sugars: 17.2,
  fibre: 1.9,
  protein: 5.5,
  salt: 0.64,
  is_drink: false,
  as_prepared: false,
  source: "laboratory",
} as const;

/** An amount that is improbable but not impossible: stored all the same, and reported with every panel. */
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
export type ShownRow = z.output<typeof PanelRowView>;

export const PanelView = z.object({
  mode: z.enum(MODE_IDS),
  per: z.enum(["100", "portion"]),
  basis: z.string(),
  source: z.string(),
  percent_name: z.string(),
  percent_note: z.string().nullable(),
  rows: z.array(PanelRowView),
  missing: z.array(z.string()).meta({ description: "Rows that this mode requires and the facts lack" }),
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
export type CalorieLabel = z.output<typeof CalorieLabelView>;

/** How a panel is asked for; `mode` and `per` have defaults of their own. */
export const panelFields = {
  mode: z.enum(MODE_IDS).optional().meta({ description: "Default: the default mode of the settings" }),
  per: z
    .enum(["100", "portion"])
    .optional()
    .meta({ description: "Per 100 g or ml, or per portion. Default: the basis of the mode" }),
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
  missing_ingredients: z.array(z.string()).meta({
    description:
      "Ingredients without quantity_g or facts, which keep the nutrition of a recipe from being calculated",
  }),
  panel: PanelView.nullable(),
  calorie_label: CalorieLabelView.nullable().meta({
    description: "What a menu in England shows (SI 2021/909); null without a portion",
  }),
  warnings: z.array(NutritionWarning),
});
