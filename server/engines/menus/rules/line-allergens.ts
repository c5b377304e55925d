import type { AllergenFact, KnownAllergens } from "../../../core/ports.ts";
import type { TreeModifier } from "../schema/tree.ts";

/** What is known of a product; undefined: nothing. */
export type DeclaredOf = (productId: string) => KnownAllergens | undefined;

type Choice = Pick<TreeModifier, "product_id" | "item_id" | "removes" | "removes_ingredient_ids">;

/** What a dish contains as it is ordered; the title is the caller's to give. */
export type DishAllergens = Omit<KnownAllergens, "title">;

/**
 * Allergens of a dish as it is ordered: those of the base and of every chosen modifier together. A code that a modifier
 * removes goes only when no other remaining ingredient carries it: with `removes_ingredient_ids` the remaining ones are
 * known exactly; without them the code goes only where one single ingredient of the base carries it, since nobody tells
 * which one was left out. What was declared by hand, without ingredients, stays. One part of which nothing is known,
 * or that nobody has verified, makes the whole unverified.
 */
export function dishAllergens(
  productId: string | null,
  choices: readonly Choice[],
  declaredOf: DeclaredOf,
): DishAllergens {
  const base = productId === null ? undefined : declaredOf(productId);
  const added = choices.flatMap(({ product_id: id, item_id: item, removes }) => {
    if (id !== null) return [declaredOf(id)];
    // What only takes something away adds nothing to eat; what is an item does, whatever it takes away beside.
    return removes.length > 0 && item === null ? [] : [undefined];
  });
  const parts = [base === undefined ? undefined : withoutRemoved(base, choices), ...added];
  return together(parts);
}

/** What is known of a dish that may be any of some, as a draft and what is published: whatever one of them has counts. */
export const anyOf = (dishes: readonly DishAllergens[]): DishAllergens => together(dishes);

/** Parts of a dish as one; undefined: nobody knows. */
function together(parts: readonly (DishAllergens | undefined)[]): DishAllergens {
  const known = parts.flatMap((part) => part ?? []);
  const isWhole = known.length === parts.length;
  const allergens = union(known.map((part) => part.allergens));
  return {
    verified: isWhole && known.every((part) => part.verified),
    complete_in: isWhole ? common(known.map((part) => part.complete_in)) : [],
    allergens,
    may_contain: union(known.map((part) => part.may_contain)).filter((code) => !allergens.includes(code)),
    facts: mergeFacts(known, isWhole),
    diets: isWhole ? common(known.map((part) => part.diets)) : [],
    unfit_for: union(known.map((part) => part.unfit_for)),
  };
}

/** True when a code that is not named is not in it, in at least one regulatory mode. */
export const isComplete = (known: Pick<KnownAllergens, "verified" | "complete_in"> | undefined): boolean =>
  known !== undefined && known.verified && known.complete_in.length > 0;

function withoutRemoved(base: KnownAllergens, choices: readonly Choice[]): KnownAllergens {
  const gone = new Set(choices.flatMap((choice) => choice.removes_ingredient_ids));
  const isGone = ({ id, ingredient_id: library }: AllergenFact["origins"][number]): boolean =>
    gone.has(id) || (library !== null && gone.has(library));
  const removed = new Set(
    choices.flatMap(({ removes, removes_ingredient_ids: ids }) =>
      removes.filter((code) => {
        const carriers = base.facts.filter((fact) => fact.code === code && fact.presence === "contains");
        const origins = carriers.flatMap((fact) => fact.origins);
        const isByHand = carriers.some((fact) => fact.origins.length === 0);
        return (
          !isByHand && (ids.length > 0 ? origins.length > 0 && origins.every(isGone) : origins.length === 1)
        );
      }),
    ),
  );
  if (removed.size === 0) return base;
  const isLeft = ({ code, presence }: AllergenFact): boolean => presence !== "contains" || !removed.has(code);
  const facts = base.facts.filter(isLeft);
  const named = (presence: AllergenFact["presence"]): string[] =>
    facts.flatMap((fact) => (fact.presence === presence ? (fact.declared_as ?? []) : []));
  // Salmon is declared as fish as well: without the fish sauce there still is fish in it.
  const dropped = new Set(base.facts.flatMap((fact) => (isLeft(fact) ? [] : (fact.declared_as ?? []))));
  const kept = new Set(named("contains"));
  return {
    ...base,
    allergens: base.allergens.filter((code) => !dropped.has(code) || kept.has(code)),
    may_contain: union([base.may_contain, named("may_contain")]),
    facts,
  };
}

const STRENGTH: Readonly<Record<AllergenFact["presence"], number>> = {
  free_from: 0,
  may_contain: 1,
  contains: 2,
};

/** The strongest fact of each code with all its origins; free of something is only what every part is free of. */
function mergeFacts(parts: readonly DishAllergens[], isWhole: boolean): AllergenFact[] {
  const merged = new Map<string, AllergenFact>();
  for (const fact of parts.flatMap((part) => part.facts)) {
    const before = merged.get(fact.code);
    if (before === undefined || STRENGTH[before.presence] < STRENGTH[fact.presence])
      merged.set(fact.code, fact);
    else if (before.presence === fact.presence) {
      const origins = [...before.origins, ...fact.origins];
      merged.set(fact.code, { ...before, exempt: before.exempt && fact.exempt, origins });
    }
  }
  const isFree = (code: string): boolean =>
    isWhole &&
    parts.every(({ facts }) => facts.some((fact) => fact.code === code && fact.presence === "free_from"));
  return [...merged.values()].filter(({ code, presence }) => presence !== "free_from" || isFree(code));
}

const union = (lists: readonly (readonly string[])[]): string[] => [...new Set(lists.flat())].sort();

const common = ([first = [], ...rest]: readonly (readonly string[])[]): string[] =>
  first.filter((each) => rest.every((list) => list.includes(each)));
