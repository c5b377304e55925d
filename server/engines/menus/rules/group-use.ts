import type { GroupUse } from "../schema/item.ts";
import type { TreeGroup, TreeModifier } from "../schema/tree.ts";
import type { IndexedTree } from "./index-tree.ts";

/** Lookup of groups and modifiers. */
export type GroupSource = Pick<IndexedTree, "groupById" | "modifierById">;

/** A modifier group as used by one item or modifier. */
export interface UsedGroup {
  readonly group: TreeGroup;
  /** Minimum and maximum of units over all modifiers; `max` null: no limit. */
  readonly min: number;
  readonly max: number | null;
  /** Modifiers that can be selected, in order. */
  readonly modifiers: readonly TreeModifier[];
  /** Those of them that are selected by default. */
  readonly defaults: readonly TreeModifier[];
}

/** The groups of an item in order, with its own limits replacing theirs; missing ones are skipped. */
export const groupsOfItem = (tree: GroupSource, uses: readonly GroupUse[]): UsedGroup[] =>
  uses.flatMap((use) => useGroup(tree, use.group_id, use));

/** The groups inside a modifier; they only have their own limits. */
export const groupsOfModifier = (tree: GroupSource, modifier: TreeModifier): UsedGroup[] =>
  modifier.nested_group_ids.flatMap((id) => nestedGroup(tree, id));

/** Nested groups of each tree, which is immutable: thousands of modifiers can offer the same group of a hundred. */
const nestedGroups = new WeakMap<GroupSource, Map<string, readonly UsedGroup[]>>();

function nestedGroup(tree: GroupSource, groupId: string): readonly UsedGroup[] {
  let groups = nestedGroups.get(tree);
  if (groups === undefined) nestedGroups.set(tree, (groups = new Map()));
  let used = groups.get(groupId);
  if (used === undefined) groups.set(groupId, (used = useGroup(tree, groupId, NO_OVERRIDES)));
  return used;
}

const NO_OVERRIDES: Pick<GroupUse, "min" | "max" | "hidden_modifier_ids"> = { hidden_modifier_ids: [] };

function useGroup(
  tree: GroupSource,
  groupId: string,
  { min, max, hidden_modifier_ids: hidden }: Pick<GroupUse, "min" | "max" | "hidden_modifier_ids">,
): UsedGroup[] {
  const group = tree.groupById.get(groupId);
  if (group === undefined) return [];
  const hiddenIds = new Set(hidden);
  const modifiers = group.modifier_ids.flatMap((id) =>
    hiddenIds.has(id) ? [] : (tree.modifierById.get(id) ?? []),
  );
  return [
    {
      group,
      min: min ?? group.min,
      max: max === undefined ? group.max : max,
      modifiers,
      defaults: modifiers.filter((modifier) => modifier.default),
    },
  ];
}

/** The maximum of units that a selection among some modifiers can reach. */
export const reachOf = (modifiers: readonly Pick<TreeModifier, "max_quantity">[]): number =>
  modifiers.reduce((units, { max_quantity: most }) => units + most, 0);
