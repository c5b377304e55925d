import { Big } from "big.js";

import { FIC_ENERGY } from "../../data/nutrition/energy-factors.ts";
import type { NutritionFacts } from "../../schema/nutrition-fields.ts";
import { readAmounts } from "./amounts.ts";
import { energyOf } from "./energy.ts";

export interface FactFault {
  /** The member to correct, as in `["sugars"]`. */
  readonly path: readonly string[];
  readonly code: string;
  readonly detail: string;
}

type Amounts = Readonly<Partial<Record<keyof NutritionFacts, unknown>>>;

/** A part and the whole it cannot exceed, with the tolerance in grams that rounding of the inputs may need. */
interface PartRule {
  readonly parts: readonly (keyof NutritionFacts)[];
  readonly whole: keyof NutritionFacts;
  readonly toleranceG: string;
}

/**
 * Definitions of FIC (EU) 1169/2011 Annex I: "of which" nutrients are inside their parent; carbohydrate includes
 * polyols; polyols include erythritol. The 0.1 g of the fatty acids allows for rows that were rounded one by one.
 */
const PARTS: readonly PartRule[] = [
  { parts: ["saturates", "monounsaturates", "polyunsaturates"], whole: "fat", toleranceG: "0.1" },
  { parts: ["trans_fat"], whole: "fat", toleranceG: "0" },
  { parts: ["sugars"], whole: "carbohydrate", toleranceG: "0" },
  { parts: ["polyols"], whole: "carbohydrate", toleranceG: "0" },
  { parts: ["starch"], whole: "carbohydrate", toleranceG: "0" },
  { parts: ["erythritol"], whole: "polyols", toleranceG: "0" },
  { parts: ["added_sugars"], whole: "sugars", toleranceG: "0" },
  { parts: ["free_sugars"], whole: "sugars", toleranceG: "0" },
];

/** Above this much matter in 100 g the figures are improbable, above the second impossible. */
const SUM_WARN_G = 100;
const SUM_ERROR_G = 105;

/**
 * What cannot be true of nutrition facts, each with the member to correct: a part larger than its whole, salt and
 * sodium that disagree, more than 105 g of nutrients in 100 g, a portion basis without a portion.
 */
export function findFactErrors(facts: NutritionFacts): FactFault[] {
  const faults: FactFault[] = [];
  if (facts.basis === "per_portion" && facts.portion === undefined) {
    faults.push({
      path: ["portion"],
      code: "portion_required",
      detail: "Needed when the basis is per_portion: give its size and unit.",
    });
  }
  for (const rule of PARTS) faults.push(...checkParts(facts, rule));
  faults.push(...checkSalt(facts), ...checkSum(facts, "error"));
  return faults;
}

/** What is improbable of nutrition facts: stored all the same, and reported. */
export const findFactWarnings = (facts: NutritionFacts): FactFault[] => [
  ...checkSum(facts, "warning"),
  ...checkEnergy(facts),
];

/** The sum of a list of members in grams; those that are not given count as nothing. */
function sumOf(facts: Amounts, members: readonly (keyof NutritionFacts)[]): Big {
  return members.reduce((sum, member) => {
    const amount = facts[member];
    return typeof amount === "number" ? sum.plus(amount) : sum;
  }, new Big(0));
}

function checkParts(facts: NutritionFacts, { parts, whole, toleranceG }: PartRule): FactFault[] {
  const [first = whole] = parts;
  const given = parts.filter((part) => facts[part] !== undefined);
  const limit = sumOf(facts, [whole]);
  const sum = sumOf(facts, given);
  if (given.length === 0 || sum.lte(limit.plus(toleranceG))) return [];
  const named = parts.length === 1 ? first : given.join(" + ");
  return [
    {
      path: [first],
      code: "part_exceeds_whole",
      detail: `${named} is ${sum.toFixed()} g, more than the ${limit.toFixed()} g of ${whole} that it is part of.`,
    },
  ];
}

/**
 * Salt and sodium, when both are given, agree within the rounding that either may have had: half of the last figure
 * of salt (0.01 g below 1 g, else 0.1 g; Commission guidance on tolerances 2012) and half a milligram of sodium.
 */
function checkSalt({ salt, sodium_mg: sodiumMg }: NutritionFacts): FactFault[] {
  if (salt === undefined || sodiumMg === undefined) return [];
  const fromSodium = new Big(sodiumMg).times("0.0025");
  const tolerance = new Big(salt < 1 ? "0.005" : "0.05").plus("0.00125");
  if (fromSodium.minus(salt).abs().lte(tolerance)) return [];
  return [
    {
      path: ["salt"],
      code: "salt_sodium_disagree",
      detail: `${sodiumMg} mg of sodium are ${fromSodium.toFixed()} g of salt (× 2.5), not ${salt} g. Give one of the two.`,
    },
  ];
}

/** Nutrients per 100 g cannot weigh more than 100 g; nothing is said where the weight of the basis is unknown. */
function checkSum(facts: NutritionFacts, level: "error" | "warning"): FactFault[] {
  const weight = basisWeightG(facts);
  if (weight === null) return [];
  const sum = sumOf(facts, ["fat", "carbohydrate", "protein", "fibre"]).plus(saltOf(facts));
  const per100 = sum.times(100).div(weight);
  const isWrong = per100.gt(SUM_ERROR_G);
  if (level === "error" ? !isWrong : isWrong || per100.lte(SUM_WARN_G)) return [];
  const detail = `Fat, carbohydrate, protein, fibre and salt add up to ${per100.round(2).toFixed()} g in 100 g.`;
  return [{ path: ["carbohydrate"], code: "sum_exceeds_weight", detail }];
}

/** A given energy that is further than this from what the nutrients give is worth a second look. */
const ENERGY_SHARE = "0.2";
const ENERGY_LEAST_KJ = 40;

function checkEnergy(facts: NutritionFacts): FactFault[] {
  const { kj } = energyOf(readAmounts(facts), FIC_ENERGY);
  if (kj === null || facts.energy_kj === undefined) return [];
  const apart = kj.minus(facts.energy_kj).abs();
  if (apart.lte(ENERGY_LEAST_KJ) || apart.lte(kj.times(ENERGY_SHARE))) return [];
  const detail = `The nutrients give ${kj.round(0).toFixed()} kJ (FIC Annex XIV), not ${facts.energy_kj} kJ.`;
  return [{ path: ["energy_kj"], code: "energy_implausible", detail }];
}

const saltOf = ({ salt, sodium_mg: sodiumMg }: NutritionFacts): Big =>
  salt === undefined ? new Big(sodiumMg ?? 0).times("0.0025") : new Big(salt);

/** Grams that the basis weighs; null for a volume of unknown density. */
function basisWeightG({ basis, portion, density_g_per_ml: density }: NutritionFacts): Big | null {
  if (basis === "per_100g") return new Big(100);
  if (basis === "per_100ml") return density === undefined ? null : new Big(density).times(100);
  if (portion === undefined) return null;
  if (portion.unit === "g") return new Big(portion.size);
  return density === undefined ? null : new Big(density).times(portion.size);
}
