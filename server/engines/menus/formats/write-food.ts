import { widening } from "./food-tags.ts";
import type { FoodTags } from "./food-tags.ts";
import type { Losses, Path } from "./losses.ts";
import type { ProductFacts } from "./tree-view.ts";

/**
 * Allergens and diets of a product in the vocabulary of a system. Nothing is exported about an unknown product:
 * absence is not "free from". A code without an equivalent is exported as its group, which is reported.
 */
export function wordsOf<W extends string | number>(
  tags: FoodTags<W>,
  facts: ReadonlyMap<string, ProductFacts>,
  productId: string | null,
  { losses, path }: { readonly losses: Losses; readonly path: Path },
): { allergens: W[]; diets: W[] } {
  const declared = productId === null ? undefined : facts.get(productId);
  if (declared === undefined) {
    if (productId !== null)
      losses.add([...path, "product_id"], "The product has no verified allergen information.");
    return { allergens: [], diets: [] };
  }
  const allergens = declared.contains.flatMap((code): W[] => {
    const match = widening(code).find((wider) => tags.allergens[wider] !== undefined);
    const word = match === undefined ? undefined : tags.allergens[match];
    if (word === undefined) losses.add([...path, "product_id"], `The format has no equivalent of ${code}.`);
    else if (match !== code) losses.add([...path, "product_id"], `${code} is exported as ${word}.`);
    return word === undefined ? [] : [word];
  });
  const diets = declared.diets.flatMap((claim): W[] => {
    const word = tags.diets[claim];
    if (word === undefined) losses.add([...path, "product_id"], `The format has no equivalent of ${claim}.`);
    return word === undefined ? [] : [word];
  });
  return { allergens: [...new Set(allergens)], diets: [...new Set(diets)] };
}
