import { localDateAt } from "../../../lib/local-time.ts";
import type { Ctx } from "../../../core/route.ts";
import type { Collection } from "../../../core/collection.ts";
import { LIMITS } from "../../../core/limits.ts";
import type { Tx } from "../../../core/tx.ts";
import { conflict } from "../../../lib/errors.ts";
import { runInSlices } from "../../../lib/slices.ts";
import {
  calendars,
  categories,
  items,
  modifierGroups,
  modifiers,
  priceLevels,
  readAll,
  readCategoryLinks,
  readGroupGraph,
  revisions,
  schedules,
} from "../repository.ts";
import { canApply, cutTreeSteps, reachCategories, reachGroups } from "../rules/cut-tree.ts";
import type { Catalogue } from "../rules/cut-tree.ts";
import { indexTreeSteps } from "../rules/index-tree.ts";
import type { IndexedTree } from "../rules/index-tree.ts";
import type { DeclaredOf } from "../rules/line-allergens.ts";
import { lintTreeSteps } from "../rules/lint-tree.ts";
import type { Menu } from "../schema.ts";
import type { LintFinding } from "../schema/versions.ts";
import { readFacts } from "./read-facts.ts";

/**
 * The tree of a menu's draft. It is read in pages, so it is only consistent in a writing transaction: the revision
 * marker is read first, and a concurrent change causes a retry.
 */
export async function readDraft(tx: Tx, menu: Menu): Promise<IndexedTree> {
  await tx.get(revisions, "current");
  const catalogue = await readReached(tx, menu);
  const tree = await runInSlices(cutTreeSteps(menu, catalogue), tx.part);
  return runInSlices(indexTreeSteps(tree), tx.part);
}

/** What the catalogue has of a menu: a store can have more than fits into the memory of several requests. */
async function readReached(tx: Tx, menu: Menu): Promise<Catalogue> {
  const inSteps = <T>(steps: Generator<undefined, T>): Promise<T> => runInSlices(steps, tx.part);
  const read = createReader(tx, menu.id);
  const links = await inSteps(reachCategories(menu, await readCategoryLinks(tx)));
  const categoryDocs = await read(categories, oneOf(links.map(({ id }) => id)));
  const itemDocs = await read(items, oneOf(categoryDocs.flatMap((category) => category.item_ids)));
  const graph = await inSteps(reachGroups(itemDocs, await readGroupGraph(tx)));
  const groupDocs = await read(modifierGroups, oneOf(graph.groups.map(({ id }) => id)));
  const modifierDocs = await read(modifiers, oneOf(graph.modifiers.map(({ id }) => id)));
  const levelDocs = await read(priceLevels, (level) => canApply(menu, level));
  return {
    categories: categoryDocs,
    items: itemDocs,
    modifier_groups: groupDocs,
    modifiers: modifierDocs,
    price_levels: levelDocs,
    schedules: await read(
      schedules,
      oneOf([
        ...[menu, ...categoryDocs, ...itemDocs].flatMap((each) => each.schedule_ids),
        ...levelDocs.flatMap((level) => level.schedule_id ?? []),
      ]),
    ),
    calendars: await read(calendars, () => true),
  };
}

const oneOf = (ids: readonly string[]): ((value: { readonly id: string }) => boolean) => {
  const wanted = new Set(ids);
  return ({ id }) => wanted.has(id);
};

/** Reads the values that are wanted of each collection; throws 409 when they are too many characters in total. */
function createReader(tx: Tx, menuId: string) {
  let chars = 0;
  return <T>(collection: Collection<T>, isWanted: (value: T) => boolean): Promise<T[]> =>
    readAll(tx, collection, ({ value, members }) => {
      if (!isWanted(value)) return [];
      chars += members.length;
      if (chars > LIMITS.allChars) throw draftTooLarge(menuId);
      return [value];
    });
}

const draftTooLarge = (menuId: string) =>
  conflict(
    "collection_too_large",
    `The draft of menu ${menuId} contains more than ${LIMITS.allChars} characters of JSON, which is too many to evaluate. ` +
      "List fewer items in its categories, or split it into several menus.",
  );

/** Data of /v1/allergens about all or some products of a tree. */
export async function readDeclared(
  { tx, now, ports }: Pick<Ctx, "tx" | "now" | "ports">,
  parts: readonly { readonly product_id: string | null }[],
): Promise<DeclaredOf> {
  const facts = await readFacts(
    parts.map(({ product_id: id }) => id),
    (ids) => ports.engines.allergensOf(tx, ids, { mode: null, now }),
    () => [],
  );
  return (id) => facts.get(id);
}

export async function lintDraft(ctx: Ctx, tree: IndexedTree): Promise<LintFinding[]> {
  const today = localDateAt(ctx.now, tree.menu.time_zone);
  const declaredOf = await readDeclared(ctx, tree.items);
  return runInSlices(lintTreeSteps(tree, { today, declaredOf }), ctx.tx.part);
}
