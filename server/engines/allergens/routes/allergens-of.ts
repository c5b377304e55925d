import { toInstant } from "../../../lib/instant.ts";
import { mapInSlices } from "../../../lib/slices.ts";
import type { EnginePorts, KnownAllergens } from "../../../core/ports.ts";
import { loadState, products } from "../repository.ts";
import { freshen } from "../rules/freshen.ts";
import { freshnessOf } from "../rules/freshness.ts";
import { knowProduct } from "../rules/know-product.ts";
import { ModeId } from "../schema/ingredient.ts";

/** What is known of products, for checks and for other engines. An unknown mode is the store's own. */
export const allergensOf: EnginePorts["allergensOf"] = async (tx, productIds, about) => {
  const wanted = [...new Set(productIds)];
  // One after the other: a change that is no longer pending has reached the products by the time they are read.
  const state = await loadState(tx);
  const found = await Promise.all(wanted.map((id) => tx.get(products, id)));
  const mode = ModeId.safeParse(about.mode).data ?? state.settings.default_mode;
  const today = toInstant(about.now).slice(0, 10);
  const known = await mapInSlices(found, tx.part, (stored): [string, KnownAllergens][] => {
    if (stored === null) return [];
    const freshness = freshnessOf(stored.value, about.now, state);
    const product = freshen(stored.value, state.pending, state.settings.default_mode);
    return [[stored.id, knowProduct(product, freshness, { mode, today })]];
  });
  return new Map(known.flat());
};
