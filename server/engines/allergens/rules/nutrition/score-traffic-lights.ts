import type { Big } from "big.js";

import { TRAFFIC_LIGHTS } from "../../data/nutrition/score-tables.ts";
import type { LightLimits, LitNutrient } from "../../data/nutrition/score-tables.ts";
import type { Amounts } from "./amounts.ts";
import { amountOf } from "./amounts.ts";
import type { Light } from "../../schema/score.ts";

export interface LightInput {
  /** Per 100 g of food or 100 ml of a drink. */
  readonly per100: Amounts;
  /** One portion, in grams of food or millilitres of a drink; null when the facts have none. */
  readonly portionSize: Big | null;
  readonly isDrink: boolean;
}

const LIT: readonly LitNutrient[] = ["fat", "saturates", "sugars", "salt"];

/**
 * UK front-of-pack colours (guide of 2013, updated 2016): up to the low limit green, up to the high limit amber,
 * above red; of a portion above 100 g (drinks: 150 ml) red too where the portion holds more than its own limit.
 */
export function trafficLights({ per100, portionSize, isDrink }: LightInput): Light[] {
  const { limits, portionOver } = isDrink ? TRAFFIC_LIGHTS.drink : TRAFFIC_LIGHTS.food;
  const isLarge = portionSize !== null && portionSize.gt(portionOver);
  return LIT.map((nutrient) => {
    const amount = amountOf(per100, nutrient);
    const inPortion = portionSize === null ? null : amount.times(portionSize).div(100);
    const verdict = judge(amount, isLarge ? inPortion : null, limits[nutrient]);
    return {
      nutrient,
      per_100: amount.toNumber(),
      per_portion: inPortion === null ? null : inPortion.toNumber(),
      ...verdict,
    };
  });
}

function judge(
  amount: Big,
  inPortion: Big | null,
  { low, high, portion }: LightLimits,
): Pick<Light, "light" | "because" | "detail"> {
  const shown = amount.round(4).toFixed();
  if (amount.gt(high)) {
    return { light: "red", because: "per_100", detail: `${shown} g per 100 is more than ${high} g.` };
  }
  if (inPortion !== null && inPortion.gt(portion)) {
    const held = inPortion.round(4).toFixed();
    return {
      light: "red",
      because: "per_portion",
      detail: `${held} g in a portion is more than ${portion} g.`,
    };
  }
  if (amount.gt(low)) {
    return {
      light: "amber",
      because: "per_100",
      detail: `${shown} g per 100 is more than ${low} g and not more than ${high} g.`,
    };
  }
  return { light: "green", because: "per_100", detail: `${shown} g per 100 is not more than ${low} g.` };
}
