import { NPM_2004 } from "../../data/nutrition/score-tables.ts";
import type { Amounts } from "./amounts.ts";
import { scoreComponent, sumPoints, withoutPoints } from "./points.ts";
import { measureOf } from "./score-input.ts";
import type { Percent } from "./score-input.ts";
import type { Component } from "../../schema/score.ts";

export interface NpmInput {
  /** Per 100 g, energy in kJ among them. */
  readonly amounts: Amounts;
  readonly fruitVegNuts: Percent;
  readonly fibreMethod: "aoac" | "nsp";
  readonly isDrink: boolean;
}

export interface NpmScore {
  readonly negative: Component[];
  readonly positive: Component[];
  readonly a_points: number;
  readonly c_points: number;
  readonly protein_counted: boolean;
  readonly score: number;
  readonly class: "less_healthy" | "not_less_healthy";
}

/**
 * UK nutrient profiling model 2004/05 (Department of Health technical guidance 2011): A points for energy, saturates,
 * total sugars and sodium less C points for fruit, vegetables and nuts, fibre and protein. With 11 or more A points
 * protein counts only when fruit, vegetables and nuts have all 5. Less healthy: food from 4, drinks from 1.
 */
export function scoreNpm({ amounts, fruitVegNuts, fibreMethod, isDrink }: NpmInput): NpmScore {
  const negative = [
    scoreComponent(measureOf(amounts, "energy_kj", "kJ"), NPM_2004.energy),
    scoreComponent(measureOf(amounts, "saturates", "g"), NPM_2004.saturates),
    scoreComponent(measureOf(amounts, "sugars", "g"), NPM_2004.sugars),
    scoreComponent(measureOf(amounts, "sodium_mg", "mg"), NPM_2004.sodium),
  ];
  const aPoints = sumPoints(negative);
  const fibreTable = fibreMethod === "aoac" ? NPM_2004.fibreAoac : NPM_2004.fibreNsp;
  const fruit = scoreComponent(
    { component: "fruit_veg_nuts", value: fruitVegNuts, unit: "%" },
    NPM_2004.fruitVegNuts,
  );
  const protein = scoreComponent(measureOf(amounts, "protein", "g"), NPM_2004.protein);
  const isCounted = aPoints < NPM_2004.proteinLimit || fruit.points === NPM_2004.fruitVegNutsFull;
  const positive = [
    fruit,
    scoreComponent(measureOf(amounts, "fibre", "g"), fibreTable),
    isCounted
      ? protein
      : withoutPoints(
          protein,
          `${aPoints} A points (11 or more) and fruit, vegetables and nuts below 5 points.`,
        ),
  ];
  const cPoints = sumPoints(positive);
  const score = aPoints - cPoints;
  const limit = isDrink ? NPM_2004.lessHealthy.drink : NPM_2004.lessHealthy.food;
  return {
    negative,
    positive,
    a_points: aPoints,
    c_points: cPoints,
    protein_counted: isCounted,
    score,
    class: score >= limit ? "less_healthy" : "not_less_healthy",
  };
}
