import { Big } from "big.js";

import type { NutritionFacts } from "../../schema/nutrition-fields.ts";
import type { Ratio } from "./amounts.ts";

/** What an answer is about: 100 g, 100 ml, 100 of whatever the facts are measured in, or one portion. */
export type Target = "100g" | "100ml" | "100" | "portion";

export type BasisFault = "density_required" | "portion_required";

export type Rebased =
  | { readonly factor: Ratio; readonly size: Big; readonly unit: "g" | "ml" }
  | { readonly fault: BasisFault };

/**
 * The factor that takes nutrition facts from their basis to another, exact: grams and millilitres meet by the
 * density alone, and without one the answer is a fault, never a guess of 1 g/ml.
 */
export function rebase(facts: NutritionFacts, target: Target): Rebased {
  const from = sizeOf(facts);
  if (from === null) return { fault: "portion_required" };
  const to = targetSize(facts, target, from.unit);
  if (to === null) return { fault: "portion_required" };
  if (from.unit === to.unit) return { ...to, factor: { times: to.size, over: from.size } };
  const density = facts.density_g_per_ml;
  if (density === undefined) return { fault: "density_required" };
  return {
    ...to,
    factor:
      from.unit === "g"
        ? { times: to.size.times(density), over: from.size }
        : { times: to.size, over: from.size.times(density) },
  };
}

interface Size {
  readonly size: Big;
  readonly unit: "g" | "ml";
}

const HUNDRED = new Big(100);

/** The quantity of food that the facts are about. */
function sizeOf({ basis, portion }: NutritionFacts): Size | null {
  if (basis === "per_100g") return { size: HUNDRED, unit: "g" };
  if (basis === "per_100ml") return { size: HUNDRED, unit: "ml" };
  return portion === undefined ? null : { size: new Big(portion.size), unit: portion.unit };
}

function targetSize({ portion }: NutritionFacts, target: Target, unit: "g" | "ml"): Size | null {
  if (target === "portion") {
    return portion === undefined ? null : { size: new Big(portion.size), unit: portion.unit };
  }
  if (target === "100") return { size: HUNDRED, unit };
  return { size: HUNDRED, unit: target === "100g" ? "g" : "ml" };
}
