import type { Big } from "big.js";

import { FIC_ENERGY } from "../../data/nutrition/energy-factors.ts";
import type { NutritionFacts } from "../../schema/nutrition-fields.ts";
import type { AmountKey, Amounts } from "./amounts.ts";
import { amountOf, readAmounts, scaleAmounts } from "./amounts.ts";
import type { BasisFault, Target } from "./basis.ts";
import { rebase } from "./basis.ts";
import { statedEnergy } from "./energy.ts";
import type { Measure } from "./points.ts";

export type Percent = Big;

export interface ScoreAmounts {
  readonly amounts: Amounts;
  /** Members that the facts do not contain and that were counted as zero, which never makes a score better. */
  readonly assumed: string[];
}

/** What keeps facts from being scored: a basis that cannot be reached, or a member without which no score is true. */
export type ScoreFault = { readonly fault: BasisFault } | { readonly missing: string };

/** Members whose absence would make a score better than the food is. */
const NEEDED = ["energy_kj", "fat", "saturates", "sugars", "salt"] as const;

/** Facts as the scores want them: per 100, with energy by FIC Annex XIV where it is not given. */
export function readScoreAmounts(facts: NutritionFacts, target: Target): ScoreAmounts | ScoreFault {
  const based = rebase(facts, target);
  if ("fault" in based) return based;
  const scaled = scaleAmounts(readAmounts(facts), based.factor);
  const { kj } = statedEnergy(scaled, FIC_ENERGY);
  const amounts: Amounts = kj === null ? scaled : new Map([...scaled, ["energy_kj", kj]]);
  const missing = NEEDED.find((key) => !amounts.has(key));
  if (missing !== undefined) return { missing };
  return { amounts, assumed: amounts.has("fibre") ? [] : ["fibre"] };
}

export const measureOf = (amounts: Amounts, key: AmountKey, unit: string): Measure => ({
  component: key,
  value: amountOf(amounts, key),
  unit,
});
