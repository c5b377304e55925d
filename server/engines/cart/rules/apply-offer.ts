import { mulBps } from "../../../lib/money.ts";
import type { Offer, ProductEffect, ShippingEffect } from "../schema/offer.ts";
import { applyBogo } from "./apply-bogo.ts";
import type { Lot, UnitPick } from "./lots.ts";
import { byPriceDown, carve, costByLine, costOf, fits, shareUnits } from "./lots.ts";
import { unitSaving } from "./unit-saving.ts";

export type OfferTerms = Pick<
  Offer,
  | "id"
  | "title"
  | "class"
  | "effect"
  | "priority"
  | "exclusive"
  | "combines_with"
  | "max_applications_per_cart"
  | "min_spend_after_discounts"
> & {
  /** What is left of its budget; undefined without one. A use that would exceed it could not be redeemed. */
  readonly budget_left?: number;
};

/** A cart in the middle of its offers. */
export interface Running {
  readonly lots: readonly Lot[];
  /** What is left of the delivery. */
  readonly shipping: number;
  /** The goods before any offer. */
  readonly before: number;
}

export interface Applied {
  readonly offer_id: string;
  /** By line id; what is taken off the delivery is not in it. */
  readonly lines: ReadonlyMap<string, number>;
  /** Units it changed, by line id. */
  readonly units: ReadonlyMap<string, number>;
  readonly shipping: number;
  readonly saving: number;
}

export type Outcome =
  | { readonly next: Running; readonly applied: Applied; readonly missing: number }
  | {
      readonly reason: "no_saving" | "min_subtotal" | "min_spend_after_discounts" | "budget_used_up";
      readonly missing: number;
    };

/** What an offer makes of a cart, given what the offers before it left. Its conditions are judged elsewhere. */
export function applyOffer(running: Running, offer: OfferTerms): Outcome {
  const { effect } = offer;
  if (effect.class === "shipping") return applyShipping(running, offer, effect);
  const isOpen = (lot: Lot): boolean => !lot.bundled || offer.combines_with.includes("bundle");
  let lots: readonly Lot[];
  let units: ReadonlyMap<string, number> = new Map();
  let missing = 0;
  if (effect.class === "bogo") {
    const found = applyBogo(running.lots, effect, { max: offer.max_applications_per_cart, isOpen });
    ({ lots, units } = found);
    missing = effect.add_reward_suggestion ? found.missing : 0;
  } else if (effect.class === "product") {
    ({ lots, units } = reduceUnits(running.lots, effect, { max: offer.max_applications_per_cart, isOpen }));
  } else {
    lots = reduceOrder(running.lots, effect.value, (lot) => isOpen(lot) && !lot.closed);
  }
  const lines = savingsBetween(running.lots, lots);
  const saving = [...lines.values()].reduce((sum, amount) => sum + amount, 0);
  if (saving <= 0) return { reason: "no_saving", missing };
  if (saving > (offer.budget_left ?? Infinity)) return { reason: "budget_used_up", missing };
  if (costOf(lots) < offer.min_spend_after_discounts) return { reason: "min_spend_after_discounts", missing };
  return {
    next: { ...running, lots },
    applied: { offer_id: offer.id, lines, units, shipping: 0, saving },
    missing,
  };
}

function applyShipping(running: Running, offer: OfferTerms, effect: ShippingEffect): Outcome {
  const goods = costOf(running.lots);
  if ((effect.before_discounts ? running.before : goods) < effect.min_subtotal) {
    return { reason: "min_subtotal", missing: 0 };
  }
  if (goods < offer.min_spend_after_discounts) return { reason: "min_spend_after_discounts", missing: 0 };
  const saving = unitSaving(running.shipping, effect.value);
  if (saving <= 0) return { reason: "no_saving", missing: 0 };
  if (saving > (offer.budget_left ?? Infinity)) return { reason: "budget_used_up", missing: 0 };
  return {
    next: { ...running, shipping: running.shipping - saving },
    applied: { offer_id: offer.id, lines: new Map(), units: new Map(), shipping: saving, saving },
    missing: 0,
  };
}

/** Unit by unit, the dearest first where only so many are reduced. */
function reduceUnits(
  lots: readonly Lot[],
  effect: ProductEffect,
  options: { readonly max: number | null; readonly isOpen: (lot: Lot) => boolean },
): { lots: readonly Lot[]; units: ReadonlyMap<string, number> } {
  let left = options.max ?? Number.MAX_SAFE_INTEGER;
  const picks: UnitPick[] = [];
  const units = new Map<string, number>();
  for (const lot of [...lots].sort(byPriceDown)) {
    if (!options.isOpen(lot) || !fits(effect.filter, lot.line)) continue;
    const saving = savingOf(lot, effect);
    const count = Math.min(lot.count, left);
    if (saving <= 0 || count <= 0) continue;
    picks.push({ lot, count, total: count * (lot.amount - saving), marks: {} });
    units.set(lot.line.id, (units.get(lot.line.id) ?? 0) + count);
    left -= count;
  }
  return { lots: carve(lots, picks), units };
}

function savingOf({ line, amount }: Lot, { value, sale_policy: policy }: ProductEffect): number {
  const regular = line.compare_at ?? line.unit_price;
  if (regular <= line.unit_price || policy === "stack") return unitSaving(amount, value);
  if (policy === "exclude") return 0;
  // The offer on the regular price, or the sale price as it is: whichever is lower.
  return Math.max(0, amount - (regular - unitSaving(regular, value)));
}

/** Once on the whole, then over the lines by what is left of each: never per unit, which would lose pennies. */
function reduceOrder(
  lots: readonly Lot[],
  { kind, value }: { readonly kind: string; readonly value: number },
  isOpen: (lot: Lot) => boolean,
): Lot[] {
  const open = lots.filter(isOpen);
  const cost = costOf(open);
  const off = Math.min(cost, kind === "percent_off" ? mulBps(cost, value) : value);
  const shares = shareUnits(
    off,
    open.map((lot) => ({ lot, count: lot.count })),
  );
  return carve(
    lots,
    shares.map(({ lot, count, total }) => ({ lot, count, total: count * lot.amount - total, marks: {} })),
  );
}

function savingsBetween(before: readonly Lot[], after: readonly Lot[]): Map<string, number> {
  const now = costByLine(after);
  return new Map(
    [...costByLine(before)]
      .map(([id, cost]): [string, number] => [id, cost - (now.get(id) ?? 0)])
      .filter(([, saving]) => saving !== 0),
  );
}
