import { z } from "zod";

import type { EnginePorts, KnownAllergens } from "../../../core/ports.ts";
import type { Stored, Tx } from "../../../core/tx.ts";
import { items, menus, modifierGroups, modifiers, readAll, readSettings } from "../repository.ts";
import { chooseModifiers } from "../rules/choose-modifiers.ts";
import { groupsOfItem } from "../rules/group-use.ts";
import type { GroupSource } from "../rules/group-use.ts";
import { anyOf, dishAllergens } from "../rules/line-allergens.ts";
import { pickText } from "../rules/pick-text.ts";
import { modifiersIn } from "../rules/price-order.ts";
import { MENU_LIMITS } from "../schema/limits.ts";
import type { Item } from "../schema/item.ts";
import type { Modifier, ModifierGroup } from "../schema/modifier.ts";
import type { TreeItem } from "../schema/tree.ts";
import { Selection } from "../schema/price.ts";
import { readLive } from "./read-world.ts";

const Selections = z.array(Selection).max(MENU_LIMITS.selectionsPerLine);

/** The port through which other engines query menus. */
export const menuAnswers: Pick<EnginePorts, "allergensOfItem" | "menuItemsOf" | "leadMinutesOf"> = {
  async menuItemsOf(tx, productIds) {
    const wanted = new Set(productIds);
    const { default_locale: fallback } = await readSettings(tx);
    const keep = ({ value: { id, product_id: productId, title } }: Stored<Item | Modifier>) =>
      productId !== null && wanted.has(productId)
        ? [{ productId, id, title: pickText(title, { locales: [], fallback }) }]
        : [];
    const parts = [...(await readAll(tx, items, keep)), ...(await readAll(tx, modifiers, keep))];
    const found = new Map<string, { id: string; title: string }[]>();
    for (const { productId, ...part } of parts) {
      const list = found.get(productId);
      if (list === undefined) found.set(productId, [part]);
      else list.push(part);
    }
    return found;
  },
  async leadMinutesOf(tx, itemIds) {
    const found = await Promise.all([...new Set(itemIds)].map((id) => tx.get(items, id)));
    return new Map(
      found
        .filter((item) => item !== null)
        .map(({ id, value }) => [id, value.lead_time_minutes ?? 0] as const),
    );
  },
  allergensOfItem(tx, selection, context) {
    return allergensOfItem(this, tx, selection, context);
  },
};

/**
 * Allergens of an item with its selected modifiers. The live menus contain what is
 * served, and the draft what may be served next: everything in either of them counts, so that an unpublished draft
 * makes
 * nothing safe. Null for an item that is in none, and for invalid selections.
 */
async function allergensOfItem(
  ports: EnginePorts,
  tx: Tx,
  selection: { readonly menu_item_id: string; readonly selections: readonly unknown[] },
  context: { readonly mode: string | null; readonly now: number },
): Promise<KnownAllergens | null> {
  const selections = Selections.safeParse(selection.selections);
  if (!selections.success) return null;
  const offers = [
    ...(await readDraftOffer(tx, selection.menu_item_id)),
    ...(await readLiveOffers(tx, selection.menu_item_id, context.now)),
  ];
  const dishes = offers.flatMap((offer) => chosenOf(offer, selections.data));
  const [first] = dishes;
  if (first === undefined) return null;
  const productIds = dishes.flatMap(({ item, chosen }) =>
    [item, ...chosen].flatMap(({ product_id: id }) => id ?? []),
  );
  const facts = await ports.allergensOf(tx, [...new Set(productIds)], context);
  const { default_locale: fallback } = await readSettings(tx);
  return {
    title: pickText(first.item.title, { locales: [], fallback }),
    ...anyOf(dishes.map(({ item, chosen }) => dishAllergens(item.product_id, chosen, (id) => facts.get(id)))),
  };
}

/** An item as offered by one menu, or by the draft. */
interface Offer {
  readonly item: TreeItem;
  readonly source: GroupSource;
}

/** The item with the selected modifiers, if the offer allows the selection. */
function chosenOf({ item, source }: Offer, selections: readonly Selection[]) {
  let isPossible = true;
  const choices = chooseModifiers(source, groupsOfItem(source, item.modifier_groups), selections, () => {
    isPossible = false;
  });
  return isPossible ? [{ item, chosen: modifiersIn(choices) }] : [];
}

async function readDraftOffer(tx: Tx, itemId: string): Promise<Offer[]> {
  const item = (await tx.get(items, itemId))?.value;
  return item === undefined ? [] : [{ item, source: await readGroups(tx, item) }];
}

async function readLiveOffers(tx: Tx, itemId: string, now: number): Promise<Offer[]> {
  const stored = await readAll(tx, menus, ({ value }) => [value]);
  const live = await Promise.all(stored.map((menu) => readLive(tx, menu, now)));
  return live.flatMap((version) => {
    const item = version?.tree.itemById.get(itemId);
    return version === null || item === undefined ? [] : [{ item, source: version.tree }];
  });
}

/** The groups of an item including nested ones. */
async function readGroups(tx: Tx, item: Item): Promise<GroupSource> {
  const groupById = new Map<string, ModifierGroup>();
  const modifierById = new Map<string, Modifier>();
  let groupIds = item.modifier_groups.map((use) => use.group_id);
  while (groupIds.length > 0) {
    const groups = await Promise.all(groupIds.map((id) => tx.get(modifierGroups, id)));
    for (const group of groups) if (group !== null) groupById.set(group.id, group.value);
    const modifierIds = groups.flatMap((group) => group?.value.modifier_ids ?? []);
    const documents = await Promise.all(modifierIds.map((id) => tx.get(modifiers, id)));
    for (const modifier of documents) if (modifier !== null) modifierById.set(modifier.id, modifier.value);
    const nested = documents.flatMap((modifier) => modifier?.value.nested_group_ids ?? []);
    groupIds = [...new Set(nested)].filter((id) => !groupById.has(id));
  }
  return { groupById, modifierById };
}
