import { localDateAt } from "../../../lib/local-time.ts";
import type { Ctx } from "../../../core/route.ts";
import type { Tx } from "../../../core/tx.ts";
import {
  calendars,
  categories,
  items,
  modifierGroups,
  modifiers,
  priceLevels,
  readAll,
  revisions,
  schedules,
} from "../repository.ts";
import { cutTree } from "../rules/cut-tree.ts";
import { indexTree } from "../rules/index-tree.ts";
import type { IndexedTree } from "../rules/index-tree.ts";
import type { DeclaredOf } from "../rules/line-allergens.ts";
import { lintTree } from "../rules/lint-tree.ts";
import type { Menu } from "../schema.ts";
import type { LintFinding } from "../schema/versions.ts";

/**
 * The tree of a menu's draft. It is read in pages, so it is only consistent in a writing transaction: the revision
 * marker is read first, and a concurrent change causes a retry.
 */
export async function readDraft(tx: Tx, menu: Menu): Promise<IndexedTree> {
  await tx.get(revisions, "current");
  const [categoryDocs, itemDocs, groupDocs, modifierDocs, scheduleDocs, levelDocs, calendarDocs] =
    await Promise.all([
      readAll(tx, categories),
      readAll(tx, items),
      readAll(tx, modifierGroups),
      readAll(tx, modifiers),
      readAll(tx, schedules),
      readAll(tx, priceLevels),
      readAll(tx, calendars),
    ]);
  return indexTree(
    cutTree(menu, {
      categories: categoryDocs.map(({ value }) => value),
      items: itemDocs.map(({ value }) => value),
      modifier_groups: groupDocs.map(({ value }) => value),
      modifiers: modifierDocs.map(({ value }) => value),
      schedules: scheduleDocs.map(({ value }) => value),
      price_levels: levelDocs.map(({ value }) => value),
      calendars: calendarDocs.map(({ value }) => value),
    }),
  );
}

/** Data of /v1/allergens about all or some products of a tree. */
export async function readDeclared(
  { tx, now, ports }: Pick<Ctx, "tx" | "now" | "ports">,
  parts: readonly { readonly product_id: string | null }[],
): Promise<DeclaredOf> {
  const ids = [...new Set(parts.flatMap(({ product_id: id }) => id ?? []))];
  if (ids.length === 0) return () => undefined;
  const facts = await ports.engines.allergensOf(tx, ids, { mode: null, now });
  return (id) => facts.get(id);
}

export async function lintDraft(ctx: Ctx, tree: IndexedTree): Promise<LintFinding[]> {
  const today = localDateAt(ctx.now, tree.menu.time_zone);
  return lintTree(tree, { today, declaredOf: await readDeclared(ctx, tree.items) });
}
