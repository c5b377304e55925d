import { Big } from "big.js";
import { z } from "zod";

import { fail, invalidField } from "../../../kernel/errors.ts";
import type { Ctx } from "../../../kernel/route.ts";
import { defineRoute, ok } from "../../../kernel/route.ts";
import { Id } from "../../../kernel/schema.ts";
import { ComponentView, LightView, NutritionFacts } from "../schema/nutrition.ts";
import { products } from "../repository.ts";
import type { Target } from "../rules/nutrition/basis.ts";
import { rebase } from "../rules/nutrition/basis.ts";
import type { ScoreAmounts } from "../rules/nutrition/score-input.ts";
import { readScoreAmounts } from "../rules/nutrition/score-input.ts";
import { scoreNpm } from "../rules/nutrition/score-npm.ts";
import { scoreNutri } from "../rules/nutrition/score-nutri.ts";
import { trafficLights } from "../rules/nutrition/score-traffic-lights.ts";
import { basisErrors, basisProblem } from "./nutrition-answer.ts";
import { exampleFacts } from "./nutrition-examples.ts";

const MODELS = ["npm_2004", "traffic_light", "nutri_score_2023"] as const;

const Request = z
  .strictObject({
    model: z
      .string()
      .min(1)
      .max(40)
      .meta({ description: `${MODELS.join(", ")}; more may follow`, examples: [...MODELS] }),
    product_id: Id.optional().meta({ description: "A product with nutrition facts" }),
    nutrition: NutritionFacts.optional().meta({ description: "Facts to score; in place of product_id" }),
    category: z
      .enum(["general", "red_meat", "cheese", "fats_oils_nuts", "beverage", "water"])
      .optional()
      .meta({
        description: "nutri_score_2023: its category; beverage for drinks and general else unless given",
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
      ctx.addIssue({ code: "custom", path: ["nutrition"], message: "Give either nutrition or product_id." });
    }
  });
type Request = z.output<typeof Request>;

const Answer = z.object({
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
    description:
      "Members that the facts do not tell, counted as nothing; telling them can only better the score",
  }),
});
type Answer = z.output<typeof Answer>;

const scoreNutrition = defineRoute({
  id: "allergens.nutrition.score",
  method: "POST",
  path: "/nutrition/score",
  scope: "read",
  summary: "Score a food: UK nutrient profile, traffic lights or Nutri-Score",
  description:
    "npm_2004 is the UK nutrient profiling model that advertising and promotion law rests on. Its successor of 2018 " +
    "is not offered: its table of thresholds could not be verified.",
  body: Request,
  data: Answer,
  errors: [
    { type: "not_found", when: "No such product" },
    { type: "unprocessable_content", code: "model_unknown", when: "There is no such model here" },
    {
      type: "unprocessable_content",
      code: "nutrient_missing",
      when: "The facts lack a nutrient without which the score would come out too good",
    },
    { type: "conflict", code: "nutrition_missing", when: "The product has no nutrition facts" },
    ...basisErrors,
  ],
  example: {
    body: { model: "npm_2004", nutrition: exampleFacts },
    data: {
      model: "npm_2004",
      source: "UK nutrient profiling model 2004/05 (Department of Health technical guidance, 2011)",
      basis: "per 100 g",
      score: 20,
      class: "less_healthy",
      protein_counted: false,
      negative: [
        {
          component: "energy_kj",
          value: 2129.3,
          unit: "kJ",
          points: 6,
          max: 10,
          detail: "2129.3 kJ is more than 2010 and not more than 2345: 6 points.",
        },
        {
          component: "saturates",
          value: 17.5,
          unit: "g",
          points: 10,
          max: 10,
          detail: "17.5 g is more than 10: 10 points.",
        },
        {
          component: "sugars",
          value: 17.2,
          unit: "g",
          points: 3,
          max: 10,
          detail: "17.2 g is more than 13.5 and not more than 18: 3 points.",
        },
        {
          component: "sodium_mg",
          value: 256,
          unit: "mg",
          points: 2,
          max: 10,
          detail: "256 mg is more than 180 and not more than 270: 2 points.",
        },
      ],
      positive: [
        {
          component: "fruit_veg_nuts",
          value: 0,
          unit: "%",
          points: 0,
          max: 5,
          detail: "0 % is not more than 40: 0 points.",
        },
        {
          component: "fibre",
          value: 1.9,
          unit: "g",
          points: 1,
          max: 5,
          detail: "1.9 g is more than 0.9 and not more than 1.9: 1 point.",
        },
        {
          component: "protein",
          value: 5.5,
          unit: "g",
          points: 0,
          max: 5,
          detail:
            "5.5 g is more than 4.8 and not more than 6.4: 3 points. Not counted: 21 A points (11 or more) and " +
            "fruit, vegetables and nuts below 5 points.",
        },
      ],
      lights: [],
      assumed: ["fvn_percent"],
    },
  },
  handle: async ({ body }, ctx) => {
    const model = MODELS.find((known) => known === body.model);
    if (model === undefined) throw unknownModel(body.model);
    const facts = await readFacts(body, ctx);
    return ok({ model, ...SCORERS[model](facts, body) });
  },
});

