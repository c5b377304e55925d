import { z } from "zod";

import { invalidField, unprocessableWhen } from "../../../lib/errors.ts";
import { ok } from "../../../core/reply.ts";
import { defineRoute } from "../../../core/route.ts";
import type { Tx } from "../../../core/tx.ts";
import { giveWay, runInSlices } from "../../../lib/slices.ts";
import {
  exampleFacts,
  NutritionFacts,
  NutritionView,
  NutritionWarning,
  panelFields,
  PanelView,
} from "../schema/nutrition.ts";
import { LEAST, NutritionFields, Portion } from "../schema/nutrition-fields.ts";
import { products, readSettings, requireShown } from "../repository.ts";
import { calorieLabel } from "../rules/nutrition/calorie-label.ts";
import { findFactErrors } from "../rules/nutrition/check-facts.ts";
import type { RecipeResult } from "../rules/nutrition/recipe.ts";
import { productSteps } from "../rules/nutrition/product-recipe.ts";
import { recipeSteps } from "../rules/nutrition/recipe.ts";
import type { Product } from "../schema.ts";
import type { Settings } from "../schema/settings.ts";
import type { PanelWish } from "./nutrition-answer.ts";
import { answerPanel, basisErrors, basisProblem, warningsOf } from "./nutrition-answer.ts";
import { readUsed } from "./resolve-lines.ts";
import { saveProduct } from "./save-product.ts";
import { scoreRoutes } from "./score.ts";

const PanelQuery = z.object(panelFields);

const getNutrition = defineRoute({
  id: "allergens.nutrition.get",
  method: "GET",
  path: "/products/:id/nutrition",
  open: "public",
  summary: "Show the nutrition facts of a product and its panel",
  description:
    "The facts are as they were given; the panel is rounded, ordered and set against daily values as the mode's law " +
    "says. A product without facts has null for both.",
  query: PanelQuery,
  data: NutritionView,
  errors: [...basisErrors],
  example: {
    params: { id: "prd_01JD8Z5T9QK3M4N5P6R7S8T9V0" },
    query: { mode: "uk" },
  },
  handle: async ({ params, query }, ctx) => {
    const { value } = await requireShown(ctx.tx, params.id, ctx.isPublic);
    await giveWay(ctx.tx.part);
    return ok({
      ...viewOf(value, query, await readSettings(ctx.tx)),
      // What is missing is for the shop, not for its guests.
      missing_ingredients: ctx.isPublic ? [] : await missingIn(ctx.tx, value),
    });
  },
});

async function missingIn(tx: Tx, product: Product): Promise<string[]> {
  const library = await readUsed(tx, product.ingredients);
  const { missing } = await runInSlices(
    productSteps(product, (id) => library.get(id)?.nutrition),
    tx.part,
  );
  return [...missing];
}

const putNutrition = defineRoute({
  id: "allergens.nutrition.set",
  method: "PUT",
  path: "/products/:id/nutrition",
  summary: "Replace the nutrition facts of a product",
  description:
    "Energy may be omitted: it is calculated from the nutrients, in kJ and kcal separately. Of salt and sodium one is " +
    "enough. Facts are stored as sent and never rounded. They replace a recipe.",
  body: NutritionFacts,
  data: NutritionView,
  example: {
    params: { id: "prd_01JD8Z5T9QK3M4N5P6R7S8T9V0" },
    body: exampleFacts,
  },
  handle: async ({ params, body }, ctx) => {
    const before = await ctx.current(products, params.id);
    const settings = await readSettings(ctx.tx);
    const { value } = await saveProduct(
      ctx,
      before,
      { ...before.value, nutrition: body, ...(before.value.recipe === undefined ? {} : { recipe: null }) },
      { kind: "nutrition_changed", mode: settings.default_mode, by: null },
    );
    // The panel of the answer is per 100 whatever the mode, so that facts without a portion can be stored.
    return ok(viewOf(value, { per: "100" }, settings));
  },
});

const CALCULATE_LIMITS = { ingredients: 200, quantityG: 1_000_000 } as const;
const Weight = z.number().min(LEAST).max(CALCULATE_LIMITS.quantityG);

