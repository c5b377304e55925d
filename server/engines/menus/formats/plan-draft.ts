import type { Draft, DraftCategory, DraftGroup, DraftModifier } from "./draft.ts";

/**
 * The parts of a draft in dependency order: modifiers before their
 * group, inner groups before the modifiers that contain them, parents before children.
 */
export type GroupStep =
  | { readonly kind: "modifier"; readonly draft: DraftModifier }
  | { readonly kind: "group"; readonly draft: DraftGroup };

/** Modifiers and groups, innermost first. A validated draft has no cycles. */
export function groupSteps({ groups, modifiers }: Draft): GroupStep[] {
  const groupOf = new Map(groups.map((group) => [group.ref, group]));
  const modifierOf = new Map(modifiers.map((modifier) => [modifier.ref, modifier]));
  const steps: GroupStep[] = [];
  const done = new Set<string>();
  const addModifier = (modifier: DraftModifier): void => {
    if (done.has(`modifier ${modifier.ref}`)) return;
    done.add(`modifier ${modifier.ref}`);
    for (const ref of modifier.groups) addGroup(groupOf.get(ref));
    steps.push({ kind: "modifier", draft: modifier });
  };
  const addGroup = (group: DraftGroup | undefined): void => {
    if (group === undefined || done.has(`group ${group.ref}`)) return;
    done.add(`group ${group.ref}`);
    for (const modifier of group.modifiers.flatMap((ref) => modifierOf.get(ref) ?? [])) addModifier(modifier);
    steps.push({ kind: "group", draft: group });
  };
  for (const group of groups) addGroup(group);
  for (const modifier of modifiers) addModifier(modifier);
  return steps;
}

/** Categories with their position among their siblings, parents first. */
export function categorySteps({
  categories,
}: Draft): { readonly draft: DraftCategory; readonly place: number }[] {
  const byRef = new Map(categories.map((category) => [category.ref, category]));
  const depthOf = ({ parent }: DraftCategory): number => {
    const above = parent == null ? undefined : byRef.get(parent);
    return above === undefined ? 0 : 1 + depthOf(above);
  };
  const places = new Map<string, number>();
  const placed = categories.map((draft) => {
    const place = places.get(draft.parent ?? "") ?? 0;
    places.set(draft.parent ?? "", place + 1);
    return { draft, place };
  });
  return placed.sort((a, b) => depthOf(a.draft) - depthOf(b.draft));
}

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
