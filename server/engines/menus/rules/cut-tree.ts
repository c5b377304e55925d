import type { Category, Menu } from "../schema.ts";
import type { Calendar } from "../schema/calendar.ts";
import type { Item } from "../schema/item.ts";
import type { Modifier, ModifierGroup } from "../schema/modifier.ts";
import type { PriceLevel } from "../schema/price-level.ts";
import type { Schedule } from "../schema/schedule.ts";
import type { MenuTree } from "../schema/tree.ts";
import { canonicalTree } from "./canonical.ts";
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
export function cutTree(menu: Menu, catalogue: Catalogue): MenuTree {
  const categories = reachCategories(menu, catalogue.categories);
  const items = pick(
    catalogue.items,
    categories.flatMap((category) => category.item_ids),
  );
  const { groups, modifiers } = reachGroups(items, catalogue);
  const targets = new Set(
    [...items, ...items.flatMap((item) => item.variations), ...modifiers].map(({ id }) => id),
  );
  const levels = catalogue.price_levels
    .filter(
      (level) => level.menu_id === null || level.menu_id === menu.id || level.id === menu.price_level_id,
    )
    .map((level) => ({
      ...level,
      overrides: level.overrides.filter(({ target_id: id }) => id === null || targets.has(id)),
    }));
  const schedules = pick(catalogue.schedules, [
    ...[menu, ...categories, ...items].flatMap((part) => part.schedule_ids),
    ...levels.flatMap((level) => level.schedule_id ?? []),
  ]);
  return canonicalTree({
    menu: cutMenu(menu),
    categories: categories.map(bare),
    items: items.map(bare),
    modifier_groups: groups.map(bare),
    modifiers: modifiers.map(bare),
    schedules: schedules.map((schedule) => bare(withHolidays(schedule, catalogue.calendars))),
    price_levels: levels.map(bare),
  });
}

function reachCategories(menu: Menu, all: readonly Category[]): Category[] {
  const reached = new Map(pick(all, menu.category_ids).map((category) => [category.id, category]));
  // Iterating a Map visits entries added during the iteration: descendants are included.
  for (const id of reached.keys()) {
    for (const child of all) if (child.parent_id === id) reached.set(child.id, child);
  }
  return [...reached.values()];
}

function reachGroups(
  items: readonly Item[],
  catalogue: Catalogue,
): { readonly groups: ModifierGroup[]; readonly modifiers: Modifier[] } {
  const groupById = new Map(catalogue.modifier_groups.map((group) => [group.id, group]));
  const modifierById = new Map(catalogue.modifiers.map((modifier) => [modifier.id, modifier]));
  const groups = new Set(items.flatMap((item) => item.modifier_groups.map((use) => use.group_id)));
  const modifiers = new Set<string>();
  for (const id of groups) {
    for (const modifierId of groupById.get(id)?.modifier_ids ?? []) {
      modifiers.add(modifierId);
      for (const nested of modifierById.get(modifierId)?.nested_group_ids ?? []) groups.add(nested);
    }
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
