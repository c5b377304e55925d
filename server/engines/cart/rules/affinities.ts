import { giveWay } from "../../../lib/slices.ts";
import type { Affinity } from "../schema/upsell.ts";
import { compareText } from "./lots.ts";

/** Orders that two products must share before it counts as more than chance. */
export const SUPPORT_MIN = 5;
const KEPT = 50;
/**
 * Products of an order that are counted, in the order of the cart: pairs grow with the square, and who buys more than that at once
 * stocks up, which reveals little about what goes together.
 */
export const REFS_PER_ORDER = 30;
/** Products and pairs that are counted, those of the first orders: so a run needs some tens of megabytes at most. */
const REFS_MAX = 20_000;
const PAIRS_MAX = 250_000;

/** Products of orders, each as its index in `refs`. */
export interface Baskets {
  readonly refs: readonly string[];
  readonly orders: readonly (readonly number[])[];
  /** Adds an order; `refs` may contain a product more than once. */
  add(refs: readonly string[]): void;
}

export function createBaskets(): Baskets {
  const indexes = new Map<string, number>();
  const refs: string[] = [];
  const orders: number[][] = [];
  const indexOf = (ref: string): number | undefined => {
    const index = indexes.get(ref);
    if (index !== undefined || refs.length === REFS_MAX) return index;
    indexes.set(ref, refs.length);
    return refs.push(ref) - 1;
  };
  return {
    refs,
    orders,
    add(own) {
      const first = [...new Set(own)].slice(0, REFS_PER_ORDER);
      orders.push(first.map(indexOf).filter((index) => index !== undefined));
    },
  };
}

/**
 * What is bought together: lift = n · c(A,B) / (c(A) · c(B)), where 1 is chance. Pairs in fewer than five orders are left out. By
 * product, the strongest first. Computed with pauses; `key`: for whom.
 */
export async function affinities(
  { refs, orders }: Baskets,
  key: string,
): Promise<Map<string, Affinity["with"]>> {
  const counts = refs.map(() => 0);
  for (const order of orders) for (const ref of order) counts[ref] = countOf(counts, ref) + 1;
  const pairs = await countPairs(orders, counts, key);
  const found = new Map<string, Affinity["with"]>();
  for (const [pair, shared] of pairs) {
    await giveWay(key);
    if (shared < SUPPORT_MIN) continue;
    const [a, b] = [Math.floor(pair / REFS_MAX), pair % REFS_MAX];
    const lift = (orders.length * shared) / (countOf(counts, a) * countOf(counts, b));
    addStrong(found, refs[a] ?? "", { ref: refs[b] ?? "", orders: shared, lift });
    addStrong(found, refs[b] ?? "", { ref: refs[a] ?? "", orders: shared, lift });
  }
  for (const [ref, others] of found) {
    await giveWay(key);
    found.set(ref, strongest(others));
  }
  return found;
}

const countOf = (counts: readonly number[], ref: number): number => counts[ref] ?? 0;

/** Orders by pair, the lower index times `REFS_MAX` plus the higher; without products in too few orders, which have no such pair. */
async function countPairs(
  orders: Baskets["orders"],
  counts: readonly number[],
  key: string,
): Promise<ReadonlyMap<number, number>> {
  const pairs = new Map<number, number>();
  for (const order of orders) {
    await giveWay(key);
    const common = order.filter((ref) => countOf(counts, ref) >= SUPPORT_MIN).sort((a, b) => a - b);
    for (const [at, ref] of common.entries()) {
      for (const other of common.slice(at + 1)) {
        const pair = ref * REFS_MAX + other;
        const before = pairs.get(pair);
        if (before !== undefined || pairs.size < PAIRS_MAX) pairs.set(pair, (before ?? 0) + 1);
      }
    }
  }
  return pairs;
}

function addStrong(found: Map<string, Affinity["with"]>, ref: string, other: Affinity["with"][number]): void {
  const others = found.get(ref) ?? [];
  others.push(other);
  // A product that is in every order has thousands.
  found.set(ref, others.length < 4 * KEPT ? others : strongest(others));
}

const strongest = (others: Affinity["with"]): Affinity["with"] =>
  others.sort((a, b) => b.lift - a.lift || compareText(a.ref, b.ref)).slice(0, KEPT);
