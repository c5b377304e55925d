/** Nesting of groups: a group's modifiers refer to the groups that they contain. */
export interface GroupGraph {
  readonly groups: readonly { readonly id: string; readonly modifier_ids: readonly string[] }[];
  readonly modifiers: readonly { readonly id: string; readonly nested_group_ids: readonly string[] }[];
}

export type GraphFault = { readonly groupId: string; readonly fault: "circle" | "too_deep" };

/**
 * The first group that is its own descendant, or that nests groups more than `depthMax` levels deep (itself included);
 * null if there is none.
 */
export function findGraphFault({ groups, modifiers }: GroupGraph, depthMax: number): GraphFault | null {
  const nested = new Map(modifiers.map(({ id, nested_group_ids: ids }) => [id, ids]));
  const inner = new Map(
    groups.map(({ id, modifier_ids: ids }) => [
      id,
      [...new Set(ids.flatMap((each) => nested.get(each) ?? []))],
    ]),
  );
  const depths = new Map<string, number>();
  const open = new Set<string>();
  const depthOf = (id: string): number => {
    const cached = depths.get(id);
    if (cached !== undefined) return cached;
    if (open.has(id)) return Infinity;
    open.add(id);
    const depth = 1 + Math.max(0, ...(inner.get(id) ?? []).map(depthOf));
    open.delete(id);
    depths.set(id, depth);
    return depth;
  };
  for (const { id } of groups) {
    const depth = depthOf(id);
    if (depth === Infinity) return { groupId: id, fault: "circle" };
    if (depth > depthMax) return { groupId: id, fault: "too_deep" };
  }
  return null;
}
