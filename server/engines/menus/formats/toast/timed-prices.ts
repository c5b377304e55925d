import type { TreeItem, TreePriceLevel } from "../../schema/tree.ts";
import type { Losses } from "../losses.ts";
import { weekOf } from "../tree-view.ts";
import type { TreeView } from "../tree-view.ts";
import type { DaySpan } from "../week.ts";

/** True for a level that Toast supports: fixed prices of items at certain hours, in every channel. */
export const isTimedLevel = (level: TreePriceLevel, view: TreeView): boolean =>
  level.automatic &&
  level.schedule_id !== null &&
  level.channel === null &&
  level.menu_id === null &&
  level.overrides.every(
    ({ target_id: id, price }) =>
      price !== null && id !== null && (view.item(id)?.variations.length ?? 1) === 0,
  );

/** True for a level with fixed prices of items in the exported menu. */
export const isMenuLevel = (level: TreePriceLevel, view: TreeView): boolean =>
  level.menu_id === view.tree.menu.id &&
  level.schedule_id === null &&
  isTimedLevel({ ...level, menu_id: null, schedule_id: "any" }, view);

/** The price of an item in the exported menu; null without a level of the menu. */
export function menuPriceOf(item: TreeItem, view: TreeView): number | null {
  const levels = view.tree.price_levels
    .filter((level) => isMenuLevel(level, view))
    .sort((a, b) => b.priority - a.priority);
  const prices = levels.flatMap(({ overrides }) =>
    overrides.flatMap(({ target_id: id, price }) => (id === item.id && price !== null ? [price] : [])),
  );
  return prices[0] ?? null;
}

/** Prices of an item at certain hours. */
export function timedPricesOf(
  item: TreeItem,
  view: TreeView,
  losses: Losses,
): { amount: number; week: readonly DaySpan[] }[] {
  return view.tree.price_levels
    .filter((level) => isTimedLevel(level, view))
    .flatMap((level) => {
      const amount = level.overrides.find(({ target_id: id }) => id === item.id)?.price ?? null;
      if (amount === null || level.schedule_id === null) return [];
      const week = weekOf(view, [level.schedule_id], losses, ["price_levels", level.id, "schedule_id"]);
      return [{ amount, week: week ?? [] }];
    });
}
