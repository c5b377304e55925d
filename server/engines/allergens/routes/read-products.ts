import { LIMITS } from "../../../core/limits.ts";
import { readEach } from "../../../core/read-page.ts";
import type { Stored, Tx } from "../../../core/tx.ts";
import { fail } from "../../../lib/errors.ts";
import { giveWay } from "../../../lib/slices.ts";
import { products, readSettings, rippleId, ripples } from "../repository.ts";
import type { Ripple } from "../repository.ts";
import { findChangedIngredient } from "../rules/freshness.ts";
import type { PendingChanges } from "../rules/freshness.ts";
import { namedIn } from "../rules/walk-lines.ts";
import type { Product } from "../schema.ts";
import type { IngredientLine } from "../schema/ingredient.ts";
import type { Settings } from "../schema/settings.ts";

/** What decides how a product is read: `pending` has what changed of its ingredients. */
export interface StoreState {
  readonly settings: Settings;
  readonly pending: PendingChanges;
}

/** A product with what it is read by. */
export interface ReadProduct {
  readonly stored: Stored<Product>;
  readonly state: StoreState;
}

const NONE: PendingChanges = new Map();

const isAnyPending = async (tx: Tx): Promise<boolean> => (await tx.peekCount(ripples, { max: 1 })) > 0;

/** The state for a product that this transaction writes. */
export async function stateOf(tx: Tx, { ingredients }: Pick<Product, "ingredients">): Promise<StoreState> {
  const [settings, hasPending] = await Promise.all([readSettings(tx), isAnyPending(tx)]);
  return { settings, pending: hasPending ? await pendingOf(tx, ingredients) : NONE };
}

/** Pending changes that are read together. */
const FEW = { limit: 10, bytes: 100_000 };

/**
 * Reads products by their ids, each with what is pending of its own ingredients: of all of a store that can be megabytes. `few`: all that
 * is pending, unless it is much; for what reads many products, as the changes of each ingredient would be more checks than a commit has.
 */
export async function openProducts(tx: Tx) {
  const [settings, { items, next }] = await Promise.all([readSettings(tx), tx.peekPage(ripples, FEW)]);
  const hasPending = items.length > 0;
  const few: PendingChanges | null =
    next === null ? new Map(items.map(({ value }) => [value.ingredient_id, value])) : null;
  const read = async (id: string): Promise<ReadProduct | null> => {
    for (let before = await tx.get(products, id); before !== null;) {
      const pending = hasPending ? await pendingOf(tx, before.value.ingredients) : NONE;
      // Read again: a change that is no longer pending has reached the product by the time it is read.
      const stored = hasPending ? await tx.get(products, id) : before;
      if (stored?.version === before.version) return { stored, state: { settings, pending } };
      before = stored;
    }
    return null;
  };
  return { settings, hasPending, few, read };
}

/** The product, or 404. */
export async function readProduct(tx: Tx, id: string): Promise<ReadProduct> {
  const found = await (await openProducts(tx)).read(id);
  if (found === null) throw fail("not_found", "No resource with this id.");
  return found;
}

/** For what goes through many products: call it before they are read. */
export async function openStore(tx: Tx) {
  const { settings, hasPending, few, read } = await openProducts(tx);
  const { isWhole, pending } = few === null ? await allPending(tx) : { isWhole: true, pending: few };
  return {
    settings,
    hasPending,
    /** The product of a page with what it is read by; null where it is gone. */
    current: async (product: Product): Promise<CurrentProduct | null> => {
      if (isWhole || findChangedIngredient(product, pending) === null)
        return { product, state: { settings, pending } };
      const found = await read(product.id);
      return found && { product: found.stored.value, state: found.state };
    },
  };
}

export interface CurrentProduct extends Pick<ReadProduct, "state"> {
  readonly product: Product;
}

type Pending = Map<string, Pick<Ripple, "name" | "revision" | "line">>;

/** Every pending change. Beyond the characters that a handler has in memory, without the lines, which are read for each product. */
async function allPending(tx: Tx): Promise<{ isWhole: boolean; pending: PendingChanges }> {
  const pending: Pending = new Map();
  let chars = 0;
  const page: Tx["peekPage"] = (collection, query) => tx.peekPage(collection, query);
  for await (const { members, value } of readEach(tx.part, ripples, {}, page)) {
    chars += members.length;
    const { ingredient_id: id, line, name, revision } = value;
    pending.set(id, { name, revision, line: chars > LIMITS.allChars ? undefined : line });
  }
  return { isWhole: chars <= LIMITS.allChars, pending };
}

/** Changes that are looked for of one product: each is checked at the commit. Those inside others only make them more precise. */
const LOOKED_AT_MAX = 500;

/** Changes of the ingredients in these lines, at any level, and of those in the changed ones. */
async function pendingOf(tx: Tx, lines: readonly IngredientLine[]): Promise<PendingChanges> {
  const pending: Pending = new Map();
  const looked = new Set<string>();
  for (let ids = namedIn(lines); ids.length > 0;) {
    for (const id of ids) looked.add(id);
    const inside: string[] = [];
    for (const stored of await tx.getAll(ripples, ids.map(rippleId))) {
      await giveWay(tx.part);
      if (stored === null) continue;
      const { ingredient_id: id, line } = stored.value;
      pending.set(id, stored.value);
      inside.push(...namedIn(line === undefined ? [] : [line]));
    }
    ids = [...new Set(inside)].filter((id) => !looked.has(id)).slice(0, LOOKED_AT_MAX - looked.size);
  }
  return pending;
}
