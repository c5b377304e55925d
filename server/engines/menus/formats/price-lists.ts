import type { MenuTree, TreePriceLevel } from "../schema/tree.ts";
import type { Draft, DraftLevel, DraftPrice } from "./draft.ts";
import { noteDropped } from "./dropped.ts";
import type { Losses, Path } from "./losses.ts";
import { refOf, sayOnly } from "./tree-view.ts";

/**
 * Named price lists (Deliverect's priceLevels, Otter's overrides by service): a second price of an item or a modifier
 * under a name that orders refer to. Here they are price levels that only apply if a request refers to them.
 */
export interface PriceList {
  readonly id: string;
  readonly ref: string;
  readonly title: string;
  /** Price by our id of item or modifier. */
  readonly prices: ReadonlyMap<string, number>;
}

/** The levels of a tree that are such lists; the others are reported as lost. */
export function priceListsOf(tree: MenuTree, system: string, locale: string, losses: Losses): PriceList[] {
  const targets = new Set([...tree.items, ...tree.modifiers].map(({ id }) => id));
  return tree.price_levels.flatMap((level): PriceList[] => {
    if (!isList(level, targets)) {
      losses.add(
        ["price_levels", level.id],
        "Only price levels with fixed prices that a request can refer to are exported.",
      );
      return [];
    }
    noteDropped("price_levels", level, PRICE_LIST_CARRIES, losses);
    const prices = new Map<string, number>();
    for (const { target_id: id, price } of level.overrides) {
      if (id !== null && price !== null) prices.set(id, price);
    }
    if (prices.size === 0) losses.add(["price_levels", level.id], "Not exported, because it has no prices.");
    const title = sayOnly(level.title, locale, losses, ["price_levels", level.id, "title"]);
    return [{ id: level.id, ref: refOf(system, level), title, prices }];
  });
}

export const PRICE_LIST_CARRIES = ["title", "automatic", "overrides"] as const;

const isList = (level: TreePriceLevel, targets: ReadonlySet<string>): boolean =>
  !level.automatic &&
  level.channel === null &&
  level.schedule_id === null &&
  level.menu_id === null &&
  level.overrides.every(({ target_id: id, price }) => price !== null && id !== null && targets.has(id));

/** Price lists during import: levels by ref, in order of appearance. */
export interface LevelReader {
  readonly add: (
    list: { readonly ref: string; readonly title: string; readonly path: Path },
    price: DraftPrice,
  ) => void;
  readonly levels: () => Draft["levels"];
}

export function createLevelReader(): LevelReader {
  const levels = new Map<string, DraftLevel & { readonly prices: DraftPrice[] }>();
  return {
    add({ ref, title, path }, price) {
      const level = levels.get(ref) ?? { ref, path, title, automatic: false, prices: [] };
      level.prices.push(price);
      levels.set(ref, level);
    },
    levels: () => [...levels.values()],
  };
}
