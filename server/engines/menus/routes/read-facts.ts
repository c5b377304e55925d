import type { AllergenFact, KnownAllergens } from "../../../core/known-allergens.ts";

type Origins = AllergenFact["origins"];

/** Products whose origins are in memory at once: those of one can take as much as its document. */
const FACTS_AT_ONCE = 50;

/** What is known of products, with those origins of their facts that `originsOf` returns: origins are most of it. */
export async function readFacts(
  productIds: Iterable<string | null>,
  allergensOf: (ids: readonly string[]) => Promise<ReadonlyMap<string, KnownAllergens>>,
  originsOf: (productId: string, origins: Origins) => Origins,
): Promise<ReadonlyMap<string, KnownAllergens>> {
  const ids = [...new Set(productIds)].filter((id) => id !== null);
  const found = new Map<string, KnownAllergens>();
  for (let start = 0; start < ids.length; start += FACTS_AT_ONCE) {
    for (const [id, known] of await allergensOf(ids.slice(start, start + FACTS_AT_ONCE))) {
      const facts = known.facts.map((fact) => ({ ...fact, origins: originsOf(id, fact.origins) }));
      found.set(id, { ...known, facts });
    }
  }
  return found;
}