const CalculateRequest = z
  .strictObject({
    nutrition: NutritionFacts.optional(),
    ingredients: z
      .array(
        z.strictObject({
          name: z.string().trim().min(1).max(200),
          quantity_g: Weight,
          nutrition: NutritionFacts,
        }),
      )
      .min(1)
      .max(CALCULATE_LIMITS.ingredients)
      .optional()
      .meta({ description: "A recipe in place of nutrition" }),
    yield_g: Weight.optional().meta({ description: "What the recipe weighs when it is done" }),
    weight_loss_percent: z
      .number()
      .min(0)
      .max(99)
      .optional()
      .meta({ description: "Water lost in making it; in place of yield_g" }),
    portion: Portion.optional().meta({ description: "Portion of the finished recipe" }),
    is_drink: z.boolean().default(false),
    ...panelFields,
  })
  .superRefine(({ nutrition, ingredients, yield_g: yieldG, weight_loss_percent: loss }, ctx) => {
    const refuse = (member: string, message: string): void => {
      ctx.addIssue({ code: "custom", path: [member], message });
    };
    if ((nutrition === undefined) === (ingredients === undefined)) {
      refuse("nutrition", "Specify either nutrition or ingredients.");
    }
    if (yieldG !== undefined && loss !== undefined) {
      refuse("weight_loss_percent", "Specify either yield_g or weight_loss_percent.");
    }
  });

const CalculateAnswer = z.object({
  nutrition: NutritionFacts,
  panel: PanelView,
  calorie_label: NutritionView.shape.calorie_label,
  raw_g: z.number().nullable(),
  final_g: z.number().nullable(),
  incomplete: z.array(z.object({ field: z.string(), missing_in: z.array(z.string()) })).meta({
    description: "Nutrients that only some ingredients have: unknown for the whole, never taken as zero",
  }),
  warnings: z.array(NutritionWarning),
});

const calculate = defineRoute({
  id: "allergens.nutrition.calculate",
  method: "POST",
  path: "/nutrition/calculate",
  scope: "read",
  summary: "Work out the nutrition of a recipe, or the panel of given facts",
  description:
    "Send facts as nutrition, or a recipe as ingredients; returned are facts per 100 g of the finished recipe, or as sent. " +
    "Nutrients of the ingredients are summed and divided by the final weight; what is lost in cooking is taken to be " +
    "water. A recipe of about 200 ingredients fits the limit of a request.",
  body: CalculateRequest,
  data: CalculateAnswer,
  errors: [
    ...basisErrors,
    unprocessableWhen(
      "result_impossible",
      "The recipe gives what no food can hold, as when its yield is less than its dry matter",
    ),
  ],
  example: {
    body: {
      nutrition: exampleFacts,
      mode: "uk",
    },
  },
  handle: async ({ body }, ctx) => {
    const settings = await readSettings(ctx.tx);
    const { facts, rawG, finalG, incomplete } = await runInSlices(foodSteps(body), ctx.tx.part);
    return ok({
      nutrition: facts,
      panel: answerPanel(
        facts,
        { ...body, mode: body.mode ?? settings.default_mode },
        { from: "body", path: body.nutrition === undefined ? [] : ["nutrition"] },
      ),
      calorie_label: calorieLabel(facts, settings.calorie_labelling),
      raw_g: rawG?.toNumber() ?? null,
      final_g: finalG?.toNumber() ?? null,
      incomplete: [...incomplete],
      warnings: warningsOf(facts),
    });
  },
});

type Food = Omit<RecipeResult, "rawG" | "finalG"> & {
  readonly rawG: RecipeResult["rawG"] | null;
  readonly finalG: RecipeResult["finalG"] | null;
};

function* foodSteps(body: z.output<typeof CalculateRequest>): Generator<undefined, Food> {
  const { nutrition, ingredients } = body;
  if (nutrition !== undefined) return { facts: nutrition, rawG: null, finalG: null, incomplete: [] };
  const result = yield* recipeSteps({ ...body, ingredients: ingredients ?? [] });
  if ("fault" in result)
    throw basisProblem(result.fault, { from: "body", path: ["ingredients", result.index, "nutrition"] });
  const beyond = NutritionFields.safeParse(result.facts).error?.issues[0];
  const impossible =
    findFactErrors(result.facts)[0]?.detail ??
    (beyond && `${beyond.path.join(".")}: ${beyond.message.replace(/\.?$/, ".")}`);
  if (impossible === undefined) return result;
  throw invalidField(
    [body.yield_g === undefined ? "weight_loss_percent" : "yield_g"],
    `The finished food could not exist. ${impossible}`,
    "result_impossible",
  );
}

function viewOf(
  { id, nutrition }: Product,
  wish: PanelWish,
  settings: Settings,
): z.input<typeof NutritionView> {
  if (nutrition === null) {
    return {
      product_id: id,
      nutrition,
      missing_ingredients: [],
      panel: null,
      calorie_label: null,
      warnings: [],
    };
  }
  return {
    product_id: id,
    nutrition,
    missing_ingredients: [],
    panel: answerPanel(
      nutrition,
      { ...wish, mode: wish.mode ?? settings.default_mode },
      { from: "path_product" },
    ),
    calorie_label: calorieLabel(nutrition, settings.calorie_labelling),
    warnings: warningsOf(nutrition),
  };
}

export const nutritionRoutes = [getNutrition, putNutrition, calculate, ...scoreRoutes];
