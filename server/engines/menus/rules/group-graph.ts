import { mapSteps } from "../../../lib/slices.ts";

/** Nesting of groups: a group's modifiers refer to the groups that they contain. */
export interface GroupGraph {
  readonly groups: readonly { readonly id: string; readonly modifier_ids: readonly string[] }[];
  readonly modifiers: readonly { readonly id: string; readonly nested_group_ids: readonly string[] }[];
}

export type GraphFault = { readonly groupId: string; readonly fault: "circle" | "too_deep" };

/**
 * The first group that is its own descendant, or that nests groups more than `depthMax` levels deep (itself included);
 * null if there is none. In steps of one group.
 */
export function* graphFaultSteps(
  { groups, modifiers }: GroupGraph,
  depthMax: number,
): Generator<undefined, GraphFault | null> {
  const nested = new Map(modifiers.map(({ id, nested_group_ids: ids }) => [id, ids]));
  const inner = new Map(
    yield* mapSteps(groups, ({ id, modifier_ids: ids }): [string, ReadonlySet<string>] => [
      id,
      new Set(ids.flatMap((each) => nested.get(each) ?? [])),
    ]),
  );
  const depths = new Map<string, number>();
  const open = new Set<string>();
  function* depthOf(id: string): Generator<undefined, number> {
    if (open.has(id)) return Infinity;
    open.add(id);
    let deepest = 0;
    for (const each of inner.get(id) ?? []) {
      deepest = Math.max(deepest, depths.get(each) ?? (yield* depthOf(each)));
    }
    open.delete(id);
    depths.set(id, 1 + deepest);
    yield;
    return 1 + deepest;
  }
  for (const { id } of groups) {
    const depth = depths.get(id) ?? (yield* depthOf(id));
    if (depth === Infinity) return { groupId: id, fault: "circle" };
    if (depth > depthMax) return { groupId: id, fault: "too_deep" };
  }
  return null;
}