function unknownModel(model: string): Error {
  const reason =
    model === "npm_2018"
      ? "The thresholds of the nutrient profiling model 2018 could not be verified, so it is not offered."
      : "No such model.";
  return invalidField(["model"], `${reason} Known are ${MODELS.join(", ")}.`, "model_unknown");
}

async function readFacts(
  { product_id: productId, nutrition }: Request,
  { tx }: Ctx,
): Promise<NutritionFacts> {
  if (nutrition !== undefined) return nutrition;
  const { value } = await tx.require(products, productId ?? "");
  if (value.nutrition !== null) return value.nutrition;
  throw fail(
    "conflict",
    "The product has no nutrition facts yet. Give them with PUT /v1/allergens/products/{id}/nutrition.",
    { code: "nutrition_missing" },
  );
}

type Scorer = (facts: NutritionFacts, request: Request) => Omit<Answer, "model">;

const SCORERS: Readonly<Record<(typeof MODELS)[number], Scorer>> = {
  npm_2004(facts, { fibre_method: fibreMethod }) {
    const { amounts, assumed } = amountsFor(facts, "100g");
    const { negative, positive, ...rest } = scoreNpm({
      amounts,
      fruitVegNuts: new Big(facts.fvn_percent ?? 0),
      fibreMethod,
      isDrink: facts.is_drink,
    });
    return {
      source: "UK nutrient profiling model 2004/05 (Department of Health technical guidance, 2011)",
      basis: "per 100 g",
      score: rest.score,
      class: rest.class,
      protein_counted: rest.protein_counted,
      negative,
      positive,
      lights: [],
      assumed: withUntold(assumed, "fvn_percent", facts.fvn_percent),
    };
  },
  traffic_light(facts) {
    const target = facts.is_drink ? "100ml" : "100g";
    const { amounts } = amountsFor(facts, target);
    return {
      source: "Guide to creating a front of pack nutrition label (2016), tables 2 and 3",
      basis: facts.is_drink ? "per 100 ml" : "per 100 g",
      score: null,
      class: null,
      protein_counted: null,
      negative: [],
      positive: [],
      lights: trafficLights({
        per100: amounts,
        portionSize: portionSize(facts, target),
        isDrink: facts.is_drink,
      }),
      assumed: [],
    };
  },
  nutri_score_2023(facts, { category: named, non_nutritive_sweeteners: hasSweeteners }) {
    const category = named ?? (facts.is_drink ? "beverage" : "general");
    const isBeverage = category === "beverage" || category === "water";
    const { amounts, assumed } = amountsFor(facts, isBeverage ? "100ml" : "100g");
    const { negative, positive, ...rest } = scoreNutri({
      amounts,
      category,
      fruitVegLegumes: new Big(facts.fvl_percent ?? 0),
      hasSweeteners,
    });
    return {
      source: "Nutri-Score as updated in 2022 and 2023 (Santé publique France)",
      basis: isBeverage ? "per 100 ml" : "per 100 g",
      score: rest.score,
      class: rest.class,
      protein_counted: rest.protein_counted,
      negative,
      positive,
      lights: [],
      assumed: withUntold(assumed, "fvl_percent", facts.fvl_percent),
    };
  },
};

function amountsFor(facts: NutritionFacts, target: Target): ScoreAmounts {
  const read = readScoreAmounts(facts, target);
  if ("fault" in read) throw basisProblem(read.fault, ["nutrition"]);
  if (!("missing" in read)) return read;
  throw invalidField(
    ["nutrition", read.missing],
    "Needed for this score: leaving it out would make the food look better than it is.",
    "nutrient_missing",
  );
}

const withUntold = (assumed: readonly string[], member: string, value: number | undefined): string[] =>
  value === undefined ? [...assumed, member] : [...assumed];

/** The portion in the unit of the answer; null where there is none. */
function portionSize(facts: NutritionFacts, target: Target): Big | null {
  if (facts.portion === undefined) return null;
  const portion = rebase(facts, "portion");
  const hundred = rebase(facts, target);
  if ("fault" in portion) throw basisProblem(portion.fault, ["nutrition"]);
  if ("fault" in hundred) throw basisProblem(hundred.fault, ["nutrition"]);
  const { times, over } = portion.factor;
  return times.times(hundred.factor.over).times(100).div(over.times(hundred.factor.times));
}

export const scoreRoutes = [scoreNutrition];
