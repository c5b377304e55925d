import { DAY_MS, fromInstant } from "../../../lib/instant.ts";
import type { ModeId } from "../data/modes.ts";
import type { IngredientLine } from "../schema/ingredient.ts";
import type { Product, Status } from "../schema.ts";
import type { Settings } from "../schema/settings.ts";
import { coversMode } from "./taxonomy.ts";
import { barringNames, describeName } from "./unresolved-names.ts";
import { walkLines } from "./walk-lines.ts";

/** Library ingredients whose change has not reached every product yet, as they are now. */
export type PendingChanges = ReadonlyMap<
  string,
  { readonly revision: number; readonly name: string; readonly line?: IngredientLine | undefined }
>;

type StaleReason = Product["stale_reasons"][number];

export interface Freshness {
  readonly status: Status;
  readonly stale_reasons: StaleReason[];
}

/**
 * What a stored status is worth at this moment: a verification lapses when it is too old, and as soon as an ingredient
 * of the library changed, also while the products that use it are still being marked. An unanswered name, as
 * one that a newer vocabulary reads, ends it as well.
 */
export function freshnessOf(
  product: Product,
  now: number,
  { settings, pending }: { readonly settings: Settings; readonly pending: PendingChanges },
): Freshness {
  if (product.status !== "verified") return product;
  const reasons: StaleReason[] = [];
  const changed = findChangedIngredient(product, pending);
  if (changed !== null) reasons.push(ingredientChanged(changed));
  const [name] = barringNames(product);
  if (name !== undefined) reasons.push({ code: "name_unresolved", detail: describeName(name) });
  if (isTooOld(product, now, settings)) {
    const detail = `It was verified more than ${settings.stale_after_days} days ago.`;
    reasons.push({ code: "too_old", detail });
  }
  return reasons.length === 0 ? product : { status: "stale", stale_reasons: reasons };
}

/** The same for a product by itself, as a job marks it. */
export const ingredientChanged = (name: string): StaleReason => ({
  code: "ingredient_changed",
  detail: `${name} changed in the ingredient library. Review the declarations and verify the product again.`,
});

/** What a status is worth in a mode: a verification in one that regulates less says too little of it. */
export const statusIn = (
  { status }: Pick<Freshness, "status">,
  { verified_mode: verified }: Pick<Product, "verified_mode">,
  mode: ModeId,
): Status => (status === "verified" && !coversMode(verified, mode) ? "unverified" : status);

/** A verification holds for so many days, and ends at that instant, in epoch milliseconds; null for never. */
export const staleAt = (
  { verified_at: at }: Pick<Product, "verified_at">,
  { stale_after_days: days }: Pick<Settings, "stale_after_days">,
): number | null => (days === null || at === null ? null : fromInstant(at) + days * DAY_MS);

export const isTooOld = (
  product: Pick<Product, "verified_at">,
  now: number,
  settings: Pick<Settings, "stale_after_days">,
): boolean => now >= (staleAt(product, settings) ?? Infinity);

/** Name of an ingredient that the product took from the library before its last change; null without one. */
export function findChangedIngredient({ ingredients }: Product, pending: PendingChanges): string | null {
  if (pending.size === 0) return null;
  for (const { line } of walkLines(ingredients)) {
    const change = line.ingredient_id === null ? undefined : pending.get(line.ingredient_id);
    if (change !== undefined && (line.ingredient_revision ?? 0) < change.revision) return change.name;
  }
  return null;
}
