import { Big } from "big.js";

import { sum, times } from "../../../lib/money.ts";
import type { TreeModifier } from "../schema/tree.ts";
import type { Choice, GroupChoice } from "./choose-modifiers.ts";
import type { PriceOf } from "./price-level.ts";

/** A choice with its prices in minor units. */
export interface ChargedChoice {
  readonly groupId: string;
  readonly choice: Choice;
  /** Per unit, before free or included units. */
  readonly unitPrice: number;
  /** For all its units, after that. */
  readonly charged: number;
  /** The choices inside one unit. */
  readonly nested: readonly ChargedChoice[];
}

/**
 * Prices of the choices of some groups. Per group, in this order:
 * 1. A unit costs the modifier's price at the level, times the factor of its pre-modifier (or its fixed price), times
 * the
 * scale of its portion, each rounded half up to one minor unit.
 * 2. A default that is not charged pays for one unit of itself. A removed one is not refunded; under `substitution`
 * the values of all removed ones together are credited to what is selected in their place, which then costs
 * max(0, difference) (as Toast's defaultOptionsSubstitutionPricing). A default that is charged is
 * not charged if it is removed, so nothing is left to credit.
 * 3. `free_quantity` makes units free, excluding those included as defaults.
 * Of several ways to apply credits, the cheapest for the customer is used, so the order of selections has no
 * effect, except under `first_selected`, where it is the rule.
 */
export function chargeGroups(groups: readonly GroupChoice[], priceOf: PriceOf): ChargedChoice[] {
  return groups.flatMap((group) => chargeGroup(group, priceOf));
}

/** Sum over all choices including nested ones. */
export const totalOf = (charged: readonly ChargedChoice[]): number =>
  sum(charged.map((entry) => entry.charged + times(totalOf(entry.nested), entry.choice.quantity)));

/** Units of one choice with the same price. */
interface Units {
  readonly entry: number;
  quantity: number;
  amount: number;
  /** Included as a default: not counted by `free_quantity`. */
  included: boolean;
}

function chargeGroup({ used, choices }: GroupChoice, priceOf: PriceOf): ChargedChoice[] {
  // A selection can leave thousands of groups empty, each with a hundred defaults.
  if (choices.length === 0) return [];
  const { group } = used;
  const levelPrice = (id: string, price: number): number => priceOf({ kind: "modifier", id }, price).price;
  const unitPrices = choices.map((choice) =>
    unitPriceOf(choice, levelPrice(choice.modifier.id, choice.modifier.price)),
  );
  const units = choices.map(({ quantity }, entry): Units => {
    return { entry, quantity, amount: unitPrices[entry] ?? 0, included: false };
  });
  if (!group.defaults_charged) {
    const dearest = dearestByModifier(units, choices);
    const credits: number[] = [];
    for (const modifier of used.defaults) {
      const price = levelPrice(modifier.id, modifier.price);
      const part = dearest.get(modifier);
      if (part === undefined) credits.push(price);
      else pay(split(units, part, 1), price);
    }
    if (group.substitution) setOff(units, credits);
  }
  freeUnits(units, group.free_quantity, group.free_policy);
  const charged = choices.map((): number[] => []);
  for (const { entry, amount, quantity } of units) charged[entry]?.push(times(amount, quantity));
  return choices.map((choice, entry) => ({
    groupId: group.id,
    choice,
    unitPrice: unitPrices[entry] ?? 0,
    charged: sum(charged[entry] ?? []),
    nested: chargeGroups(choice.nested, priceOf),
  }));
}

function unitPriceOf({ preModifier, portion }: Choice, price: number): number {
  const worded =
    preModifier === null ? price : (preModifier.fixed_price ?? scaled(price, preModifier.factor ?? 1));
  return portion === null ? worded : scaled(worded, portion.scale);
}

const scaled = (price: number, factor: number): number =>
  new Big(price).times(factor).round(0, Big.roundHalfUp).toNumber();

/** The most expensive units of each modifier, to one of which it applies as a default. */
function dearestByModifier(units: readonly Units[], choices: readonly Choice[]): Map<TreeModifier, Units> {
  const dearest = new Map<TreeModifier, Units>();
  for (const [entry, { modifier }] of choices.entries()) {
    const part = units[entry];
    if (part !== undefined && part.amount > (dearest.get(modifier)?.amount ?? -1))
      dearest.set(modifier, part);
  }
  return dearest;
}

/** The values of all removed defaults pay for other units of the group together, the most expensive first. */
function setOff(units: Units[], credits: readonly number[]): void {
  let left = sum(credits);
  const dearestFirst = units
    .filter(({ included, amount }) => !included && amount > 0)
    .sort((a, b) => b.amount - a.amount);
  for (const part of dearestFirst) {
    // Whole units at once: an order can have a hundred thousand.
    const paid = Math.min(part.quantity, Math.floor(left / part.amount));
    left -= paid * part.amount;
    if (paid > 0) pay(split(units, part, paid), part.amount);
    if (left === 0) return;
    if (part.quantity === 0) continue;
    pay(split(units, part, 1), left);
    return;
  }
}

/** Credits some units that were split off, each with the same amount. */
function pay(part: Units, credit: number): void {
  part.amount = Math.max(0, part.amount - credit);
  part.included = true;
}

function freeUnits(units: Units[], freeQuantity: number, policy: "cheapest_first" | "first_selected"): void {
  let left = freeQuantity;
  const countable = units.filter(({ included }) => !included);
  countable.sort((a, b) => (policy === "cheapest_first" ? a.amount - b.amount : 0) || a.entry - b.entry);
  for (const part of countable) {
    const free = Math.min(left, part.quantity);
    if (free === 0) continue;
    left -= free;
    part.quantity -= free;
  }
}

/** Splits some units off a part; the part keeps the rest. */
function split(units: Units[], part: Units, quantity: number): Units {
  part.quantity -= quantity;
  const own: Units = { ...part, quantity };
  units.push(own);
  return own;
}
