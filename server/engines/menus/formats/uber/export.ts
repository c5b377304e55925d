import { fromInstant } from "../../../../lib/instant.ts";
import type { Text } from "../../schema/parts.ts";
import type { TreeGroup, TreeItem, TreePriceLevel } from "../../schema/tree.ts";
import { scaleUp } from "../decimal.ts";
import { toLowerLocale } from "../locale.ts";
import type { Json, Losses } from "../losses.ts";
import { unavailableUntil } from "../tree-view.ts";
import type { ExportOptions, TreeView } from "../tree-view.ts";

export const UBER = "uber";

/** Supported fields of Uber Eats, by kind. */
export const UBER_CARRIES = {
  menu: ["title", "description", "channels", "currency", "schedule_ids", "category_ids"],
  categories: ["title", "description", "item_ids"],
  items: [
    ...([
      "title",
      "description",
      "sku",
      "product_id",
      "price",
      "variations",
      "modifier_groups",
      "kcal",
    ] as const),
    ...(["serves", "alcohol", "max_per_order", "schedule_ids", "images"] as const),
  ],
  modifier_groups: ["title", "min", "max", "min_distinct", "max_distinct", "free_quantity", "modifier_ids"],
  modifiers: ["title", "price", "sku", "product_id", "default", "max_quantity", "nested_group_ids", "kcal"],
  price_levels: ["menu_id", "automatic", "overrides"],
} as const;

export interface Export {
  readonly view: TreeView;
  readonly options: ExportOptions;
  readonly losses: Losses;
  readonly levels: readonly TreePriceLevel[];
  /** The groups of a modifier. */
  readonly groupsOf: (modifierId: string) => readonly { readonly list: TreeGroup }[];
  /** The items that use a group, and which of their uses it is. */
  readonly usesOf: (groupId: string) => readonly { readonly list: TreeItem; readonly index: number }[];
}

export const texts = (text: Text): Json => ({
  translations: Object.fromEntries(
    Object.entries(text).map(([locale, value]) => [toLowerLocale(locale), value]),
  ),
});
export const subtitle = (name: string, text: Text | null): Json =>
  text === null ? {} : { [name]: texts(text) };

/** Energy in E5 notation: 540 kcal is 54000000. */
export const energy = (kcal: TreeItem["kcal"]): Json =>
  kcal === null
    ? {}
    : {
        calories: {
          energy_interval: { lower: scaleUp(kcal.min, 5), upper: scaleUp(kcal.max ?? kcal.min, 5) },
          display_type: kcal.max === null ? "single_item" : "multiple_items",
        },
      };

/** Uber marks a permanent suspension with a time far in the future. */
const FOREVER_SECONDS = 8_640_000_000_000;

/** The suspension of what cannot be sold now. */
export function suspension(options: ExportOptions, id: string): Json {
  const until = unavailableUntil(options, id);
  return until === undefined ? {} : suspendedUntil(until);
}

/** Null: permanently. */
export function suspendedUntil(until: string | null): Json {
  const suspend_until = until === null ? FOREVER_SECONDS : Math.ceil(fromInstant(until) / 1_000);
  return { suspension_info: { suspension: { suspend_until } } };
}
