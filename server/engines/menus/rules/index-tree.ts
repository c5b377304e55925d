import type {
  MenuTree,
  TreeCategory,
  TreeGroup,
  TreeItem,
  TreeModifier,
  TreeSchedule,
} from "../schema/tree.ts";
import { liveBytesSteps } from "./live-size.ts";

/** A tree with its objects by id, and the positions of each item. Created once per version: both are immutable. */
export interface IndexedTree extends MenuTree {
  readonly categoryById: ReadonlyMap<string, TreeCategory>;
  readonly itemById: ReadonlyMap<string, TreeItem>;
  readonly groupById: ReadonlyMap<string, TreeGroup>;
  readonly modifierById: ReadonlyMap<string, TreeModifier>;
  readonly scheduleById: ReadonlyMap<string, TreeSchedule>;
  /** The top level in the menu's order. */
  readonly roots: readonly TreeCategory[];
  /** Children of a category in order. */
  readonly childrenOf: (categoryId: string) => readonly TreeCategory[];
  /** Visible positions of an item: categories from the top level down to the one that lists it. */
  readonly placesOf: (itemId: string) => readonly (readonly TreeCategory[])[];
  /** Bytes of its live menu, rather too many. */
  readonly liveBytes: number;
}

/** Indexes a tree in steps of one category or list. */
export function* indexTreeSteps(tree: MenuTree): Generator<undefined, IndexedTree> {
  const categoryById = byId(tree.categories);
  const children = new Map<string, TreeCategory[]>();
  for (const category of tree.categories) {
    if (category.parent_id === null) continue;
    addTo(children, category.parent_id, category);
  }
  for (const list of children.values()) {
    list.sort((a, b) => a.sort_order - b.sort_order || (a.id < b.id ? -1 : 1));
  }
  const childrenOf = (id: string): readonly TreeCategory[] => children.get(id) ?? [];
  const roots = tree.menu.category_ids.flatMap((id) => categoryById.get(id) ?? []);
  const places = new Map<string, (readonly TreeCategory[])[]>();
  const walk = function* (path: readonly TreeCategory[], category: TreeCategory): Generator<undefined, void> {
    // An unvalidated tree may contain a cycle.
    if (!category.visible || path.includes(category)) return;
    const here = [...path, category];
    for (const id of category.item_ids) addTo(places, id, here);
    yield;
    for (const child of childrenOf(category.id)) yield* walk(here, child);
  };
  for (const root of roots) yield* walk([], root);
  const itemById = byId(tree.items);
  yield;
  const groupById = byId(tree.modifier_groups);
  const modifierById = byId(tree.modifiers);
  yield;
  const indexed = {
    ...tree,
    categoryById,
    itemById,
    groupById,
    modifierById,
    scheduleById: byId(tree.schedules),
    roots,
    childrenOf,
    placesOf: (id: string) => places.get(id) ?? [],
  };
  return { ...indexed, liveBytes: yield* liveBytesSteps(indexed) };
}

function addTo<T>(lists: Map<string, T[]>, key: string, value: T): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}

const byId = <T extends { readonly id: string }>(values: readonly T[]): ReadonlyMap<string, T> =>
  new Map(values.map((value) => [value.id, value]));
