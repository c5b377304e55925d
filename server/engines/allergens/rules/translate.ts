import type { Language } from "../data/modes.ts";
import type { IngredientLine } from "../schema/ingredient.ts";
import type { Product } from "../schema.ts";

type Named = Pick<IngredientLine, "name" | "names">;

/** A product whose title and ingredients have the names of a language, and the names that have no translation. */
export interface Translated {
  readonly product: Product;
  readonly missing: readonly string[];
}

/** A product whose library ingredients have the names in other languages that the library has now. */
export function withLibraryNames(product: Product, library: ReadonlyMap<string, Named>): Product {
  const update = (line: IngredientLine): IngredientLine => {
    const known = line.ingredient_id === null ? undefined : library.get(line.ingredient_id);
    const names = known?.name === line.name ? known.names : line.names;
    return {
      ...line,
      ...(names === undefined ? {} : { names }),
      sub_ingredients: line.sub_ingredients.map(update),
    };
  };
  return { ...product, ingredients: product.ingredients.map(update) };
}

/**
 * A product in the language of a label. `from` is the language of its names. A name without a translation stays as it is
 * and is reported: a label in two languages at once is none. The shop's own statement is in its own language only.
 */
export function translateProduct(product: Product, from: Language, to: Language): Translated {
  if (from === to) return { product, missing: [] };
  const missing = new Set<string>();
  const nameOf = (name: string, names: Named["names"]): string => {
    const found = names?.[to];
    if (found === undefined) missing.add(name);
    return found ?? name;
  };
  const translateLine = (line: IngredientLine): IngredientLine => ({
    ...line,
    name: nameOf(line.name, line.names),
    sub_ingredients: line.sub_ingredients.map(translateLine),
  });
  return {
    product: {
      ...product,
      title: nameOf(product.title, product.titles),
      ingredients: product.ingredients.map(translateLine),
      contains_statement: null,
    },
    missing: [...missing],
  };
}
