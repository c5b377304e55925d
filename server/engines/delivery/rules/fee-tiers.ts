/** One step of a zone's fees: `fee` applies to baskets in `[from, next.from)`. Minor units. */
export interface Tier {
  readonly from: number;
  readonly fee: number;
}

/**
 * Checks the tiers of a zone: at least one, the first from 0, strictly increasing; `freeFrom`, if set, must be
 * where a tier with fee 0 starts or above every tier. Returns the error, or null.
 */
export function checkFeeTiers(tiers: readonly Tier[], freeFrom: number | null): string | null {
  if (tiers.length === 0) return "A zone needs at least one fee tier, from 0.";
  if (tiers[0]?.from !== 0) return "The first tier must start from 0.";
  const unordered = tiers.find((tier, at) => at > 0 && tier.from <= (tiers[at - 1]?.from ?? 0));
  if (unordered !== undefined)
    return `Tiers must be strictly increasing by from: ${unordered.from} is out of order.`;
  if (freeFrom === null) return null;
  const free = tiers.find(({ fee }) => fee === 0);
  if (free !== undefined) {
    return free.from === freeFrom
      ? null
      : `free_from is ${freeFrom}, but the tier with fee 0 starts from ${free.from}. Make them equal, or omit one.`;
  }
  const last = tiers.at(-1)?.from ?? 0;
  return freeFrom > last ? null : `free_from must be greater than ${last}, where the last tier starts.`;
}

/** The effective tiers: `freeFrom` is shorthand for a last tier with fee 0. */
export const effectiveTiers = (tiers: readonly Tier[], freeFrom: number | null): readonly Tier[] =>
  freeFrom === null || tiers.some(({ fee }) => fee === 0) ? tiers : [...tiers, { from: freeFrom, fee: 0 }];
