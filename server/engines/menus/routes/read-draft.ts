import { localDateAt } from "../../../lib/local-time.ts";
import type { Ctx } from "../../../core/route.ts";
import type { Stored, Tx } from "../../../core/tx.ts";
import { mapInSlices, runInSlices } from "../../../lib/slices.ts";
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
import { cutTreeSteps } from "../rules/cut-tree.ts";
import { indexTreeSteps } from "../rules/index-tree.ts";
import type { IndexedTree } from "../rules/index-tree.ts";
import type { DeclaredOf } from "../rules/line-allergens.ts";
import { lintTreeSteps } from "../rules/lint-tree.ts";
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
  const catalogue = {
    categories: await valuesOf(tx, categoryDocs),
    items: await valuesOf(tx, itemDocs),
    modifier_groups: await valuesOf(tx, groupDocs),
    modifiers: await valuesOf(tx, modifierDocs),
    schedules: await valuesOf(tx, scheduleDocs),
    price_levels: await valuesOf(tx, levelDocs),
    calendars: await valuesOf(tx, calendarDocs),
  };
  const tree = await runInSlices(cutTreeSteps(menu, catalogue), tx.part);
  return runInSlices(indexTreeSteps(tree), tx.part);
}

/** The values of documents, parsed with pauses: a catalogue is large. */
const valuesOf = <T>({ part }: Tx, stored: readonly Stored<T>[]): Promise<T[]> =>
  mapInSlices(stored, part, ({ value }) => value);

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
  const declaredOf = await readDeclared(ctx, tree.items);
  return runInSlices(lintTreeSteps(tree, { today, declaredOf }), ctx.tx.part);
}
