import type { MenuTree } from "../schema/tree.ts";
import { canonicalText } from "./canonical.ts";

/** Lists of a tree whose objects have ids. */
export const TREE_LISTS = [
  "categories",
  "items",
  "modifier_groups",
  "modifiers",
  "schedules",
  "price_levels",
] as const;
export type TreeList = (typeof TREE_LISTS)[number];

/** One difference between two trees: an object that was added, removed, or changed. */
export interface TreeChange {
  readonly kind: TreeList | "menu";
  readonly id: string;
  readonly change: "added" | "removed" | "changed";
  /** Before; null if added. For a changed object only the fields that differ. */
  readonly from: Readonly<Record<string, unknown>> | null;
  /** After; null if removed. */
  readonly to: Readonly<Record<string, unknown>> | null;
}

/**
 * All differences between two trees, ordered as in the tree and then by id. Applied to the old one they yield
 * the new one. A field that only one side has is null on the other.
 */
export const diffTrees = (from: MenuTree, to: MenuTree): TreeChange[] =>
  [...compareTrees(from, to)].filter((change) => change !== null);

/** The same one object at a time, null for one that is equal: large trees are compared with pauses. */
export function* compareTrees(from: MenuTree, to: MenuTree): Generator<TreeChange | null, void, undefined> {
  yield* compareObjects("menu", [from.menu], [to.menu]);
  for (const kind of TREE_LISTS) yield* compareObjects(kind, from[kind], to[kind]);
}

export type TreeObject = Readonly<Record<string, unknown>> & { readonly id: string };

function* compareObjects(
  kind: TreeChange["kind"],
  from: readonly TreeObject[],
  to: readonly TreeObject[],
): Generator<TreeChange | null, void, undefined> {
  const before = new Map(from.map((value) => [value.id, value]));
  const after = new Map(to.map((value) => [value.id, value]));
  const ids = [...new Set([...before.keys(), ...after.keys()])].sort();
  for (const id of ids) yield compareObject(kind, id, [before.get(id), after.get(id)]);
}

function compareObject(
  kind: TreeChange["kind"],
  id: string,
  [old, next]: readonly [TreeObject | undefined, TreeObject | undefined],
): TreeChange | null {
  if (old === undefined) return { kind, id, change: "added", from: null, to: next ?? null };
  if (next === undefined) return { kind, id, change: "removed", from: old, to: null };
  const names = [...new Set([...Object.keys(old), ...Object.keys(next)])]
    .filter((name) => canonicalText([old[name] ?? null]) !== canonicalText([next[name] ?? null]))
    .sort();
  if (names.length === 0) return null;
  return { kind, id, change: "changed", from: pick(old, names), to: pick(next, names) };
}

const pick = (value: TreeObject, names: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(names.map((name) => [name, value[name] ?? null]));
