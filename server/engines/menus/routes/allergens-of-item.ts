import { z } from "zod";

import type { EnginePorts, KnownAllergens } from "../../../kernel/ports.ts";
import type { Tx } from "../../../kernel/tx.ts";
import { items, modifierGroups, modifiers, readSettings } from "../repository.ts";
import { chooseModifiers } from "../rules/choose-modifiers.ts";
import { groupsOfItem } from "../rules/group-use.ts";
import type { GroupSource } from "../rules/group-use.ts";
import { dishAllergens } from "../rules/line-allergens.ts";
import { pickText } from "../rules/pick-text.ts";
import { modifiersIn } from "../rules/price-order.ts";
import { MENU_LIMITS } from "../schema.ts";
import type { Item, Modifier, ModifierGroup } from "../schema.ts";
import { Selection } from "../schema/price.ts";

const Selections = z.array(Selection).max(MENU_LIMITS.selectionsPerLine);

/** Questions of other engines that menus answer. */
export const menuAnswers: Pick<EnginePorts, "allergensOfItem"> = {
  allergensOfItem(tx, asked, about) {
    return allergensOfItem(this, tx, asked, about);
  },
};

/**
 * What is known of the allergens of an item with what was chosen for it, as the items and modifiers are now. Null for an
 * item that is not there, and for selections that are none or that the groups do not allow.
 */
async function allergensOfItem(
  ports: EnginePorts,
  tx: Tx,
  asked: { readonly menu_item_id: string; readonly selections: readonly unknown[] },
  about: { readonly mode: string | null; readonly now: number },
): Promise<KnownAllergens | null> {
  const selections = Selections.safeParse(asked.selections);
  const item = (await tx.get(items, asked.menu_item_id))?.value;
  if (item === undefined || !selections.success) return null;
  const source = await readGroups(tx, item);
  let isPossible = true;
  const choices = chooseModifiers(source, groupsOfItem(source, item.modifier_groups), selections.data, () => {
    isPossible = false;
  });
  if (!isPossible) return null;
  const chosen = modifiersIn(choices);
  const productIds = [item, ...chosen].flatMap(({ product_id: id }) => id ?? []);
  const known = await ports.allergensOf(tx, [...new Set(productIds)], about);
  const { default_locale: fallback } = await readSettings(tx);
  return {
    title: pickText(item.title, { locales: [], fallback }),
    ...dishAllergens(item.product_id, chosen, (id) => known.get(id)),
  };
}

/** The groups of an item with all that stands inside them. */
async function readGroups(tx: Tx, item: Item): Promise<GroupSource> {
  const groupById = new Map<string, ModifierGroup>();
  const modifierById = new Map<string, Modifier>();
  let groupIds = item.modifier_groups.map((use) => use.group_id);
  while (groupIds.length > 0) {
    const groups = await Promise.all(groupIds.map((id) => tx.get(modifierGroups, id)));
    for (const group of groups) if (group !== null) groupById.set(group.id, group.value);
    const modifierIds = groups.flatMap((group) => group?.value.modifier_ids ?? []);
    const found = await Promise.all(modifierIds.map((id) => tx.get(modifiers, id)));
    for (const modifier of found) if (modifier !== null) modifierById.set(modifier.id, modifier.value);
    const nested = found.flatMap((modifier) => modifier?.value.nested_group_ids ?? []);
    groupIds = [...new Set(nested)].filter((id) => !groupById.has(id));
  }
  return { groupById, modifierById };
}
