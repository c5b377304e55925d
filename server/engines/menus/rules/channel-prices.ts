import { mapSteps } from "../../../lib/slices.ts";
import type { Channel } from "../schema/parts.ts";
import type { MenuTree } from "../schema/tree.ts";
import { levelPricesSteps } from "./price-level.ts";

/**
 * A tree with the prices of the levels that apply to a channel at all times, for systems that know one price of each item. Levels
 * of certain hours remain, and those that only apply if a request refers to them.
 */
export function* channelPricesSteps(tree: MenuTree, channel: Channel | null): Generator<undefined, MenuTree> {
  const { menu } = tree;
  const sale = { menuId: menu.id, channel, named: null, ofMenu: menu.price_level_id, isOpen: () => false };
  const priceOf = yield* levelPricesSteps(tree.price_levels, sale);
  return {
    ...tree,
    items: yield* mapSteps(tree.items, (item) => ({
      ...item,
      price: item.price === null ? null : priceOf({ kind: "item", id: item.id }, item.price).price,
      variations: item.variations.map((variation) => ({
        ...variation,
        price: priceOf({ kind: "variation", id: variation.id, itemId: item.id }, variation.price).price,
      })),
    })),
    modifiers: yield* mapSteps(tree.modifiers, (modifier) => ({
      ...modifier,
      price: priceOf({ kind: "modifier", id: modifier.id }, modifier.price).price,
    })),
    price_levels: tree.price_levels.filter((level) => !level.automatic || level.schedule_id !== null),
  };
}
