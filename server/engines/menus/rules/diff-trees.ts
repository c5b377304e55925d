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
export function diffTrees(from: MenuTree, to: MenuTree): TreeChange[] {
  return [
    ...diffObjects("menu", [from.menu], [to.menu]),
    ...TREE_LISTS.flatMap((kind) => diffObjects(kind, from[kind], to[kind])),
  ];
}

export type TreeObject = Readonly<Record<string, unknown>> & { readonly id: string };

function diffObjects(
  kind: TreeChange["kind"],
  from: readonly TreeObject[],
  to: readonly TreeObject[],
): TreeChange[] {
  const before = new Map(from.map((value) => [value.id, value]));
  const after = new Map(to.map((value) => [value.id, value]));
  const ids = [...new Set([...before.keys(), ...after.keys()])].sort();
  return ids.flatMap((id): TreeChange[] => {
    const [old, next] = [before.get(id), after.get(id)];
    if (old === undefined) return [{ kind, id, change: "added", from: null, to: next ?? null }];
    if (next === undefined) return [{ kind, id, change: "removed", from: old, to: null }];
    const names = [...new Set([...Object.keys(old), ...Object.keys(next)])]
      .filter((name) => canonicalText([old[name] ?? null]) !== canonicalText([next[name] ?? null]))
      .sort();
    if (names.length === 0) return [];
    return [{ kind, id, change: "changed", from: pick(old, names), to: pick(next, names) }];
  });
}

const pick = (value: TreeObject, names: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(names.map((name) => [name, value[name] ?? null]));
