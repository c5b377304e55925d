import type { ModeId } from "../data/modes.ts";
import type { IngredientLine } from "../schema/ingredient.ts";
import { ALLERGEN_LIMITS } from "../schema/limits.ts";
import type { Product } from "../schema.ts";
import { findClaimConflict } from "./check-claims.ts";
import { findChangedIngredient } from "./freshness.ts";
import type { PendingChanges } from "./freshness.ts";
import { walkLines } from "./walk-lines.ts";
import { redeclare, withoutOldAmounts } from "./merge-declarations.ts";

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
  const measured = withoutOldAmounts(product.declarations, product.ingredients, ingredients);
  const declarations = redeclare(ingredients, measured);
  return withoutBrokenClaims({ ...product, ingredients, declarations }, mode);
}

/**
 * A product that would become too large with a changed ingredient: of the lines with it, the first has all that it contains now, and
 * claims that it breaks are withdrawn. What is declared stays: what lines contain counts all the same. Its revision stays the old one, so
 * that the product cannot be verified before it is derived.
 */
export function collapse(product: Product, changed: IngredientLine, mode: ModeId): Product {
  const all = [...walkLines([changed])].map(({ line }) => line);
  const { exemption, gluten_mg_per_kg, gluten_reduced } = changed;
  const facts = {
    // That of a part does not hold for the rest.
    exemption: all.every(({ exemption: own }) => own === null || own === exemption) ? exemption : null,
    animal_origin: all.find(({ animal_origin: origin }) => origin !== "none")?.animal_origin ?? "none",
    alcohol: all.some(({ alcohol }) => alcohol),
    gluten_mg_per_kg,
    gluten_reduced,
  };
  let isDone = false;
  const update = (line: IngredientLine): IngredientLine => {
    if (isDone || line.ingredient_id !== changed.ingredient_id)
      return { ...line, sub_ingredients: line.sub_ingredients.map(update) };
    isDone = true;
    const contains = pieces([...line.contains, ...all.flatMap(({ contains: codes }) => codes)]);
    const warned = pieces([...line.may_contain, ...all.flatMap(({ may_contain: codes }) => codes)]);
    const codesAt = (at: number) => ({ contains: contains[at] ?? [], may_contain: warned[at] ?? [] });
    const { names: _names, acknowledgements: _answers, ...bare } = { ...line, ...facts, supplier: null };
    // A line has room for so many codes; the rest is in further ones inside it.
    const rest = Array.from({ length: Math.max(contains.length, warned.length) - 1 }, (_, at) => ({
      ...bare,
      ...codesAt(at + 1),
      id: `${line.id}.0${at}`,
      ingredient_id: null,
      ingredient_revision: null,
      sub_ingredients: [],
    }));
    const parts = line.sub_ingredients.filter(({ id }) => !id.startsWith(`${line.id}.0`));
    return { ...line, ...facts, ...codesAt(0), sub_ingredients: [...parts, ...rest] };
  };
  const ingredients = product.ingredients.map(update);
  const whole = [...ingredients, changed];
  const declarations = redeclare(whole, product.declarations);
  const { dietary } = withoutBrokenClaims({ ...product, ingredients: whole, declarations }, mode);
  return { ...product, ingredients, dietary };
}

/** Codes, each once, as many at a time as a line may have. */
function pieces(codes: readonly string[]): string[][] {
  const rest = [...new Set(codes)];
  const found: string[][] = [];
  while (rest.length > 0) found.push(rest.splice(0, ALLERGEN_LIMITS.codesPerIngredient));
  return found;
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
