import { Big } from "big.js";

import type { EnergyFactor, EnergyRule } from "../../data/nutrition/energy-factors.ts";
import type { Amounts } from "./amounts.ts";
import { amountOf } from "./amounts.ts";

export interface Energy {
  /** Null where the rule has no kJ, or a nutrient that it needs is not known. */
  readonly kj: Big | null;
  readonly kcal: Big | null;
}

/**
 * Energy of a food from its nutrients, unrounded. kJ and kcal are each summed from grams by their own factors and
 * never converted into each other, but where the rule itself converts (Australia and New Zealand).
 */
export function energyOf(amounts: Amounts, rule: EnergyRule): Energy {
  if (!isKnown(amounts, rule)) return { kj: null, kcal: null };
  const kj = sumEnergy(amounts, rule.factors, "kj");
  if (rule.kjPerKcal === null) return { kj, kcal: sumEnergy(amounts, rule.factors, "kcal") };
  return { kj, kcal: kj === null ? null : kj.div(rule.kjPerKcal) };
}

/** The energy that was given, else what the rule makes of the nutrients. */
export function statedEnergy(amounts: Amounts, rule: EnergyRule): Energy {
  const computed = energyOf(amounts, rule);
  const kj = amounts.get("energy_kj") ?? computed.kj;
  const kcal = amounts.get("energy_kcal") ?? null;
  if (kcal !== null) return { kj, kcal };
  return { kj, kcal: rule.kjPerKcal === null || kj === null ? computed.kcal : kj.div(rule.kjPerKcal) };
}

function isKnown(amounts: Amounts, { needs, unknown }: EnergyRule): boolean {
  return needs.every((key) => amounts.has(key)) && unknown.every((part) => partOf(amounts, part).eq(0));
}

function sumEnergy(amounts: Amounts, factors: readonly EnergyFactor[], unit: "kj" | "kcal"): Big | null {
  let sum = new Big(0);
  for (const factor of factors) {
    const perGram = factor[unit];
    if (perGram === null) return null;
    sum = sum.plus(partOf(amounts, factor).times(perGram));
  }
  return sum;
}

const partOf = (amounts: Amounts, { of, less }: Pick<EnergyFactor, "of" | "less">): Big =>
  less === undefined ? amountOf(amounts, of) : amountOf(amounts, of).minus(amountOf(amounts, less));
