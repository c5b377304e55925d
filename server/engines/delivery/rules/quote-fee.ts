import { effectiveTiers } from "./fee-tiers.ts";
import type { Tier } from "./fee-tiers.ts";

export interface FeeQuote {
  /** Fee of the basket including the slot's surcharge, never below 0. Minor units, like all amounts here. */
  readonly fee: number;
  /** Basket total from which delivery is free; null if it never is. */
  readonly freeFrom: number | null;
  readonly toMinimum: number;
  /** 0 if this basket is already free; null if no basket is. */
  readonly toFree: number | null;
}

/** The fee of delivery to a zone for a basket, also below the minimum order. */
export function quoteFee(
  zone: {
    readonly fee_tiers: readonly Tier[];
    readonly free_from: number | null;
    readonly minimum_order: number;
  },
  basketTotal: number,
  slotFeeDelta = 0,
): FeeQuote {
  const tiers = effectiveTiers(zone.fee_tiers, zone.free_from);
  const tier = tiers.findLast(({ from }) => from <= basketTotal);
  const isFree = tier?.fee === 0;
  const next = isFree ? tier : tiers.find(({ from, fee }) => fee === 0 && from > basketTotal);
  return {
    fee: Math.max(0, (tier?.fee ?? 0) + slotFeeDelta),
    freeFrom: next?.from ?? null,
    toMinimum: Math.max(0, zone.minimum_order - basketTotal),
    toFree: next === undefined ? null : Math.max(0, next.from - basketTotal),
  };
}
