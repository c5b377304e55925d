import { inTurn, mapInSlices } from "../../../lib/slices.ts";
import type { KnownAllergens } from "../../../core/known-allergens.ts";
import type { EnginePorts } from "../../../core/ports.ts";
import { isKnownCode } from "../data/codes.ts";
import { freshen } from "../rules/freshen.ts";
import { freshnessOf } from "../rules/freshness.ts";
import { judge } from "../rules/judge.ts";
import type { Verdict, Wishes } from "../rules/judge.ts";
import { knowProduct } from "../rules/know-product.ts";
import { toCode } from "../rules/understand-code.ts";
import { ModeId } from "../schema/ingredient.ts";
import { products } from "../repository.ts";
import type { PendingChanges } from "../rules/freshness.ts";
import { openProducts } from "./read-products.ts";
import type { ReadProduct } from "./read-products.ts";
import { shopDateAt } from "./shop-date.ts";

/** What is known of products, for checks and for other engines. An unknown mode is the store's own. */
export const allergensOf: EnginePorts["allergensOf"] = async (tx, productIds, about) => {
  const wanted = [...new Set(productIds)];
  // In this order: a change that is no longer pending has reached the products by the time they are read.
  const [{ few, read, settings }, today] = await Promise.all([openProducts(tx), shopDateAt(tx, about.now)]);
  const readBy = async (pending: PendingChanges, id: string): Promise<ReadProduct | null> => {
    const stored = await tx.get(products, id);
    return stored && { stored, state: { settings, pending } };
  };
  const mode = ModeId.safeParse(about.mode).data ?? settings.default_mode;
  const size = few === null ? 1 : READ_AT_ONCE;
  const known = new Map<string, KnownAllergens>();
  for (let start = 0; start < wanted.length; start += size) {
    const ids = wanted.slice(start, start + size);
    for (const found of await Promise.all(ids.map((id) => (few === null ? read(id) : readBy(few, id))))) {
      if (found === null) continue;
      const { state, stored } = found;
      const { value } = stored;
      const facts = await inTurn(tx.part, () => {
        const freshness = freshnessOf(value, about.now, state);
        const product = freshen(value, state.pending, settings.default_mode);
        return knowProduct(product, freshness, { mode, today });
      });
      known.set(stored.id, facts);
    }
  }
  return known;
};

/** Whether products suit a guest. A word that is no code may mean anything. */
export const judgeProducts: EnginePorts["judgeProducts"] = async (tx, productIds, { avoid, diets, now }) => {
  const known = await allergensOf(tx, productIds, { mode: null, now });
  const codes = avoid.map(toCode);
  const isClear = codes.every(isKnownCode);
  const judged = await mapInSlices([...known], tx.part, ([id, facts]) => {
    const verdictOn = (wishes: Pick<Wishes, "avoid" | "diets">): Verdict =>
      judge(facts, { ...wishes, tolerate: "none" }).verdict;
    const allergens = isClear ? verdictOn({ avoid: codes, diets: [] }) : "unknown";
    return [id, { allergens, diets: verdictOn({ avoid: [], diets }) }] as const;
  });
  return new Map(judged);
};

/** Products whose recipes are in memory at once: each can be as large as a document may be. */
const READ_AT_ONCE = 20;
