import { costOfChange, facet, products, rippleId, ripples } from "../repository.ts";
import type { Ripple } from "../repository.ts";
import { collapse, withoutBrokenClaims } from "../rules/freshen.ts";
import { findChangedIngredient, ingredientChanged } from "../rules/freshness.ts";
import { redeclare, withoutOldAmounts } from "../rules/merge-declarations.ts";
import type { ModeId } from "../data/modes.ts";
import { ALLERGEN_LIMITS } from "../schema/limits.ts";
import type { Product } from "../schema.ts";
import { refreshLines } from "./resolve-lines.ts";
import { bytesOf, PRODUCT_BYTES_MAX, stageChanged, withCalculatedNutrition } from "./save-product.ts";
import type { Writing } from "./save-product.ts";

/** Products that one step looks at. */
const LOOKED_AT = 15;
/** Operations that one step stages, of the two hundred of a commit, and bytes, of its megabyte. */
const OPS_MAX = 150;
const BYTES_MAX = 500_000;

type Change = Pick<Ripple, "ingredient_id" | "name" | "revision" | "line">;

export interface Spread {
  readonly marked: number;
  readonly isDone: boolean;
  /** Where to go on; null: at the beginning. */
  readonly cursor: string | null;
}

/**
 * Brings the next products that use a changed library ingredient up to date: their recipes and declarations follow it,
 * claims that it breaks are withdrawn, and a verification lapses. Those that took the ingredient after its change stay.
 */
export async function spreadChange(
  work: Writing,
  ripple: Change & Pick<Ripple, "cursor">,
  mode: ModeId,
): Promise<Spread> {
  const page = await work.tx.peekPage(products, {
    index: "by",
    value: facet.ingredient(ripple.ingredient_id),
    limit: LOOKED_AT,
    cursor: ripple.cursor ?? undefined,
  });
  const change = new Map([[ripple.ingredient_id, ripple]]);
  let marked = 0;
  let spent = 0;
  let bytes = 0;
  for (const { id } of page.items) {
    // Read again: a product that changes meanwhile makes the commit fail over.
    const stored = await work.tx.get(products, id);
    if (stored === null || findChangedIngredient(stored.value, change) === null) continue;
    const next = await bringUpToDate(work, stored.value, ripple, mode);
    spent += costOfChange(stored.value, next);
    // The product, and once more in its history.
    bytes += 2 * bytesOf(next);
    // The next step begins at the same page and passes over what is up to date by then.
    if ((spent > OPS_MAX || bytes > BYTES_MAX) && marked > 0)
      return { marked, isDone: false, cursor: ripple.cursor };
    const { detail } = ingredientChanged(ripple.name);
    await stageChanged(work, stored, next, { kind: "became_stale", mode, by: null, note: detail });
    marked += 1;
  }
  return { marked, isDone: page.next === null, cursor: page.next };
}

/** A product with the library as it is now. One that would become too large keeps its lines, and is stale all the same. */
async function bringUpToDate(
  work: Writing,
  product: Product,
  change: Change,
  mode: ModeId,
): Promise<Product> {
  const stale: Product =
    product.status === "unverified"
      ? product
      : { ...product, status: "stale", stale_reasons: reasonsAfter(product, change.name) };
  const { lines, refusal } = await refreshLines(work, product.ingredients);
  const measured = withoutOldAmounts(product.declarations, product.ingredients, lines);
  const declarations = redeclare(lines, measured);
  if (refusal === null && declarations.length <= ALLERGEN_LIMITS.declarations) {
    const fresh = await withCalculatedNutrition(work.tx, { ...stale, ingredients: lines, declarations });
    if (bytesOf(fresh) <= PRODUCT_BYTES_MAX) return withoutBrokenClaims(fresh, mode);
  }
  return change.line === undefined ? stale : collapse(stale, change.line, mode);
}

/** One reason of each kind, at most three. */
const reasonsAfter = ({ stale_reasons: before }: Product, name: string): Product["stale_reasons"] =>
  [ingredientChanged(name), ...before.filter(({ code }) => code !== "ingredient_changed")].slice(0, 3);

/** Spreads a change to the first products at once, and leaves the rest to the job: reads consider it at once. */
export async function beginSpread(work: Writing, change: Change, mode: ModeId): Promise<void> {
  const id = rippleId(change.ingredient_id);
  const before = await work.tx.get(ripples, id);
  const { cursor, isDone } = await spreadChange(work, { ...change, cursor: null }, mode);
  if (isDone) {
    if (before !== null) work.tx.remove(ripples, before);
    return;
  }
  const next: Ripple = { ...change, id, cursor, created_at: work.nowAt };
  work.tx.save(ripples, before, next);
}
