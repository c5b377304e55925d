import { DAY_MS, fromInstant } from "../../../lib/instant.ts";
import type { ProductVerdict } from "../../../core/known-allergens.ts";
import type { Affinity, Exposure, Upsell } from "../schema/upsell.ts";
import { compareText } from "./lots.ts";

export interface Suggestion {
  readonly ref: string;
  readonly upsell_id: string;
  readonly score: number;
  readonly reason: string;
}

/** Why a product is not suggested. */
export type Refusal =
  | "in_cart"
  | "out_of_stock"
  | "allergens"
  | "allergens_unknown"
  | "diet"
  | "shown_too_often";

export interface Audience {
  /** References in the cart. */
  readonly cart: ReadonlySet<string>;
  /** Whether products suit the allergens and diets of the customer; null where there are none. */
  readonly judged: ReadonlyMap<string, ProductVerdict> | null;
  /** References that were shown too often without being accepted. */
  readonly wornOut: ReadonlySet<string>;
}

const WINDOW_MS = 30 * DAY_MS;
const SHOWN_MAX = 5;
const WHOLE = 10_000;

/** Products that an upsell names or finds, strongest first; whether they suit is judged apart. */
export function candidatesOf(
  upsell: Upsell,
  cart: ReadonlySet<string>,
  found: readonly Affinity[],
): Suggestion[] {
  const weights = new Map(upsell.margin_weights.map(({ ref, weight_bps }) => [ref, weight_bps / WHOLE]));
  const weigh = (ref: string, score: number): number => score * (weights.get(ref) ?? 1);
  const make = (ref: string, score: number, reason: string): Suggestion => ({
    ref,
    upsell_id: upsell.id,
    score: weigh(ref, score),
    reason,
  });
  if (upsell.source === "refs")
    return upsell.refs.map((ref) => make(ref, 1, "Chosen by the shop")).sort(byScore);
  const best = new Map<string, Suggestion>();
  for (const { ref: bought, with: others } of found.filter(({ ref }) => cart.has(ref))) {
    for (const { ref, lift } of others) {
      const next = make(ref, lift, `Often bought with ${bought}`);
      if (next.score > (best.get(ref)?.score ?? 0)) best.set(ref, next);
    }
  }
  return [...best.values()].sort(byScore);
}

const byScore = (a: Suggestion, b: Suggestion): number => b.score - a.score || compareText(a.ref, b.ref);

/** Why a product must not be suggested to this customer; null when it may. What is not known counts as unsafe. */
export function whyNotSuggest(
  ref: string,
  outOfStock: ReadonlySet<string>,
  audience: Audience,
): Refusal | null {
  if (audience.cart.has(ref)) return "in_cart";
  if (outOfStock.has(ref)) return "out_of_stock";
  const unsafe = audience.judged === null ? null : conflictOf(audience.judged.get(ref));
  if (unsafe !== null) return unsafe;
  return audience.wornOut.has(ref) ? "shown_too_often" : null;
}

function conflictOf(verdict: ProductVerdict | undefined): Refusal | null {
  if (verdict === undefined || verdict.allergens === "unknown") return "allergens_unknown";
  if (verdict.allergens === "unsafe") return "allergens";
  return verdict.diets === "safe" ? null : "diet";
}

/** References that a customer was shown more than five times in 30 days without accepting one of them. */
export function wornOutRefs(exposure: Exposure | null, now: number): ReadonlySet<string> {
  if (exposure === null) return new Set();
  const isRecent = ({ at }: { readonly at: string }): boolean => now - fromInstant(at) < WINDOW_MS;
  const times = new Map<string, number>();
  for (const { ref } of exposure.shown.filter(isRecent)) times.set(ref, (times.get(ref) ?? 0) + 1);
  for (const { ref } of exposure.accepted.filter(isRecent)) times.delete(ref);
  return new Set([...times].flatMap(([ref, count]) => (count > SHOWN_MAX ? [ref] : [])));
}
