import type { Ctx } from "../../../core/route.ts";
import type { Tx } from "../../../core/tx.ts";
import { runInSlices } from "../../../lib/slices.ts";
import { readAll, readSettings, readTree, stocks, versionId, versions } from "../repository.ts";
import { createJudge } from "../rules/availability.ts";
import { groupsOfItem, groupsOfModifier } from "../rules/group-use.ts";
import type { UsedGroup } from "../rules/group-use.ts";
import type { IndexedTree } from "../rules/index-tree.ts";
import { removableOrigins } from "../rules/line-allergens.ts";
import type { DeclaredOf } from "../rules/line-allergens.ts";
import type { Reader } from "../rules/pick-text.ts";
import { levelPricesSteps } from "../rules/price-level.ts";
import type { PriceContext } from "../rules/price-order.ts";
import { liveVersionAt } from "../rules/publication.ts";
import type { LiveState } from "../rules/publication.ts";
import type { Menu } from "../schema.ts";
import type { Channel } from "../schema/parts.ts";
import type { Stock } from "../schema/stock.ts";
import type { TreeItem, TreeModifier } from "../schema/tree.ts";
import { readFacts } from "./read-facts.ts";

export interface LiveTree {
  readonly n: number;
  readonly tree: IndexedTree;
}

/** The tree that is live at an instant; null without one. */
export async function readLive(
  tx: Tx,
  menu: Pick<Menu, "id"> & LiveState,
  atMs: number,
): Promise<LiveTree | null> {
  const n = liveVersionAt(menu, atMs);
  if (n === null) return null;
  const version = await tx.require(versions, versionId(menu.id, n));
  return { n, tree: await readTree(tx, version.value) };
}

type StockOf = (targetId: string) => Stock | undefined;

/** Stock of some items and of all their possible modifiers. */
export async function readStockOf(tx: Tx, tree: IndexedTree, items: readonly TreeItem[]): Promise<StockOf> {
  const used = await runInSlices(modifiersOf(tree, items), tx.part);
  const targets = [...items.map(({ id }) => id), ...used.flatMap((each) => [each.id, each.item_id])];
  const ids = [...new Set(targets.flatMap((id) => id ?? []))];
  const documents = await Promise.all(ids.map((id) => tx.get(stocks, id)));
  return stockMap(documents.flatMap((stored) => stored?.value ?? []));
}

/** All stock records of the store. */
export const readAllStock = async (tx: Tx): Promise<StockOf> =>
  stockMap(await readAll(tx, stocks, ({ value }) => [value]));

function stockMap(values: readonly Stock[]): StockOf {
  const byId = new Map(values.map((stock) => [stock.id, stock]));
  return (id) => byId.get(id);
}

/** The input of pricing and availability at an instant. */
export async function readWorld(
  ctx: Ctx,
  tree: IndexedTree,
  question: {
    readonly atMs: number;
    readonly channel: Channel | null;
    readonly priceLevel: string | null;
    readonly reader: Reader;
    readonly stockOf: StockOf;
    readonly items: readonly TreeItem[];
  },
): Promise<PriceContext> {
  const { atMs, channel, stockOf, reader } = question;
  const settings = await readSettings(ctx.tx);
  const used = await runInSlices(modifiersOf(tree, question.items), ctx.tx.part);
  const declaredOf = await readDishFacts(ctx, question.items, used);
  const isHeld = ({ product_id: id }: { readonly product_id: string | null }): boolean =>
    settings.sell_unverified === false && id !== null && declaredOf(id)?.verified !== true;
  const judge = createJudge(tree, { nowMs: atMs, channel, stockOf, isHeld });
  await runInSlices(judge.modifierSteps(used), ctx.tx.part);
  const sale = {
    menuId: tree.menu.id,
    channel,
    named: question.priceLevel,
    ofMenu: tree.menu.price_level_id,
    isOpen: judge.isOpen,
  };
  return {
    tree,
    judge,
    priceOf: await runInSlices(levelPricesSteps(tree.price_levels, sale), ctx.tx.part),
    stockOf,
    declaredOf,
    reader,
    labelling: settings.kcal_labelling,
    channel,
    nowMs: atMs,
  };
}

/** What is known of the products of items and of their possible modifiers, as far as their dishes depend on it. */
async function readDishFacts(
  { tx, now, ports }: Pick<Ctx, "tx" | "now" | "ports">,
  items: readonly TreeItem[],
  used: readonly TreeModifier[],
): Promise<DeclaredOf> {
  const bases = new Set(items.map(({ product_id: id }) => id));
  const removable = new Set(used.flatMap((modifier) => modifier.removes_ingredient_ids));
  const facts = await readFacts(
    [...bases, ...used.map(({ product_id: id }) => id)],
    (ids) => ports.engines.allergensOf(tx, ids, { mode: null, now }),
    (id, origins) => (bases.has(id) ? removableOrigins(origins, removable) : []),
  );
  return (id) => facts.get(id);
}

/** All possible modifiers of some items. */
function* modifiersOf(tree: IndexedTree, items: readonly TreeItem[]): Generator<undefined, TreeModifier[]> {
  const byId = new Map<string, TreeModifier>();
  // Modifiers share their nested groups.
  const added = new Set<UsedGroup>();
  function* addGroup(used: UsedGroup): Generator<undefined, void> {
    if (added.has(used)) return;
    added.add(used);
    for (const modifier of used.modifiers) {
      if (byId.has(modifier.id)) continue;
      byId.set(modifier.id, modifier);
      for (const nested of groupsOfModifier(tree, modifier)) yield* addGroup(nested);
    }
    yield;
  }
  for (const item of items) {
    for (const used of groupsOfItem(tree, item.modifier_groups)) yield* addGroup(used);
    yield;
  }
  return [...byId.values()];
}
