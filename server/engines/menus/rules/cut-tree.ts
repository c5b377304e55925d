import { mapSteps, runAtOnce } from "../../../lib/slices.ts";
import type { Category, Menu } from "../schema.ts";
import type { Calendar } from "../schema/calendar.ts";
import type { Item } from "../schema/item.ts";
import type { Modifier, ModifierGroup } from "../schema/modifier.ts";
import type { PriceLevel } from "../schema/price-level.ts";
import type { Schedule } from "../schema/schedule.ts";
import type { MenuTree } from "../schema/tree.ts";
import { canonicalTree } from "./canonical.ts";
import type { GroupGraph } from "./group-graph.ts";
import { withHolidays } from "./holidays.ts";

/** The whole catalogue of a store. */
export interface Catalogue {
  readonly categories: readonly Category[];
  readonly items: readonly Item[];
  readonly modifier_groups: readonly ModifierGroup[];
  readonly modifiers: readonly Modifier[];
  readonly schedules: readonly Schedule[];
  readonly calendars: readonly Calendar[];
  readonly price_levels: readonly PriceLevel[];
}

/**
 * The part of the catalogue that one menu shows: everything reachable from it by reference, and the price levels that
 * can apply in it, with the overrides for its objects.
 */
export const cutTree = (menu: Menu, catalogue: Catalogue): MenuTree =>
  runAtOnce(cutTreeSteps(menu, catalogue));

/** Whether a price level can apply in a menu. */
export const canApply = (menu: Pick<Menu, "id" | "price_level_id">, level: PriceLevel): boolean =>
  level.menu_id === null || level.menu_id === menu.id || level.id === menu.price_level_id;

/** The same in steps: the largest menu takes a tenth of a second. */
export function* cutTreeSteps(menu: Menu, catalogue: Catalogue): Generator<undefined, MenuTree> {
  const categories = yield* reachCategories(menu, catalogue.categories);
  const itemIds = new Set<string>();
  for (const category of categories) {
    for (const id of category.item_ids) itemIds.add(id);
    yield;
  }
  const items = catalogue.items.filter(({ id }) => itemIds.has(id));
  const { groups, modifiers } = yield* reachGroups(items, {
    groups: catalogue.modifier_groups,
    modifiers: catalogue.modifiers,
  });
  const targets = new Set(modifiers.map(({ id }) => id));
  for (const item of items) {
    for (const { id } of [item, ...item.variations]) targets.add(id);
    yield;
  }
  const levels = yield* mapSteps(
    catalogue.price_levels.filter((level) => canApply(menu, level)),
    (level) => ({
      ...level,
      overrides: level.overrides.filter(({ target_id: id }) => id === null || targets.has(id)),
    }),
  );
  const schedules = pick(catalogue.schedules, [
    ...[menu, ...categories, ...items].flatMap((part) => part.schedule_ids),
    ...levels.flatMap((level) => level.schedule_id ?? []),
  ]);
  const tree = {
    menu: cutMenu(menu),
    categories: yield* mapSteps(categories, bare),
    items: yield* mapSteps(items, bare),
    modifier_groups: yield* mapSteps(groups, bare),
    modifiers: yield* mapSteps(modifiers, bare),
    schedules: yield* mapSteps(schedules, (schedule) => bare(withHolidays(schedule, catalogue.calendars))),
    price_levels: yield* mapSteps(levels, bare),
  };
  return canonicalTree(tree);
}

/** A category with its place. */
export type CategoryLink = Pick<Category, "id" | "parent_id">;

/** The categories of a menu with their descendants. */
export function* reachCategories<T extends CategoryLink>(
  menu: Pick<Menu, "category_ids">,
  all: readonly T[],
): Generator<undefined, T[]> {
  const reached = new Map(pick(all, menu.category_ids).map((category) => [category.id, category]));
  // Iterating a Map visits entries added during the iteration: descendants are included.
  for (const id of reached.keys()) {
    for (const child of all) if (child.parent_id === id) reached.set(child.id, child);
    yield;
  }
  return [...reached.values()];
}

/** The groups of some items, with the groups nested in them, and their modifiers. */
export function* reachGroups<
  G extends GroupGraph["groups"][number],
  M extends GroupGraph["modifiers"][number],
>(
  items: readonly Item[],
  graph: { readonly groups: readonly G[]; readonly modifiers: readonly M[] },
): Generator<undefined, { readonly groups: G[]; readonly modifiers: M[] }> {
  const groupById = new Map(graph.groups.map((group) => [group.id, group]));
  const modifierById = new Map(graph.modifiers.map((modifier) => [modifier.id, modifier]));
  const groups = new Set<string>();
  for (const item of items) {
    for (const use of item.modifier_groups) groups.add(use.group_id);
    yield;
  }
  const modifiers = new Set<string>();
  for (const id of groups) {
    for (const modifierId of groupById.get(id)?.modifier_ids ?? []) {
      modifiers.add(modifierId);
      for (const nested of modifierById.get(modifierId)?.nested_group_ids ?? []) groups.add(nested);
    }
    yield;
  }
  return {
    groups: [...groups].flatMap((id) => groupById.get(id) ?? []),
    modifiers: [...modifiers].flatMap((id) => modifierById.get(id) ?? []),
  };
}

function cutMenu({
  status: _status,
  latest_version: _latest,
  published_version: _version,
  published_at: _at,
  scheduled: _scheduled,
  ...menu
}: Menu): MenuTree["menu"] {
  return bare(menu);
}

/** Without timestamps of writes: a version contains the menu, not its editing history. */
function bare<T extends { readonly created_at: string; readonly updated_at: string }>({
  created_at: _created,
  updated_at: _updated,
  ...rest
}: T): Omit<T, "created_at" | "updated_at"> {
  return rest;
}

function pick<T extends { readonly id: string }>(all: readonly T[], ids: readonly string[]): T[] {
  const idSet = new Set(ids);
  return all.filter(({ id }) => idSet.has(id));
}
