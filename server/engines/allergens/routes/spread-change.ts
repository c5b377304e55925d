import { facet, products, ripples } from "../repository.ts";
import type { Ripple } from "../repository.ts";
import { findChangedIngredient, ingredientChanged } from "../rules/freshness.ts";
import type { ModeId } from "../data/modes.ts";
import { stageStale } from "./save-product.ts";
import type { Writing } from "./save-product.ts";

/** Products that one commit marks; each is up to eleven operations of the two hundred. */
export const MARKED_PER_COMMIT = 15;

export interface Spread {
  readonly marked: number;
  /** Where to go on; null when every product was looked at. */
  readonly cursor: string | null;
}

/**
 * Marks the next products that use a changed library ingredient as stale. Products that were never verified stay as
 * they are, and so do those that took the ingredient after its change.
 */
export async function spreadChange(
  work: Writing,
  ripple: Pick<Ripple, "ingredient_id" | "name" | "revision" | "cursor">,
  mode: ModeId,
): Promise<Spread> {
  const page = await work.tx.peekPage(products, {
    index: "by",
    value: facet.ingredient(ripple.ingredient_id),
    limit: MARKED_PER_COMMIT,
    cursor: ripple.cursor ?? undefined,
  });
  const change = new Map([[ripple.ingredient_id, ripple]]);
  let marked = 0;
  for (const { id } of page.items) {
    // Read again: a product that changes meanwhile makes the commit fail over.
    const stored = await work.tx.get(products, id);
    if (stored?.value.status !== "verified" || findChangedIngredient(stored.value, change) === null) continue;
    stageStale(work, stored, [ingredientChanged(ripple.name)], mode);
    marked += 1;
  }
  return { marked, cursor: page.next };
}

/** Spreads a change to the first products at once, and leaves the rest to the job: reads heed it all the same. */
export async function beginSpread(
  work: Writing,
  change: Pick<Ripple, "ingredient_id" | "name" | "revision">,
  mode: ModeId,
): Promise<void> {
  const id = rippleId(change.ingredient_id);
  const before = await work.tx.get(ripples, id);
  const { cursor } = await spreadChange(work, { ...change, cursor: null }, mode);
  if (cursor === null) {
    if (before !== null) work.tx.remove(ripples, before);
    return;
  }
  const next: Ripple = { ...change, id, cursor, created_at: work.nowAt };
  work.tx.save(ripples, before, next);
}

const rippleId = (ingredientId: string): string => `rip_${ingredientId.replace(/^ing_/, "")}`;
