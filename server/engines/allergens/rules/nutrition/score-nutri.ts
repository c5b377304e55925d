import { Big } from "big.js";

import { EU_ENERGY_ROUNDING, EU_FATTY_ACIDS, EU_GRAMS, EU_SALT } from "../../data/nutrition/eu-panel.ts";
import { NUTRI_SCORE_2023 } from "../../data/nutrition/score-tables.ts";
import type { AmountKey, Amounts } from "./amounts.ts";
import { amountOf } from "./amounts.ts";
import { capPoints, scoreComponent, sumPoints, withoutPoints } from "./points.ts";
import type { RoundingTable } from "./rounding.ts";
import { roundBy } from "./rounding.ts";
import { measureOf } from "./score-input.ts";
import type { Component } from "../../schema/score.ts";

export type NutriCategory = "general" | "red_meat" | "cheese" | "fats_oils_nuts" | "beverage" | "water";
type Letter = "A" | "B" | "C" | "D" | "E";

export interface NutriInput {
  /** Per 100 g, of a beverage per 100 ml; energy in kJ among them. */
  readonly amounts: Amounts;
  readonly category: NutriCategory;
  readonly fruitVegLegumes: Big;
  readonly hasSweeteners: boolean;
}

export interface NutriScore {
  readonly negative: Component[];
  readonly positive: Component[];
  readonly negative_points: number;
  readonly positive_points: number;
  readonly protein_counted: boolean;
  readonly score: number;
  readonly class: Letter;
}

/**
 * Nutri-Score as updated in 2022 and 2023. Points go by the figures of the nutrition declaration (Santé publique
 * France, questions and answers, since 2022), so amounts are rounded as the EU panel prints them first. Plain water
 * is A and no other beverage is.
 */
export function scoreNutri(input: NutriInput): NutriScore {
  const amounts = asDeclared(input.amounts);
  const negative = negativeOf(amounts, input);
  const negativePoints = sumPoints(negative);
  const isCounted = countsProtein(input.category, negativePoints);
  const positive = positiveOf(amounts, input, isCounted);
  const positivePoints = sumPoints(positive);
  const score = negativePoints - positivePoints;
  return {
    negative,
    positive,
    negative_points: negativePoints,
    positive_points: positivePoints,
    protein_counted: isCounted,
    score,
    class: input.category === "water" ? "A" : letterOf(input.category, score),
  };
}

const DECLARED: readonly (readonly [AmountKey, RoundingTable])[] = [
  ["energy_kj", EU_ENERGY_ROUNDING],
  ["fat", EU_GRAMS],
  ["saturates", EU_FATTY_ACIDS],
  ["sugars", EU_GRAMS],
  ["fibre", EU_GRAMS],
  ["protein", EU_GRAMS],
  ["salt", EU_SALT],
];

const asDeclared = (amounts: Amounts): Amounts =>
  new Map(DECLARED.map(([key, table]) => [key, roundBy(table, amountOf(amounts, key)).value]));

const isBeverage = (category: NutriCategory): boolean => category === "beverage" || category === "water";

function negativeOf(amounts: Amounts, { category, hasSweeteners }: NutriInput): Component[] {
  const tables = NUTRI_SCORE_2023;
  const drink = isBeverage(category);
  const energy = measureOf(amounts, "energy_kj", "kJ");
  const sugars = scoreComponent(
    measureOf(amounts, "sugars", "g"),
    drink ? tables.sugarsBeverage : tables.sugars,
  );
  const salt = scoreComponent(measureOf(amounts, "salt", "g"), tables.salt);
  if (category === "fats_oils_nuts") return [...fatComponents(amounts), sugars, salt];
  return [
    scoreComponent(energy, drink ? tables.energyBeverage : tables.energy),
    scoreComponent(measureOf(amounts, "saturates", "g"), tables.saturates),
    sugars,
    salt,
    ...(drink ? [sweeteners(hasSweeteners)] : []),
  ];
}

/** Of fats, oils, nuts and seeds the energy of the saturates and their share of the fat take the usual places. */
function fatComponents(amounts: Amounts): Component[] {
  const saturates = amountOf(amounts, "saturates");
  const fat = amountOf(amounts, "fat");
  const ratio = fat.eq(0) ? new Big(0) : saturates.times(100).div(fat);
  return [
    scoreComponent(
      { component: "energy_from_saturates", value: saturates.times(37), unit: "kJ" },
      NUTRI_SCORE_2023.energyFromSaturates,
    ),
    scoreComponent(
      { component: "saturates_ratio", value: ratio, unit: "%", isInclusive: true },
      NUTRI_SCORE_2023.saturatesRatio,
    ),
  ];
}

function sweeteners(hasSweeteners: boolean): Component {
  const points = hasSweeteners ? NUTRI_SCORE_2023.sweetenerPoints : 0;
  return {
    component: "non_nutritive_sweeteners",
    value: hasSweeteners ? 1 : 0,
    unit: "",
    points,
    max: NUTRI_SCORE_2023.sweetenerPoints,
    detail: `${hasSweeteners ? "With" : "Without"} non-nutritive sweeteners: ${points} points.`,
  };
}

function countsProtein(category: NutriCategory, negativePoints: number): boolean {
  if (category === "cheese" || isBeverage(category)) return true;
  const { general, fats } = NUTRI_SCORE_2023.proteinLimit;
  return negativePoints < (category === "fats_oils_nuts" ? fats : general);
}

function positiveOf(
  amounts: Amounts,
  { category, fruitVegLegumes }: NutriInput,
  isCounted: boolean,
): Component[] {
  const tables = NUTRI_SCORE_2023;
  const drink = isBeverage(category);
  const protein = scoreComponent(
    measureOf(amounts, "protein", "g"),
    drink ? tables.proteinBeverage : tables.protein,
  );
  const capped =
    category === "red_meat" ? capPoints(protein, tables.redMeatProteinMax, "products of red meat.") : protein;
  return [
    scoreComponent(
      { component: "fruit_veg_legumes", value: fruitVegLegumes, unit: "%" },
      drink ? tables.fruitVegLegumesBeverage : tables.fruitVegLegumes,
    ),
    scoreComponent(measureOf(amounts, "fibre", "g"), tables.fibre),
    isCounted ? capped : withoutPoints(capped, "too many negative points."),
  ];
}

function letterOf(category: NutriCategory, score: number): Letter {
  const { general, fats, beverage } = NUTRI_SCORE_2023.classes;
  const limits = category === "beverage" ? beverage : category === "fats_oils_nuts" ? fats : general;
  if (score <= limits.A) return "A";
  if (score <= limits.B) return "B";
  if (score <= limits.C) return "C";
  return score <= limits.D ? "D" : "E";
}
