import { Big } from "big.js";

import { MICRO_CODES } from "../../data/nutrition/micronutrients.ts";
import type { NutritionFacts, Portion } from "../../schema/nutrition-fields.ts";
import type { AmountKey, Amounts } from "./amounts.ts";
import { addAmounts, fromUg, readAmounts, scaleAmounts } from "./amounts.ts";
import { NUTRIENTS } from "../../data/nutrition/nutrients.ts";
import { runAtOnce } from "../../../../lib/slices.ts";
import type { BasisFault } from "./basis.ts";
import { rebase } from "./basis.ts";

export interface RecipeIngredient {
  readonly name: string;
  readonly quantity_g: number;
  readonly nutrition: NutritionFacts;
}

export interface Recipe {
  readonly ingredients: readonly RecipeIngredient[];
  /** What the recipe weighs when it is done; else the raw weight less the loss. */
  readonly yield_g?: number | undefined;
  readonly weight_loss_percent?: number | undefined;
  readonly portion?: Portion | undefined;
  readonly is_drink: boolean;
}

export interface RecipeResult {
  /** Per 100 g of the finished food. */
  readonly facts: NutritionFacts;
  readonly rawG: Big;
  readonly finalG: Big;
  /** Nutrients that are known of some ingredients only, and so are not known of the whole. */
  readonly incomplete: readonly { readonly field: string; readonly missing_in: string[] }[];
}

/** The index of an ingredient whose facts cannot be brought to 100 g. */
export interface RecipeFault {
  readonly fault: BasisFault;
  readonly index: number;
}

const PLACES = 6;

/**
 * Nutrition of a recipe per 100 g of the finished food: the nutrients of the ingredients summed and divided by the
 * final weight. Cooking is taken to lose water alone (McCance and Widdowson's weight-loss method). A nutrient that
 * is unknown of one ingredient is unknown of the whole, never zero. Kept to a microgram.
 */
export const calculateRecipe = (recipe: Recipe): RecipeResult | RecipeFault => runAtOnce(recipeSteps(recipe));

/** The same in steps of one ingredient: hundreds of them with all nutrients take a quarter of a second. */
export function* recipeSteps(recipe: Recipe): Generator<undefined, RecipeResult | RecipeFault> {
  const parts: { name: string; amounts: Amounts }[] = [];
  let rawG = new Big(0);
  let total: Amounts | null = null;
  for (const [index, { name, quantity_g: quantity, nutrition }] of recipe.ingredients.entries()) {
    const based = rebase(nutrition, "100g");
    if ("fault" in based) return { ...based, index };
    const { times, over } = based.factor;
    const share = { times: times.times(quantity), over: over.times(100) };
    const amounts = scaleAmounts(readAmounts(nutrition), share);
    parts.push({ name, amounts });
    total = total === null ? amounts : addAmounts(total, amounts);
    rawG = rawG.plus(quantity);
    yield;
  }
  if (total === null) throw new Error("A recipe has at least one ingredient.");
  const finalG = finalWeight(rawG, recipe);
  return {
    facts: toFacts(scaleAmounts(total, { times: new Big(100), over: finalG }), recipe),
    rawG,
    finalG,
    incomplete: findIncomplete(parts, total),
  };
}

function finalWeight(rawG: Big, { yield_g: yieldG, weight_loss_percent: loss = 0 }: Recipe): Big {
  return yieldG === undefined ? rawG.times(new Big(100).minus(loss)).div(100) : new Big(yieldG);
}

/** What is worked out from other members, and so is not missed for itself. */
const DERIVED: ReadonlySet<string> = new Set(["energy_kj", "energy_kcal", "sodium_mg"]);
const MICROS: ReadonlySet<string> = new Set(MICRO_CODES);

function findIncomplete(
  parts: readonly { readonly name: string; readonly amounts: Amounts }[],
  total: Amounts,
): RecipeResult["incomplete"] {
  const known = new Set(parts.flatMap(({ amounts }) => [...amounts.keys()]));
  return [...known]
    .filter((key) => !total.has(key) && !DERIVED.has(key))
    .map((key) => ({
      field: MICROS.has(key) ? `micros.${key}` : key,
      missing_in: parts.filter(({ amounts }) => !amounts.has(key)).map(({ name }) => name),
    }));
}

/** Salt is kept and sodium left out: each is worked out from the other. */
function toFacts(amounts: Amounts, { portion, is_drink: isDrink }: Recipe): NutritionFacts {
  const number = (key: AmountKey): number => (amounts.get(key) ?? new Big(0)).round(PLACES).toNumber();
  const given = (["energy_kj", "energy_kcal", ...NUTRIENTS] as const).filter(
    (key) => amounts.has(key) && key !== "sodium_mg",
  );
  const micros = MICRO_CODES.filter((code) => amounts.has(code)).map((code) => [
    code,
    {
      amount: fromUg(amounts.get(code) ?? new Big(0), "mg")
        .round(PLACES)
        .toNumber(),
      unit: "mg" as const,
    },
  ]);
  return {
    basis: "per_100g",
    ...(portion === undefined ? {} : { portion }),
    fat: number("fat"),
    saturates: number("saturates"),
    carbohydrate: number("carbohydrate"),
    sugars: number("sugars"),
    protein: number("protein"),
    ...Object.fromEntries(given.map((key) => [key, number(key)])),
    ...(micros.length === 0 ? {} : { micros: Object.fromEntries(micros) }),
    is_drink: isDrink,
    as_prepared: true,
    source: "calculated",
  };
}
