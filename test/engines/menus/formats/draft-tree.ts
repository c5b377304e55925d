import { checkDraft } from "../../../../server/engines/menus/formats/check-draft.ts";
import type { Draft, DraftHours } from "../../../../server/engines/menus/formats/draft.ts";
import { hoursKey } from "../../../../server/engines/menus/formats/hours-key.ts";
import { createNames, isOwnId } from "../../../../server/engines/menus/formats/names.ts";
import {
  toCategory,
  toItem,
  toLevel,
  toMenu,
  toSchedule,
} from "../../../../server/engines/menus/formats/to-resources.ts";
import { toGroup, toModifier } from "../../../../server/engines/menus/formats/to-modifiers.ts";
import type { ImportContext } from "../../../../server/engines/menus/formats/to-resources.ts";
import type { MenuTree } from "../../../../server/engines/menus/schema/tree.ts";

/** What an import of the draft's first menu into an empty store comes to; ids of ours are kept. */
export function treeOfDraft(draft: Draft, system: string): MenuTree {
  const missing = checkDraft(draft);
  if (missing.length > 0) throw new Error(`Missing: ${JSON.stringify(missing)}`);
  const world: ImportContext = {
    ...createNames(system, (kind, ref) => (isOwnId(kind, ref) ? ref : null)),
    hoursOf: () => [],
    timeZone: "Europe/London",
    locale: "en",
  };
  const [first] = draft.menus;
  if (first === undefined) throw new Error("The draft has no menu.");
  const parents = new Map<string, number>();
  const categories = draft.categories.map((category) => {
    const key = category.parent ?? "";
    const place = parents.get(key) ?? 0;
    parents.set(key, place + 1);
    return toCategory(category, null, place, world);
  });
  const menu = toMenu(first, null, world);
  const roots = first.categories.map((ref) => world.id("category", ref));
  const hours: DraftHours[] = [...draft.menus, ...draft.categories, ...draft.items, ...draft.levels].flatMap(
    (entry) => entry.hours ?? [],
  );
  const byKey = new Map(hours.map((each) => [hoursKey(each), each]));
  const itemOf = new Map(draft.modifiers.map(({ ref, item }) => [world.id("modifier", ref), item]));
  return {
    menu: { ...menu, category_ids: roots },
    categories: categories.map((category) =>
      roots.includes(category.id) ? { ...category, menu_ids: [menu.id] } : category,
    ),
    items: draft.items.map((item) => toItem(item, null, world)),
    modifier_groups: draft.groups.map((group) => toGroup(group, null, world)),
    modifiers: draft.modifiers.map((modifier) => {
      const made = toModifier(modifier, null, world);
      const item = itemOf.get(made.id);
      return item === undefined ? made : { ...made, item_id: world.id("item", item) };
    }),
    schedules: [...byKey.values()].map((each) => toSchedule(each, world)),
    price_levels: draft.levels.map((level) => toLevel(level, null, world)),
  };
}
