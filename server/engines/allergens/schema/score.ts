import { z } from "zod";

import { Id } from "../../../core/schema.ts";
import { NutritionFacts } from "./nutrition.ts";

export const SCORE_MODELS = ["npm_2004", "traffic_light", "nutri_score_2023"] as const;

export const ScoreRequest = z
  .strictObject({
    model: z
      .string()
      .min(1)
      .max(40)
      .meta({ description: `${SCORE_MODELS.join(", ")}; more may follow`, examples: [...SCORE_MODELS] }),
    product_id: Id.optional().meta({ description: "A product with nutrition facts" }),
    nutrition: NutritionFacts.optional(),
    category: z
      .enum(["general", "red_meat", "cheese", "fats_oils_nuts", "beverage", "water"])
      .optional()
      .meta({
        description: "nutri_score_2023: its category. Default: beverage for drinks, else general",
      }),
    fibre_method: z
      .enum(["aoac", "nsp"])
      .default("aoac")
      .meta({ description: "npm_2004: how the fibre was measured" }),
    non_nutritive_sweeteners: z
      .boolean()
      .default(false)
      .meta({ description: "nutri_score_2023: a beverage with non-nutritive sweeteners" }),
  })
  .superRefine(({ product_id: productId, nutrition }, ctx) => {
    if ((productId === undefined) === (nutrition === undefined)) {
      ctx.addIssue({
        code: "custom",
        path: ["nutrition"],
        message: "Specify either nutrition or product_id.",
      });
    }
  });
export type ScoreRequest = z.output<typeof ScoreRequest>;

const ComponentView = z.object({
  component: z.string(),
  value: z.number(),
  unit: z.string(),
  points: z.int(),
  max: z.int(),
  detail: z.string(),
});
export type Component = z.output<typeof ComponentView>;

const LightView = z.object({
  nutrient: z.enum(["fat", "saturates", "sugars", "salt"]),
  per_100: z.number(),
  per_portion: z.number().nullable(),
  light: z.enum(["green", "amber", "red"]),
  because: z.enum(["per_100", "per_portion"]),
  detail: z.string(),
});
export type Light = z.output<typeof LightView>;

export const ScoreAnswer = z.object({
  model: z.string(),
  source: z.string(),
  basis: z.string(),
  score: z.int().nullable().meta({ description: "Negative less positive points; null for traffic lights" }),
  class: z.string().nullable(),
  protein_counted: z.boolean().nullable(),
  negative: z.array(ComponentView),
  positive: z.array(ComponentView),
  lights: z.array(LightView),
  assumed: z.array(z.string()).meta({
    description: "Members that the facts lack, counted as zero; adding them can only improve the score",
  }),
});
export type ScoreAnswer = z.output<typeof ScoreAnswer>;
