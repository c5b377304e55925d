import type { BogoEffect } from "../schema/offer.ts";
import type { Lot, UnitPick } from "./lots.ts";
import { byPrice, byPriceDown, carve, costOf, fits, shareUnits, takeUnits, unitsOf } from "./lots.ts";
import { unitSaving } from "./unit-saving.ts";

type Taken = readonly { readonly lot: Lot; readonly count: number }[];

interface Chosen {
  readonly rewards: Taken;
  readonly triggers: Taken;
}

export interface BogoResult {
  readonly lots: readonly Lot[];
  /** How often it was applied. */
  readonly times: number;
  /** Units that were given, by line id. */
  readonly units: ReadonlyMap<string, number>;
  /** Rewards that the customer could still put into the cart. */
  readonly missing: number;
}

/**
 * Buy b, get g. Applied as often as the cart allows; the cheapest units are the rewarded ones, and a unit is bought or
 * given once only. The saving is the least among all ways to apply it so often, whatever the order of the lines. What costs nothing
 * already, such as a gift, is neither: as the cheapest unit it would be all that is given.
 */
export function applyBogo(
  lots: readonly Lot[],
  effect: BogoEffect,
  options: { readonly max: number | null; readonly isOpen: (lot: Lot) => boolean },
): BogoResult {
  const open = lots.filter((lot) => !lot.bogo && options.isOpen(lot));
  const priced = open.filter(({ amount }) => amount > 0);
  const max = options.max ?? Number.MAX_SAFE_INTEGER;
  const { chosen, times } =
    effect.buy.spend === null ? byCount(priced, effect, max) : bySpend(priced, effect, max);
  const units = new Map<string, number>();
  for (const { lot, count } of chosen.rewards) units.set(lot.line.id, (units.get(lot.line.id) ?? 0) + count);
  return {
    lots: times === 0 ? lots : carve(lots, toPicks(chosen, effect)),
    times,
    units,
    missing: times < max ? missingRewards(open, effect, times) : 0,
  };
}

function byCount(open: readonly Lot[], effect: BogoEffect, max: number): { chosen: Chosen; times: number } {
  const buy = effect.buy.qty ?? 1;
  const give = effect.get.qty;
  const canBuy = open.filter(({ line }) => fits(effect.buy.filter, line));
  const canGive = open.filter(({ line }) => fits(effect.get.filter, line));
  const union = open.filter(({ line }) => fits(effect.buy.filter, line) || fits(effect.get.filter, line));
  const [t, r, u] = [unitsOf(canBuy), unitsOf(canGive), unitsOf(union)];
  const times = Math.min(Math.floor(t / buy), Math.floor(r / give), Math.floor(u / (buy + give)), max);
  if (times === 0) return { chosen: { rewards: [], triggers: [] }, times };
  if (effect.grouping === "descending_groups") return { chosen: byBlocks(canBuy, buy, give, times), times };
  const rewards = cheapest(canGive, times * give, {
    isShared: ({ line }) => fits(effect.buy.filter, line),
    atMost: t - times * buy,
  });
  return { chosen: { rewards, triggers: triggersOf(canBuy, rewards, effect, times * buy) }, times };
}

/** Ascending; units that could be bought as well are given only as far as enough of them are left to buy. */
function cheapest(
  lots: readonly Lot[],
  wanted: number,
  shared: { readonly isShared: (lot: Lot) => boolean; readonly atMost: number },
): Taken {
  const taken: { lot: Lot; count: number }[] = [];
  let left = wanted;
  let sharedLeft = shared.atMost;
  for (const lot of [...lots].sort(byPrice)) {
    const isShared = shared.isShared(lot);
    const count = Math.min(lot.count, left, isShared ? sharedLeft : left);
    if (count <= 0) continue;
    taken.push({ lot, count });
    left -= count;
    if (isShared) sharedLeft -= count;
  }
  return taken;
}

/** What is bought: first what could not be given, then the dearest. */
function triggersOf(canBuy: readonly Lot[], rewards: Taken, effect: BogoEffect, wanted: number): Taken {
  const left = without(canBuy, rewards);
  const canBeGiven = ({ lot }: { lot: Lot }): number => (fits(effect.get.filter, lot.line) ? 1 : 0);
  const sorted = left.sort((a, b) => canBeGiven(a) - canBeGiven(b) || byPriceDown(a.lot, b.lot));
  const taken: { lot: Lot; count: number }[] = [];
  let missing = wanted;
  for (const { lot, count } of sorted) {
    const used = Math.min(count, missing);
    if (used > 0) taken.push({ lot, count: used });
    missing -= used;
  }
  return taken;
}

function without(lots: readonly Lot[], gone: Taken): { lot: Lot; count: number }[] {
  const counts = new Map(gone.map(({ lot, count }) => [lot, count]));
  return lots
    .map((lot) => ({ lot, count: lot.count - (counts.get(lot) ?? 0) }))
    .filter(({ count }) => count > 0);
}

