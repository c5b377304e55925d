import type { AllergenFact, KnownAllergens } from "../../../core/known-allergens.ts";
import type { TreeModifier } from "../schema/tree.ts";

/** Data of a product; undefined: unknown. */
export type DeclaredOf = (productId: string) => KnownAllergens | undefined;

/** What the allergens of a dish depend on of a selected modifier. */
export type DishChoice = Pick<TreeModifier, "product_id" | "item_id" | "removes" | "removes_ingredient_ids">;

/** Content of a dish as ordered; the caller sets the title. */
export type DishAllergens = Omit<KnownAllergens, "title">;

/**
 * Allergens of a dish as ordered: those of the base and of every selected modifier together. A code that a modifier
 * removes is dropped only if no other remaining ingredient contains it: with `removes_ingredient_ids` the remaining
 * ones are
 * known exactly; without them the code is dropped only if a single ingredient of the base contains it, since it is
 * unknown
 * which one was left out. Codes declared manually, without ingredients, remain. An unknown or unverified part
 * makes the whole unverified.
 */
export function dishAllergens(
  productId: string | null,
  choices: readonly DishChoice[],
  declaredOf: DeclaredOf,
): DishAllergens {
  const base = productId === null ? undefined : declaredOf(productId);
  const added = choices.flatMap(({ product_id: id, item_id: item, removes }) => {
    if (id !== null) return [declaredOf(id)];
    // A modifier that only removes something adds no allergens; one that is an item does, whatever it removes.
    return removes.length > 0 && item === null ? [] : [undefined];
  });
  const parts = [base === undefined ? undefined : withoutRemoved(base, choices), ...added];
  return together(parts);
}

/**
 * Data of a dish that may be any of several, such as the draft and the published one: everything in one of them
 * counts.
 */
export const anyOf = (dishes: readonly DishAllergens[]): DishAllergens => together(dishes);

/**
 * Combined data of a dish's parts; undefined: unknown. A part counts once, however often it was selected: a dish can have
 * hundreds of parts, each with thousands of origins.
 */
function together(parts: readonly (DishAllergens | undefined)[]): DishAllergens {
  const isWhole = !parts.includes(undefined);
  const facts = [...new Set(parts)].flatMap((part) => part ?? []);
  const allergens = union(facts.map((part) => part.allergens));
  const contained = new Set(allergens);
  return {
    verified: isWhole && facts.every((part) => part.verified),
    complete_in: isWhole ? common(facts.map((part) => part.complete_in)) : [],
    mode: facts[0]?.mode ?? "",
    allergens,
    may_contain: union(facts.map((part) => part.may_contain)).filter((code) => !contained.has(code)),
    facts: mergeFacts(facts, isWhole),
    diets: isWhole ? common(facts.map((part) => part.diets)) : [],
    unfit_for: union(facts.map((part) => part.unfit_for)),
    kcal: null,
    reasons: [...new Set(facts.flatMap((part) => part.reasons ?? []))],
  };
}

function withoutRemoved(base: KnownAllergens, choices: readonly DishChoice[]): KnownAllergens {
  const gone = new Set(choices.flatMap((choice) => choice.removes_ingredient_ids));
  const isGone = ({ id, ingredient_id: library }: AllergenFact["origins"][number]): boolean =>
    gone.has(id) || (library !== null && gone.has(library));
  const carriers = new Map<string, AllergenFact["origins"][]>();
  for (const { code, presence, origins } of base.facts) {
    if (presence === "contains") carriers.set(code, [...(carriers.get(code) ?? []), origins]);
  }
  /** Codes that are gone where the ingredients are specified that were left out, and where they are not. */
  const [exact, alone] = [new Set<string>(), new Set<string>()];
  for (const [code, lists] of carriers) {
    const origins = lists.flat();
    // Declared by hand.
    if (lists.some((list) => list.length === 0)) continue;
    if (origins.every(isGone)) exact.add(code);
    if (origins.length === 1) alone.add(code);
  }
  const removed = new Set(
    choices.flatMap(({ removes, removes_ingredient_ids: ids }) => {
      const possible = ids.length > 0 ? exact : alone;
      return removes.filter((code) => possible.has(code));
    }),
  );
  if (removed.size === 0) return base;
  const isLeft = ({ code, presence }: AllergenFact): boolean => presence !== "contains" || !removed.has(code);
  const facts = base.facts.filter(isLeft);
  const named = (presence: AllergenFact["presence"]): string[] =>
    facts.flatMap((fact) => (fact.presence === presence ? (fact.declared_as ?? []) : []));
  // Salmon is declared as fish as well: without the fish sauce the dish still contains fish.
  const dropped = new Set(base.facts.flatMap((fact) => (isLeft(fact) ? [] : (fact.declared_as ?? []))));
  const kept = new Set(named("contains"));
  return {
    ...base,
    allergens: base.allergens.filter((code) => !dropped.has(code) || kept.has(code)),
    may_contain: union([base.may_contain, named("may_contain")]),
    facts,
  };
}

/**
 * Those origins of a fact on which a dish depends from which only some ingredients can be removed: theirs, and two others, which tell
 * that there are others.
 */
export function removableOrigins(
  origins: AllergenFact["origins"],
  ingredientIds: ReadonlySet<string>,
): AllergenFact["origins"] {
  let others = 0;
  return origins.filter(({ id, ingredient_id: library }) => {
    if (ingredientIds.has(id) || (library !== null && ingredientIds.has(library))) return true;
    others += 1;
    return others <= 2;
  });
}

/** An ingredient that need not be declared says less than a warning: another part may really contain it. */
const strengthOf = ({ presence, exempt }: AllergenFact): number =>
  presence === "free_from" ? 0 : exempt ? 1 : presence === "may_contain" ? 2 : 3;

/** The strongest fact of each code, without its origins; the whole is free of something only if every part is. */
function mergeFacts(parts: readonly DishAllergens[], isWhole: boolean): AllergenFact[] {
  const merged = new Map<string, AllergenFact>();
  /** Number of parts that are free of a code. */
  const free = new Map<string, number>();
  for (const { facts } of parts) {
    for (const fact of facts) {
      const before = merged.get(fact.code);
      if (before === undefined || strengthOf(fact) > strengthOf(before))
        merged.set(fact.code, { ...fact, origins: [] });
    }
    const freeHere = facts.flatMap(({ code, presence }) => (presence === "free_from" ? [code] : []));
    for (const code of new Set(freeHere)) free.set(code, (free.get(code) ?? 0) + 1);
  }
  const isFree = (code: string): boolean => isWhole && free.get(code) === parts.length;
  return [...merged.values()].filter(({ code, presence }) => presence !== "free_from" || isFree(code));
}

const union = (lists: readonly (readonly string[])[]): string[] => [...new Set(lists.flat())].sort();

const common = ([first = [], ...rest]: readonly (readonly string[])[]): string[] =>
  first.filter((each) => rest.every((list) => list.includes(each)));
