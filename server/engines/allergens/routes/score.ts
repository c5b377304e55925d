import { conflict, conflictWhen, invalidField, unprocessableWhen } from "../../../lib/errors.ts";
import type { Ctx } from "../../../core/route.ts";
import { ok } from "../../../core/reply.ts";
import { defineRoute } from "../../../core/route.ts";
import { products } from "../repository.ts";
import { exampleFacts } from "../schema/nutrition.ts";
import type { NutritionFacts } from "../schema/nutrition.ts";
import { SCORE_MODELS, ScoreAnswer, ScoreRequest } from "../schema/score.ts";
import type { FactsPlace } from "./nutrition-answer.ts";
import { basisErrors, basisProblem, factsProblem } from "./nutrition-answer.ts";
import { Big } from "big.js";
import type { Target } from "../rules/nutrition/basis.ts";
import { rebase } from "../rules/nutrition/basis.ts";
import type { ScoreAmounts } from "../rules/nutrition/score-input.ts";
import { readScoreAmounts } from "../rules/nutrition/score-input.ts";
import { scoreNpm } from "../rules/nutrition/score-npm.ts";
import { scoreNutri } from "../rules/nutrition/score-nutri.ts";
import { trafficLights } from "../rules/nutrition/score-traffic-lights.ts";

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

/** Facts to score, and where a refusal points. */
interface Food {
  readonly facts: NutritionFacts;
  readonly place: FactsPlace;
}

type Scorer = (food: Food, request: ScoreRequest) => Omit<ScoreAnswer, "model">;

/** What each model makes of a food. Throws 422 when the facts do not reach its basis or lack what it needs. */
const SCORERS: Readonly<Record<(typeof SCORE_MODELS)[number], Scorer>> = {
  npm_2004({ facts, place }, { fibre_method: fibreMethod }) {
    const { amounts, assumed } = amountsFor({ facts, place }, "100g");
    const score = scoreNpm({
      amounts,
      fruitVegNuts: new Big(facts.fvn_percent ?? 0),
      fibreMethod,
      isDrink: facts.is_drink,
    });
    return {
      source: "UK nutrient profiling model 2004/05 (Department of Health technical guidance, 2011)",
      basis: "per 100 g",
      ...scored(score),
      assumed: withMissing(assumed, "fvn_percent", facts.fvn_percent),
    };
  },
  traffic_light({ facts, place }) {
    const target = facts.is_drink ? "100ml" : "100g";
    const { amounts } = amountsFor({ facts, place }, target);
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
        portionSize: portionSize({ facts, place }, target),
        isDrink: facts.is_drink,
      }),
      assumed: [],
    };
  },
  nutri_score_2023({ facts, place }, { category: named, non_nutritive_sweeteners: hasSweeteners }) {
    const category = named ?? (facts.is_drink ? "beverage" : "general");
    const isBeverage = category === "beverage" || category === "water";
    const { amounts, assumed } = amountsFor({ facts, place }, isBeverage ? "100ml" : "100g");
    const score = scoreNutri({
      amounts,
      category,
      fruitVegLegumes: new Big(facts.fvl_percent ?? 0),
      hasSweeteners,
    });
    return {
      source: "Nutri-Score as updated in 2022 and 2023 (Santé publique France)",
      basis: isBeverage ? "per 100 ml" : "per 100 g",
      ...scored(score),
      assumed: withMissing(assumed, "fvl_percent", facts.fvl_percent),
    };
  },
};

const scored = ({
  score,
  class: grade,
  protein_counted,
  negative,
  positive,
}: ReturnType<typeof scoreNpm | typeof scoreNutri>) => ({
  score,
  class: grade,
  protein_counted,
  negative,
  positive,
  lights: [],
});

function amountsFor({ facts, place }: Food, target: Target): ScoreAmounts {
  const read = readScoreAmounts(facts, target);
  if ("fault" in read) throw basisProblem(read.fault, place);
  if (!("missing" in read)) return read;
  throw factsProblem(place, {
    member: read.missing,
    detail: "Needed for this score: leaving it out would make the food look better than it is.",
    code: "nutrient_missing",
  });
}

const withMissing = (assumed: readonly string[], member: string, value: number | undefined): string[] =>
  value === undefined ? [...assumed, member] : [...assumed];

/** The portion in the unit of the answer; null where there is none. */
function portionSize({ facts, place }: Food, target: Target): Big | null {
  if (facts.portion === undefined) return null;
  const portion = rebase(facts, "portion");
  const hundred = rebase(facts, target);
  if ("fault" in portion) throw basisProblem(portion.fault, place);
  if ("fault" in hundred) throw basisProblem(hundred.fault, place);
  const { times, over } = portion.factor;
  return times.times(hundred.factor.over).times(100).div(over.times(hundred.factor.times));
}
