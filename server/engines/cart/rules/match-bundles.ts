import type { Bundle } from "../schema.ts";
import type { Lot } from "./lots.ts";
import { byPriceDown, carve, compareText, costOf, evenly, shareUnits, takeUnits, unitsOf } from "./lots.ts";
import { mulBps } from "../../../lib/money.ts";
import { unitSaving } from "./unit-saving.ts";

export type BundleTerms = Pick<
  Bundle,
  "id" | "title" | "type" | "components" | "groups" | "pricing" | "tiers" | "auto_apply" | "subscribable"
>;

/** A bundle found in a cart. */
export interface BundleMatch {
  readonly bundle_id: string;
  readonly title: string;
  readonly times: number;
  /** Of all times together. */
  readonly saving: number;
  /** What each line's units of it cost from now on: the basis of tax and of refunds. */
  readonly parts: readonly { readonly line_id: string; readonly quantity: number; readonly price: number }[];
}

export interface Matched {
  readonly lots: readonly Lot[];
  readonly matches: readonly BundleMatch[];
}

/** One match: which units it takes, and what they cost together then. */
interface Pattern {
  readonly bundle: BundleTerms;
  readonly taken: readonly { readonly lot: Lot; readonly count: number; readonly price: number }[];
  readonly saving: number;
}

/**
 * Finds bundles in a cart: first those that lines name themselves, then the ones that apply by themselves, the highest
 * saving of one match first (then by id), until none is left. Each unit goes into one bundle at most. Where there is
 * a choice the dearest units are taken, which is what the customer would choose.
 */
export function matchBundles(lots: readonly Lot[], bundles: readonly BundleTerms[]): Matched {
  const named = bundles.filter(({ id }) => lots.some(({ line }) => line.bundle_id === id));
  let state: Matched = { lots, matches: [] };
  for (const bundle of [...named].sort((a, b) => compareText(a.id, b.id))) {
    state = matchAll(state, [bundle], ({ line }) => line.bundle_id === bundle.id);
  }
  return matchAll(
    state,
    bundles.filter(({ auto_apply: auto }) => auto),
    () => true,
  );
}

function matchAll(from: Matched, bundles: readonly BundleTerms[], isOpen: (lot: Lot) => boolean): Matched {
  let { lots } = from;
  const matches = [...from.matches];
  for (;;) {
    const pool = lots.filter((lot) => !lot.bundled && isOpen(lot)).sort(byPriceDown);
    const best = bundles.map((bundle) => findPattern(bundle, pool)).reduce(better, null);
    if (best === null) return { lots, matches };
    // While its lots last, the same match stays the best one: nothing else gets better by units going away.
    const times = Math.min(...best.taken.map(({ lot, count }) => Math.floor(lot.count / count)));
    lots = carveTimes(lots, best, times);
    matches.push(toMatch(best, times));
  }
}

function carveTimes(lots: readonly Lot[], { taken }: Pattern, times: number): Lot[] {
  const picks = taken.flatMap(({ lot, count, price }) =>
    evenly(price, count).map((part) => ({
      lot,
      count: part.count * times,
      total: part.amount * part.count * times,
      marks: { bundled: true },
    })),
  );
  return carve(lots, picks);
}

const toMatch = ({ bundle, taken, saving }: Pattern, times: number): BundleMatch => ({
  bundle_id: bundle.id,
  title: bundle.title,
  times,
  saving: saving * times,
  parts: taken.map(({ lot, count, price }) => ({
    line_id: lot.line.id,
    quantity: count * times,
    price: price * times,
  })),
});

function better(best: Pattern | null, next: Pattern | null): Pattern | null {
  if (next === null || next.saving <= 0) return best;
  if (best === null || next.saving > best.saving) return next;
  return next.saving === best.saving && next.bundle.id < best.bundle.id ? next : best;
}

/** The pool is sorted, dearest first. */
function findPattern(bundle: BundleTerms, all: readonly Lot[]): Pattern | null {
  const pool = all.filter(({ line }) => bundle.subscribable || line.selling_plan === null);
  if (bundle.type === "tiered") return findTier(bundle, pool);
  const taken = bundle.type === "fixed" ? takeComponents(bundle, pool) : takeGroups(bundle, pool);
  if (taken === null) return null;
  const cost = taken.reduce((sum, { lot, count }) => sum + lot.amount * count, 0);
  const price = bundlePrice(bundle, cost);
  const shares = shareUnits(price, taken);
  return {
    bundle,
    taken: shares.map(({ lot, count, total }) => ({ lot, count, price: total })),
    saving: cost - price,
  };
}

function bundlePrice({ pricing: { kind, value } }: BundleTerms, cost: number): number {
  if (kind === "sum") return cost;
  if (kind === "fixed_price") return Math.min(cost, value);
  return kind === "percent_off" ? cost - Math.min(cost, mulBps(cost, value)) : Math.max(0, cost - value);
}

type Taken = { readonly lot: Lot; readonly count: number }[];

function takeComponents({ components }: BundleTerms, pool: readonly Lot[]): Taken | null {
  const wanted = new Map<string, number>();
  for (const { ref, qty } of components) wanted.set(ref, (wanted.get(ref) ?? 0) + qty);
  const taken: Taken = [];
  for (const [ref, qty] of wanted) {
    const own = pool.filter(({ line }) => line.ref === ref);
    if (unitsOf(own) < qty) return null;
    taken.push(...takeUnits(own, qty));
  }
  return taken.length === 0 ? null : taken;
}

/** No reference is in two groups, so that one group's choice takes nothing from another. */
function takeGroups({ groups }: BundleTerms, pool: readonly Lot[]): Taken | null {
  const taken: Taken = [];
  for (const { refs, pick_min: min, pick_max: max } of groups) {
    const own = pool.filter(({ line }) => refs.includes(line.ref));
    if (unitsOf(own) < min) return null;
    taken.push(...takeUnits(own, max));
  }
  return taken.length === 0 ? null : taken;
}

/** All eligible units at once, each reduced by the highest tier that they reach together. */
function findTier(bundle: BundleTerms, pool: readonly Lot[]): Pattern | null {
  const refs = new Set([
    ...bundle.components.map(({ ref }) => ref),
    ...bundle.groups.flatMap((group) => group.refs),
  ]);
  const own = pool.filter(({ line }) => refs.has(line.ref));
  const units = unitsOf(own);
  const tier = bundle.tiers.filter(({ qty }) => qty <= units).sort((a, b) => b.qty - a.qty)[0];
  if (tier === undefined) return null;
  const taken = own.map((lot) => ({
    lot,
    count: lot.count,
    price: lot.count * (lot.amount - unitSaving(lot.amount, tier)),
  }));
  const price = taken.reduce((sum, part) => sum + part.price, 0);
  return { bundle, taken, saving: costOf(own) - price };
}
