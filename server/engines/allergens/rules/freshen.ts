import type { ModeId } from "../data/modes.ts";
import type { IngredientLine } from "../schema/ingredient.ts";
import type { Product } from "../schema.ts";
import { findClaimConflict } from "./check-claims.ts";
import { findChangedIngredient } from "./freshness.ts";
import type { PendingChanges } from "./freshness.ts";
import { walkLines } from "./walk-lines.ts";
import { redeclare } from "./merge-declarations.ts";

/**
 * A product with the library ingredients as they are now, while a change of one is still being written to the products
 * that use it: what is served never has an older set of allergens than the library. Ask for the freshness of the stored
 * product, since the one that is returned has no outdated ingredient any more.
 */
export function freshen(product: Product, pending: PendingChanges, mode: ModeId): Product {
  if (findChangedIngredient(product, pending) === null) return product;
  const update = (line: IngredientLine): IngredientLine => {
    const change = line.ingredient_id === null ? undefined : pending.get(line.ingredient_id);
    const isOld = change !== undefined && (line.ingredient_revision ?? 0) < change.revision;
    const { id, percent, quantity_g } = line;
    const current = isOld && change.line !== undefined ? { ...change.line, id, percent, quantity_g } : line;
    return { ...current, sub_ingredients: current.sub_ingredients.map(update) };
  };
  const ingredients = product.ingredients.map(update);
  const declarations = redeclare(ingredients, product.declarations);
  return withoutBrokenClaims({ ...product, ingredients, declarations }, mode);
}

/**
 * A product that would become too large with a changed ingredient: the ingredient keeps one line, with all that it
 * contains now. Its revision stays the old one, so that the product cannot be verified before it is derived.
 */
export function collapse(product: Product, ingredientId: string, changed: IngredientLine): Product {
  const all = [...walkLines([changed])].map(({ line }) => line);
  const union = (codes: readonly string[]): string[] => [...new Set(codes)];
  const update = (line: IngredientLine): IngredientLine =>
    line.ingredient_id === ingredientId
      ? {
          ...line,
          contains: union([...line.contains, ...all.flatMap(({ contains }) => contains)]),
          may_contain: union([...line.may_contain, ...all.flatMap(({ may_contain: warned }) => warned)]),
        }
      : { ...line, sub_ingredients: line.sub_ingredients.map(update) };
  const ingredients = product.ingredients.map(update);
  return { ...product, ingredients, declarations: redeclare(ingredients, product.declarations) };
}

/** A product whose dietary claims that its ingredients break are withdrawn. */
export const withoutBrokenClaims = (product: Product, mode: ModeId): Product => ({
  ...product,
  dietary: product.dietary.map((claim) =>
    claim.status !== "withdrawn" && findClaimConflict({ ...product, dietary: [claim] }, mode) !== null
      ? { ...claim, status: "withdrawn" }
      : claim,
  ),
});
