import { TREE_LISTS } from "../../../server/engines/menus/rules/diff-trees.ts";
import type { TreeChange, TreeList, TreeObject } from "../../../server/engines/menus/rules/diff-trees.ts";
import type { MenuTree } from "../../../server/engines/menus/schema/tree.ts";

/** The tree that a list of changes makes of another; it is not checked against the schema. */
export function applyDiff(from: MenuTree, changes: readonly TreeChange[]): Record<string, unknown> {
  const listOf = (kind: TreeList): unknown[] =>
    applyTo(
      from[kind],
      changes.filter((each) => each.kind === kind),
    );
  return {
    menu: applyTo(
      [from.menu],
      changes.filter(({ kind }) => kind === "menu"),
    )[0],
    ...Object.fromEntries(TREE_LISTS.map((kind) => [kind, listOf(kind)])),
  };
}

function applyTo(from: readonly TreeObject[], changes: readonly TreeChange[]): unknown[] {
  const values = new Map<string, unknown>(from.map((value) => [value.id, value]));
  for (const { id, change, to } of changes) {
    if (change === "removed") values.delete(id);
    else values.set(id, change === "added" ? to : { ...Object(values.get(id)), ...to });
  }
  return [...values].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, value]) => value);
}
