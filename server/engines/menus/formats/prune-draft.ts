import type { Draft } from "./draft.ts";

type Kind = "menu" | "category" | "item" | "group" | "modifier";

/** A draft without the references that do not exist. */
export function pruneDraft(draft: Draft, exists: (kind: Kind, ref: string) => boolean): Draft {
  const has = (kind: Kind) => (ref: string) => exists(kind, ref);
  return {
    ...draft,
    menus: draft.menus.map((menu) => ({ ...menu, categories: menu.categories.filter(has("category")) })),
    categories: draft.categories.map((category) => ({
      ...category,
      items: category.items.filter(has("item")),
      ...(category.parent == null || exists("category", category.parent) ? {} : { parent: null }),
    })),
    items: draft.items.map((item) => ({
      ...item,
      groups: item.groups
        .filter(({ group }) => exists("group", group))
        .map((use) =>
          use.hidden === undefined ? use : { ...use, hidden: use.hidden.filter(has("modifier")) },
        ),
    })),
    groups: draft.groups.map((group) => ({ ...group, modifiers: group.modifiers.filter(has("modifier")) })),
    modifiers: draft.modifiers.map(({ item, ...modifier }) => ({
      ...modifier,
      groups: modifier.groups.filter(has("group")),
      ...(item === undefined || !exists("item", item) ? {} : { item }),
    })),
    levels: draft.levels
      .filter(({ menu }) => menu === undefined || exists("menu", menu))
      .map((level) => ({ ...level, prices: level.prices.filter(({ kind, ref }) => exists(kind, ref)) })),
  };
}
