import type { TreeItem } from "../../schema/tree.ts";
import { toDecimal } from "../decimal.ts";
import type { Json, Losses } from "../losses.ts";
import { refOf } from "../tree-view.ts";
import type { ExportOptions, TreeView } from "../tree-view.ts";

export const TOAST = "toast";

/** Supported fields of Toast, by kind. */
export const TOAST_CARRIES = {
  menu: ["title", "description", "currency", "time_zone", "category_ids", "schedule_ids"],
  categories: ["title", "description", "image", "parent_id", "item_ids", "visible"],
  items: [
    ...([
      "title",
      "description",
      "sku",
      "price",
      "tax_inclusive",
      "variations",
      "modifier_groups",
      "kcal",
    ] as const),
    ...(["tags", "alcohol", "prep_time_minutes", "images"] as const),
  ],
  modifier_groups: [
    ...(["title", "min", "max", "defaults_charged", "substitution", "modifier_ids", "display_mode"] as const),
    ...(["pre_modifiers", "portions"] as const),
  ],
  modifiers: ["title", "price", "sku", "default", "max_quantity", "nested_group_ids", "kcal"],
  price_levels: ["schedule_id", "overrides", "automatic"],
} as const;

export interface Export {
  readonly view: TreeView;
  readonly options: ExportOptions;
  readonly losses: Losses;
  /** referenceId by our id; groups, options and sizes are numbered together. */
  readonly reference: (id: string) => number;
  /** Price by item in the exported menu. */
  readonly menuPrices: ReadonlyMap<string, number>;
  readonly timedLevels: readonly TimedLevel[];
}

/** A price level that applies at certain hours, with the prices of its targets. */
export interface TimedLevel {
  readonly id: string;
  readonly scheduleId: string | null;
  readonly prices: ReadonlyMap<string | null, number | null>;
}

export const EVERYWHERE = ["POS", "KIOSK", "TOAST_ONLINE_ORDERING", "ORDERING_PARTNERS"];

export const price = (minor: number, { view }: Export): number => toDecimal(minor, view.tree.menu.currency);

export const sizeGuid = (item: TreeItem): string => `${refOf(TOAST, item)}.sizes`;

export type Referenced = Json & { readonly referenceId: number };
