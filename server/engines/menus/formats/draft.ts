import type { Path } from "./losses.ts";
import type { WeekRule } from "./week.ts";

/**
 * A menu of another system in our terms and with its ids: the intermediate form of every import before it is compared
 * with the store. An undefined field is unknown to the system: an update does not change it.
 */
export interface Draft {
  readonly menus: readonly DraftMenu[];
  readonly categories: readonly DraftCategory[];
  readonly items: readonly DraftItem[];
  readonly groups: readonly DraftGroup[];
  readonly modifiers: readonly DraftModifier[];
  readonly levels: readonly DraftLevel[];
  /** Items of categories that the document does not define: they may have been imported before. */
  readonly additions?: readonly DraftAddition[];
}

export interface DraftAddition {
  readonly category: string;
  readonly items: readonly string[];
  readonly path: Path;
}

/** Text by locale (BCP 47). */
export type DraftText = Readonly<Record<string, string>>;

interface Entry {
  /** The id in the other system, unique among its kind. */
  readonly ref: string;
  /** Its path in the document. */
  readonly path: Path;
  readonly title: DraftText;
  readonly description?: DraftText | null;
}

export interface DraftHours {
  readonly rules: readonly WeekRule[];
  /** Null: none. Omitted by systems without it, as are exceptions. */
  readonly validFrom?: string | null;
  readonly validUntil?: string | null;
  readonly exceptions?: readonly {
    readonly date: string;
    readonly ranges: readonly { readonly start: string; readonly end: string }[];
  }[];
}

export type DraftChannel = "delivery" | "pickup" | "dine_in" | "catering" | "kiosk";

export interface DraftMenu extends Entry {
  readonly channels?: readonly DraftChannel[];
  /** Null: always. */
  readonly hours?: DraftHours | null;
  /** Refs in order. */
  readonly categories: readonly string[];
  /** True if the document may not list all categories: they are added, none is removed. */
  readonly addsCategories?: boolean;
  readonly currency: string;
  readonly timeZone?: string;
}

export interface DraftCategory extends Entry {
  /** Null: at the top. Omitted by systems without nesting. */
  readonly parent?: string | null;
  readonly items: readonly string[];
  /** True if the document does not list all items of the category: items are added, none is removed. */
  readonly addsItems?: boolean;
  readonly hours?: DraftHours | null;
  readonly visible?: boolean;
  readonly image?: DraftImage | null;
}

export interface DraftUse {
  readonly group: string;
  readonly path: Path;
  /** Omitted: as in the group. */
  readonly min?: number;
  /** Omitted: as in the group; null: no limit. */
  readonly max?: number | null;
  readonly hidden?: readonly string[];
  /** The system has no limits of a group per item: existing ones do not change. */
  readonly isPlain?: boolean;
}

export interface DraftVariation {
  readonly ref: string;
  readonly path: Path;
  readonly title: DraftText;
  readonly price: number;
  readonly sku?: string | null;
}

export interface DraftImage {
  readonly url: string;
  readonly alt: DraftText | null;
}

export interface DraftKcal {
  readonly min: number;
  readonly max?: number;
}

/** `until` null: until it is restored. */
export interface DraftStock {
  readonly available: boolean;
  readonly until?: string | null;
  readonly reason?: string;
}

export interface DraftItem extends Entry {
  readonly sku?: string | null;
  /** Null if every sale is of a variation. */
  readonly price: number | null;
  /** True if the price is that of a menu, which has a level of its own: an existing price does not change. */
  readonly isMenuPrice?: boolean;
  readonly taxIncluded?: boolean;
  readonly variations: readonly DraftVariation[];
  /** Ref of the only variation, which represents the item, if the system has no items without variations. */
  readonly onlyVariation?: string;
  readonly groups: readonly DraftUse[];
  readonly kcal?: DraftKcal | null;
  readonly serves?: number | null;
  readonly portion?: DraftText | null;
  readonly alcohol?: boolean;
  /** Percent by volume. */
  readonly abv?: number | null;
  readonly prepMinutes?: number | null;
  readonly maxPerOrder?: number | null;
  readonly hours?: DraftHours | null;
  readonly images?: readonly DraftImage[];
  readonly stock?: DraftStock;
  readonly tags?: readonly string[];
  readonly food?: DraftFood;
}

export interface DraftGroup extends Entry {
  readonly min: number;
  readonly max: number | null;
  readonly preModifiers?: readonly DraftPreModifier[];
  readonly portions?: readonly DraftPortion[];
  readonly minDistinct?: number | null;
  readonly maxDistinct?: number | null;
  readonly free?: number;
  readonly defaultsCharged?: boolean;
  readonly substitution?: boolean;
  readonly display?: "required" | "forced" | "optional";
  readonly modifiers: readonly string[];
}

export interface DraftPortion {
  readonly code: string;
  readonly title: DraftText;
  readonly scale: number;
}

export interface DraftPreModifier {
  readonly code: string;
  readonly title: DraftText;
  readonly factor: number | null;
  readonly fixedPrice: number | null;
  readonly position: "prefix" | "suffix";
}

export interface DraftModifier extends Entry {
  readonly price: number;
  readonly default?: boolean;
  readonly maxQuantity?: number;
  /** Ref of the corresponding item that is sold on its own. */
  readonly item?: string;
  readonly sku?: string | null;
  readonly groups: readonly string[];
  readonly kcal?: DraftKcal | null;
  readonly stock?: DraftStock;
  readonly food?: DraftFood;
}

export interface DraftLevel {
  readonly ref: string;
  readonly title: string;
  readonly channel?: DraftChannel;
  readonly menu?: string;
  readonly hours?: DraftHours;
  readonly path: Path;
  readonly automatic: boolean;
  readonly prices: readonly DraftPrice[];
}

export interface DraftPrice {
  readonly kind: "item" | "modifier";
  readonly ref: string;
  readonly price: number;
}

/** Allergens and diets in the system. They belong to the product in /v1/allergens and are returned. */
export interface DraftFood {
  readonly contains: readonly string[];
  readonly freeFrom: readonly string[];
  readonly diets: readonly string[];
}

export interface DraftOptions {
  /** Default locale of texts. */
  readonly locale: string;
  /** Default currency of prices. */
  readonly currency: string;
  /** Location of the other system whose prices and stock are imported. */
  readonly locationId?: string | undefined;
}
