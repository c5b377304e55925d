import { Big } from "big.js";

import { mapSteps } from "../../../lib/slices.ts";
import type { Channel } from "../schema/parts.ts";
import type { Override } from "../schema/price-level.ts";
import type { TreePriceLevel } from "../schema/tree.ts";

/** Where and when something is sold. */
export interface Sale {
  readonly menuId: string;
  readonly channel: Channel | null;
  /** The level in the request: then only that one applies. */
  readonly named: string | null;
  /** The level of the menu: it applies whatever its own conditions are. */
  readonly ofMenu: string | null;
  readonly isOpen: (scheduleId: string) => boolean;
}

export interface LevelPrice {
  readonly price: number;
  /** The level that determined the price; null: the item's own. */
  readonly levelId: string | null;
}

export type PriceOf = (target: Target, ownPrice: number) => LevelPrice;

export interface Target {
  readonly kind: "item" | "variation" | "modifier";
  readonly id: string;
  /** Item of a variation: a percentage change of the item applies to its variations too. */
  readonly itemId?: string;
}

/**
 * Prices under the levels that apply to a sale. Per target the highest priority with a price wins, ties
 * by id; inside a level the most specific override does (variation, item, then all). In steps of one level.
 */
export function* levelPricesSteps(
  levels: readonly TreePriceLevel[],
  sale: Sale,
): Generator<undefined, PriceOf> {
  const holding = yield* mapSteps(
    levels
      .filter((level) => holds(level, sale))
      .sort((a, b) => b.priority - a.priority || (a.id < b.id ? -1 : 1)),
    ({ id, round_to, overrides }) => ({
      id,
      roundTo: round_to ?? 1,
      byTarget: new Map(overrides.map((override) => [override.target_id ?? "", override])),
    }),
  );
  /** By id: an order can ask for the price of the same modifier thousands of times. */
  const known = new Map<string, { readonly ownPrice: number; readonly price: LevelPrice }>();
  return (target, ownPrice) => {
    const before = known.get(target.id);
    if (before?.ownPrice === ownPrice) return before.price;
    const price = priceUnder(holding, target, ownPrice);
    known.set(target.id, { ownPrice, price });
    return price;
  };
}

interface HoldingLevel {
  readonly id: string;
  readonly roundTo: number;
  readonly byTarget: ReadonlyMap<string, Override>;
}

function priceUnder(holding: readonly HoldingLevel[], target: Target, ownPrice: number): LevelPrice {
  for (const { id, roundTo, byTarget } of holding) {
    const override = findOverride(byTarget, target);
    if (override !== undefined) return { price: applyOverride(ownPrice, override, roundTo), levelId: id };
  }
  return { price: ownPrice, levelId: null };
}

function holds(level: TreePriceLevel, sale: Sale): boolean {
  if (sale.named !== null) return level.id === sale.named;
  if (level.id === sale.ofMenu) return true;
  return (
    level.automatic &&
    (level.menu_id === null || level.menu_id === sale.menuId) &&
    (level.channel === null || level.channel === sale.channel) &&
    (level.schedule_id === null || sale.isOpen(level.schedule_id))
  );
}

function findOverride(byTarget: ReadonlyMap<string, Override>, target: Target): Override | undefined {
  const own = byTarget.get(target.id);
  if (own !== undefined || target.kind === "modifier") return own;
  const ofItem = target.itemId === undefined ? undefined : byTarget.get(target.itemId);
  // A fixed price of the item does not determine the price of its variations.
  return ofItem !== undefined && ofItem.percent !== null ? ofItem : byTarget.get("");
}

/** A price under an override: `percent` is exact before it is rounded once, half up, to a multiple of `roundTo`. */
export function applyOverride(ownPrice: number, { price, percent }: Override, roundTo: number): number {
  if (price !== null) return price;
  const exact = new Big(ownPrice).times(new Big(100).plus(percent ?? 0)).div(100);
  return exact.div(roundTo).round(0, Big.roundHalfUp).times(roundTo).toNumber();
}
