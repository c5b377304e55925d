import { Big } from "big.js";

import { MICRO_CODES } from "../../data/nutrition/micronutrients.ts";
import type { MassUnit, MicroCode } from "../../data/nutrition/micronutrients.ts";
import { NUTRIENTS } from "../../data/nutrition/nutrients.ts";
import type { Nutrient } from "../../data/nutrition/nutrients.ts";
import type { NutritionFacts } from "../../schema/nutrition-fields.ts";

const ENERGIES = ["energy_kj", "energy_kcal"] as const;
export type AmountKey = Nutrient | MicroCode | (typeof ENERGIES)[number];

/** Exact amounts by member; vitamins and minerals in micrograms. What is not known is not there. */
export type Amounts = ReadonlyMap<AmountKey, Big>;

const UG_PER: Readonly<Record<MassUnit, number>> = { g: 1_000_000, mg: 1_000, ug: 1 };

/** Micrograms in another unit of mass. */
export const fromUg = (ug: Big, unit: MassUnit): Big => ug.div(UG_PER[unit]);
const toUg = (amount: Big | number | string, unit: MassUnit): Big => new Big(amount).times(UG_PER[unit]);

/**
 * The amounts of nutrition facts for their own basis. Salt and sodium are worked out from each other where only one
 * is given: salt = sodium × 2.5 (FIC (EU) 1169/2011 Annex I point 11).
 */
export function readAmounts(facts: NutritionFacts): Amounts {
  const amounts = new Map<AmountKey, Big>();
  for (const key of [...ENERGIES, ...NUTRIENTS]) {
    const value = facts[key];
    if (value !== undefined) amounts.set(key, new Big(value));
  }
  for (const code of MICRO_CODES) {
    const micro = facts.micros?.[code];
    if (micro !== undefined) amounts.set(code, toUg(micro.amount, micro.unit));
  }
  const { salt, sodium_mg: sodiumMg } = facts;
  if (salt === undefined && sodiumMg !== undefined) amounts.set("salt", new Big(sodiumMg).times("0.0025"));
  if (sodiumMg === undefined && salt !== undefined) amounts.set("sodium_mg", new Big(salt).times(400));
  return amounts;
}

/** A factor that is kept as a fraction, so that a third of three is one. */
export interface Ratio {
  readonly times: Big;
  readonly over: Big;
}

export const scaleAmounts = (amounts: Amounts, { times, over }: Ratio): Amounts =>
  new Map(Array.from(amounts, ([key, amount]) => [key, amount.times(times).div(over)]));

/** Adds one set of amounts to another; what either does not know stays unknown. */
export function addAmounts(left: Amounts, right: Amounts): Amounts {
  const sum = new Map<AmountKey, Big>();
  for (const [key, amount] of left) {
    const other = right.get(key);
    if (other !== undefined) sum.set(key, amount.plus(other));
  }
  return sum;
}

/** An amount that counts as nothing where it is not given. */
export const amountOf = (amounts: Amounts, key: AmountKey): Big => amounts.get(key) ?? new Big(0);
