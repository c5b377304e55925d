import { conflict, conflictWhen, invalidField, unprocessableWhen } from "../../../lib/errors.ts";
import type { Ctx } from "../../../core/route.ts";
import { defineRoute, ok } from "../../../core/route.ts";
import { products } from "../repository.ts";
import { exampleFacts } from "../schema/nutrition.ts";
import type { NutritionFacts } from "../schema/nutrition.ts";
import { SCORE_MODELS, ScoreAnswer, ScoreRequest } from "../schema/score.ts";
import type { FactsPlace } from "./nutrition-answer.ts";
import { basisErrors } from "./nutrition-answer.ts";
import { SCORERS } from "./score-models.ts";

const scoreNutrition = defineRoute({
  id: "allergens.nutrition.score",
  method: "POST",
  path: "/nutrition/score",
  scope: "read",
  summary: "Score a food: UK nutrient profile, traffic lights or Nutri-Score",
  description:
    "npm_2004 is the UK nutrient profiling model that advertising and promotion law rests on. Its successor of 2018 " +
    "is not offered: its table of thresholds could not be verified.",
  body: ScoreRequest,
  data: ScoreAnswer,
  errors: [
    { type: "not_found", when: "No such product" },
    unprocessableWhen("model_unknown", "There is no such model here"),
    unprocessableWhen(
      "nutrient_missing",
      "The facts lack a nutrient without which the score would come out too good",
    ),
    conflictWhen("nutrition_missing", "The product has no nutrition facts"),
    ...basisErrors,
  ],
  example: {
    body: {
      model: "npm_2004",
      nutrition: exampleFacts,
    },
  },
  handle: async ({ body }, ctx) => {
    const model = SCORE_MODELS.find((known) => known === body.model);
    if (model === undefined) throw unknownModel(body.model);
    const facts = await readFacts(body, ctx);
    const place: FactsPlace =
      body.nutrition === undefined ? { from: "named_product" } : { from: "body", path: ["nutrition"] };
    return ok({ model, ...SCORERS[model]({ facts, place }, body) });
  },
});

function unknownModel(model: string): Error {
  const reason =
    model === "npm_2018"
      ? "The thresholds of the nutrient profiling model 2018 could not be verified, so it is not offered."
      : "No such model.";
  return invalidField(["model"], `${reason} Known are ${SCORE_MODELS.join(", ")}.`, "model_unknown");
}

async function readFacts(
  { product_id: productId, nutrition }: ScoreRequest,
  { tx }: Ctx,
): Promise<NutritionFacts> {
  if (nutrition !== undefined) return nutrition;
  const { value } = await tx.require(products, productId ?? "");
  if (value.nutrition !== null) return value.nutrition;
  throw conflict(
    "nutrition_missing",
    "The product has no nutrition facts yet. Give them with PUT /v1/allergens/products/{id}/nutrition.",
  );
}

export const scoreRoutes = [scoreNutrition];
