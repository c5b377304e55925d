import type { TreeModifier } from "../schema.ts";

/** What a product is declared to hold. Codes are those of /v1/allergens. */
export interface ProductAllergens {
  /** False: somebody has yet to declare all of it. */
  readonly complete: boolean;
  readonly contains: readonly string[];
  readonly may_contain: readonly string[];
  /** Its ingredients, nested ones by themselves; null where they are not known one by one. */
  readonly ingredients:
    | readonly { readonly id: string; readonly contains: readonly string[]; readonly may_contain: readonly string[] }[]
    | null;
}

export interface LineAllergens {
  readonly allergens: string[];
  readonly may_contain: string[];
  readonly allergen_status: "complete" | "unknown";
}

/** The declaration of a product; undefined where there is none. */
export type DeclaredOf = (productId: string) => ProductAllergens | undefined;

/**
 * Allergens of a dish as it is ordered: those of the base and of every chosen modifier together. A code that a modifier
 * removes goes only when no other remaining ingredient carries it: with `removes_ingredient_ids` the remaining ones are
 * known exactly; without them the code goes only where the base has one single ingredient that carries it, since
 * nobody tells which one was left out. A base whose ingredients are not known keeps all its codes. One part without a
 * complete declaration makes the whole unknown.
 */
export function lineAllergens(
  productId: string | null,
  modifiers: readonly Pick<TreeModifier, "product_id" | "removes" | "removes_ingredient_ids">[],
  declaredOf: DeclaredOf,
): LineAllergens {
  const baseProduct = productId === null ? undefined : declaredOf(productId);
  const added = modifiers.flatMap(({ product_id: id }) => (id === null ? [] : [{ declared: declaredOf(id) }]));
  // Something to eat of which nobody says what it is; what only takes something away is none.
  const undeclared = modifiers.some(({ product_id: id, removes }) => id === null && removes.length === 0);
  const known = added.flatMap(({ declared }) => declared ?? []);
  const complete =
    baseProduct?.complete === true &&
    known.length === added.length &&
    known.every((product) => product.complete) &&
    !undeclared;
  const baseCodes = baseProduct === undefined ? NOTHING : withoutRemoved(baseProduct, modifiers);
  const contains = new Set([...baseCodes.contains, ...known.flatMap((product) => product.contains)]);
  const mayContain = new Set([...baseCodes.may_contain, ...known.flatMap((product) => product.may_contain)]);
  return {
    allergens: [...contains].sort(),
    may_contain: [...mayContain].filter((code) => !contains.has(code)).sort(),
    allergen_status: complete ? "complete" : "unknown",
  };
}

const NOTHING = { contains: [], may_contain: [] } as const;

function withoutRemoved(
  product: ProductAllergens,
  modifiers: readonly Pick<TreeModifier, "removes" | "removes_ingredient_ids">[],
): { readonly contains: readonly string[]; readonly may_contain: readonly string[] } {
  const { ingredients } = product;
  if (ingredients === null) return product;
  const gone = new Set(modifiers.flatMap((modifier) => modifier.removes_ingredient_ids));
  const remaining = ingredients.filter(({ id }) => !gone.has(id));
  const removable = new Set(
    modifiers.flatMap(({ removes, removes_ingredient_ids: ids }) =>
      removes.filter((code) =>
        ids.length > 0
          ? !carries(remaining, code)
          : ingredients.filter(({ contains }) => contains.includes(code)).length === 1,
      ),
    ),
  );
  return {
    contains: product.contains.filter((code) => !removable.has(code)),
    may_contain: product.may_contain,
  };
}

const carries = (ingredients: readonly { readonly contains: readonly string[] }[], code: string): boolean =>
  ingredients.some(({ contains }) => contains.includes(code));
