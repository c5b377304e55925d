import { Big } from "big.js";

import { FIC_ENERGY } from "../../data/nutrition/energy-factors.ts";
import type { NutritionFacts } from "../../schema/nutrition-fields.ts";
import { amountOf, readAmounts, scaleAmounts } from "./amounts.ts";
import { rebase } from "./basis.ts";
import { statedEnergy } from "./energy.ts";
import type { CalorieLabel } from "../../schema/nutrition.ts";

const GRAMS_ETHANOL_PER_ML = "0.789";
const EXEMPT_ABOVE_PERCENT = "1.2";

/**
 * What a menu in England shows of a portion: Calorie Labelling (Out of Home Sector) (England) Regulations 2021
 * (SI 2021/909), regulation 5: the energy of one portion "followed by the letters kcal", the size of the portion, and
 * "adults need around 2000 kcal a day". Drinks above 1.2 % alcohol by volume are exempt. Null without a portion or
 * without an energy. `isObliged`: the business has 250 or more employees.
 */
export function calorieLabel(facts: NutritionFacts, isObliged: boolean): CalorieLabel | null {
  const based = rebase(facts, "portion");
  if ("fault" in based || facts.portion === undefined) return null;
  const { kcal } = statedEnergy(scaleAmounts(readAmounts(facts), based.factor), FIC_ENERGY);
  if (kcal === null) return null;
  const rounded = kcal.round(0, Big.roundHalfUp).toNumber();
  const { size, unit, name } = facts.portion;
  const isExempt = alcoholByVolume(facts)?.gt(EXEMPT_ABOVE_PERCENT) ?? false;
  return {
    kcal: rounded,
    text: `${rounded} kcal`,
    portion: name === undefined ? `${size} ${unit}` : `${name} (${size} ${unit})`,
    statement: "adults need around 2000 kcal a day",
    is_required: isObliged && !isExempt,
    detail: isExempt
      ? "Drinks above 1.2 % alcohol by volume are exempt."
      : "Also exempt: on the menu for less than 30 days a year, condiments, made at a customer's express request.",
  };
}

/** Percent alcohol by volume of a drink; null for food and for a drink whose volume is not known. */
function alcoholByVolume(facts: NutritionFacts): Big | null {
  if (!facts.is_drink) return null;
  const based = rebase(facts, "100ml");
  if ("fault" in based) return null;
  const { times, over } = based.factor;
  return amountOf(readAmounts(facts), "alcohol").times(times).div(over.times(GRAMS_ETHANOL_PER_ML));
}