/** Sorted descending, each block of b + g gives its last g. */
function byBlocks(lots: readonly Lot[], buy: number, give: number, times: number): Chosen {
  const rewards: { lot: Lot; count: number }[] = [];
  const triggers: { lot: Lot; count: number }[] = [];
  const size = buy + give;
  let at = 0;
  for (const lot of [...lots].sort(byPriceDown)) {
    let left = Math.min(lot.count, times * size - at);
    const own = { rewards: 0, triggers: 0 };
    while (left > 0) {
      const place = at % size;
      const isBought = place < buy;
      const count = Math.min(left, (isBought ? buy : size) - place);
      own[isBought ? "triggers" : "rewards"] += count;
      at += count;
      left -= count;
    }
    if (own.rewards > 0) rewards.push({ lot, count: own.rewards });
    if (own.triggers > 0) triggers.push({ lot, count: own.triggers });
  }
  return { rewards, triggers };
}

/**
 * Spend-based: what is given does not count as spent. As often as what is left still pays for, then the least saving: so many of the
 * cheapest units that count as spent, the others of those that do not.
 */
function bySpend(open: readonly Lot[], effect: BogoEffect, max: number): { chosen: Chosen; times: number } {
  const spend = effect.buy.spend ?? 1;
  const canBuy = open.filter(({ line }) => fits(effect.buy.filter, line));
  const canGive = open.filter(({ line }) => fits(effect.get.filter, line)).sort(byPrice);
  const shared = canGive.filter(({ line }) => fits(effect.buy.filter, line));
  const others = canGive.filter(({ line }) => !fits(effect.buy.filter, line));
  const total = costOf(canBuy);
  const spent = prefixSums(shared, (amount) => amount);
  const isPaid = (times: number, sharedCount: number): boolean =>
    total - (spent[sharedCount] ?? Infinity) >= times * spend;
  let low = 0;
  let high = Math.min(Math.floor(total / spend), Math.floor(unitsOf(canGive) / effect.get.qty), max);
  // More times need more and leave less: whether a number of times is paid for is monotonic.
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (isPaid(middle, Math.max(0, middle * effect.get.qty - unitsOf(others)))) low = middle;
    else high = middle - 1;
  }
  const wanted = low * effect.get.qty;
  const savings = {
    shared: prefixSums(shared, (amount) => unitSaving(amount, effect.value)),
    others: prefixSums(others, (amount) => unitSaving(amount, effect.value)),
  };
  let best = { sharedCount: 0, saving: Infinity };
  for (let sharedCount = 0; sharedCount <= wanted; sharedCount += 1) {
    if (!isPaid(low, sharedCount)) break;
    const saving =
      (savings.shared[sharedCount] ?? Infinity) + (savings.others[wanted - sharedCount] ?? Infinity);
    if (saving < best.saving) best = { sharedCount, saving };
  }
  const rewards = [...takeUnits(shared, best.sharedCount), ...takeUnits(others, wanted - best.sharedCount)];
  return { chosen: { rewards, triggers: spentUnits(canBuy, rewards, low * spend) }, times: low };
}

/** Sums over the first units, unit by unit: at index n, over n units. */
function prefixSums(lots: readonly Lot[], valueOf: (amount: number) => number): number[] {
  const sums = [0];
  for (const { amount, count } of lots) {
    const value = valueOf(amount);
    for (let unit = 0; unit < count; unit += 1) sums.push((sums.at(-1) ?? 0) + value);
  }
  return sums;
}

/** The dearest units that together come to the amount. */
function spentUnits(canBuy: readonly Lot[], rewards: Taken, amount: number): Taken {
  const triggers: { lot: Lot; count: number }[] = [];
  let left = amount;
  for (const { lot, count } of without(canBuy, rewards).sort((a, b) => byPriceDown(a.lot, b.lot))) {
    if (left <= 0) break;
    const used = lot.amount === 0 ? 0 : Math.min(count, Math.ceil(left / lot.amount));
    if (used > 0) triggers.push({ lot, count: used });
    left -= used * lot.amount;
  }
  return triggers;
}

function toPicks({ rewards, triggers }: Chosen, effect: BogoEffect): UnitPick[] {
  const marks = { bogo: true, ...(effect.exclusive_units ? { closed: true } : {}) };
  const paid = rewards.map(({ lot, count }) => ({
    lot,
    count,
    total: count * (lot.amount - unitSaving(lot.amount, effect.value)),
    marks,
  }));
  const bought = triggers.map(({ lot, count }) => ({ lot, count, total: count * lot.amount, marks }));
  if (effect.distribution === "reward_only") return [...paid, ...bought];
  const all = [...paid, ...bought];
  const total = all.reduce((sum, pick) => sum + pick.total, 0);
  return shareUnits(total, all).map((share) => ({ ...share, marks }));
}

/** Rewards short of one more application, where enough was bought for it. */
function missingRewards(open: readonly Lot[], effect: BogoEffect, times: number): number {
  const canBuy = open.filter(({ line }) => fits(effect.buy.filter, line));
  const isPaid =
    effect.buy.spend === null
      ? unitsOf(canBuy) >= (times + 1) * (effect.buy.qty ?? 1)
      : canBuy.reduce((sum, { count, amount }) => sum + count * amount, 0) >= (times + 1) * effect.buy.spend;
  if (!isPaid) return 0;
  const canGive = unitsOf(open.filter(({ line }) => fits(effect.get.filter, line)));
  const isSame = canBuy.length > 0 && canBuy.every(({ line }) => fits(effect.get.filter, line));
  const bought = isSame && effect.buy.spend === null ? (times + 1) * (effect.buy.qty ?? 1) : 0;
  return Math.max(0, (times + 1) * effect.get.qty - Math.max(0, canGive - bought));
}
