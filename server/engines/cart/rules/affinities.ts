import type { Affinity } from "../schema/upsell.ts";
import { compareText } from "./lots.ts";

/** Orders that two products must share before it counts as more than chance. */
export const SUPPORT_MIN = 5;
const KEPT = 50;

/**
 * What is bought together, from the products of each order: lift = n · c(A,B) / (c(A) · c(B)), where 1 is chance. Pairs
 * in fewer than five orders are left out. By product, the strongest first.
 */
export function affinities(orders: readonly (readonly string[])[]): Map<string, Affinity["with"]> {
  const counts = new Map<string, number>();
  const pairs = new Map<string, Map<string, number>>();
  for (const order of orders) {
    const refs = [...new Set(order)];
    for (const ref of refs) {
      counts.set(ref, (counts.get(ref) ?? 0) + 1);
      const own = pairs.get(ref) ?? new Map<string, number>();
      pairs.set(ref, own);
      for (const other of refs) if (other !== ref) own.set(other, (own.get(other) ?? 0) + 1);
    }
  }
  const found = new Map<string, Affinity["with"]>();
  for (const [ref, others] of pairs) {
    const strong = [...others]
      .filter(([, shared]) => shared >= SUPPORT_MIN)
      .map(([other, shared]) => ({
        ref: other,
        orders: shared,
        lift: (orders.length * shared) / ((counts.get(ref) ?? 1) * (counts.get(other) ?? 1)),
      }))
      .sort((a, b) => b.lift - a.lift || compareText(a.ref, b.ref));
    if (strong.length > 0) found.set(ref, strong.slice(0, KEPT));
  }
  return found;
}
