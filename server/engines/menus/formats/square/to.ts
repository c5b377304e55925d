import { mapInSlices } from "../../../../lib/slices.ts";
import type { GroupUse } from "../../schema/item.ts";
import type { MenuTree, TreeCategory, TreeGroup, TreeItem, TreeModifier } from "../../schema/tree.ts";
import { noteDropped } from "../dropped.ts";
import { SQUARE_TAGS, wordsOf } from "../food-tags.ts";
import { createLosses } from "../losses.ts";
import type { Json, Losses } from "../losses.ts";
import { listsById, noteUnavailable, pick, refOf, sayOnly, viewOf, weekOf } from "../tree-view.ts";
import type { ExportOptions, TreeView, Written } from "../tree-view.ts";
import { timeOf } from "../week.ts";
import type { DaySpan } from "../week.ts";
import { SQUARE_CATALOGUE } from "./categories.ts";

/** Supported fields of Square, by kind. */
export const SQUARE_CARRIES = {
  menu: ["title", "currency", "category_ids", "schedule_ids"],
  categories: ["title", "parent_id", "item_ids", "schedule_ids", "visible"],
  items: [
    "title",
    "description",
    "sku",
    "product_id",
    "price",
    "tax_inclusive",
    "variations",
    "modifier_groups",
    "kcal",
    "alcohol",
  ],
  modifier_groups: ["title", "min", "max", "modifier_ids"],
  modifiers: ["title", "price", "default", "max_quantity"],
} as const;

export const SQUARE = "square";
/** The variation that represents the item itself. */
const SQUARE_VARIATION = "square-variation";

interface Export {
  readonly view: TreeView;
  readonly options: ExportOptions;
  readonly losses: Losses;
  /** The categories of an item. */
  readonly placesOf: (itemId: string) => readonly { readonly list: TreeCategory; readonly index: number }[];
}

/**
 * Converts a menu to batches for BatchUpsertCatalogObjects, to which the sender adds an idempotency_key. Objects
 * imported from Square
 * keep their id; new ones have the temporary id `#` and ours. Hours are split at midnight, one period per day.
 * A modifier in several groups is copied into each: in Square it belongs to one.
 */
export async function toSquare(tree: MenuTree, options: ExportOptions): Promise<Written> {
  const { key } = options;
  const placesOf = await listsById(tree.categories, ({ item_ids: ids }) => ids, key);
  const out: Export = { view: viewOf(tree), options, losses: createLosses(), placesOf };
  noteDropped("menu", tree.menu, SQUARE_CARRIES.menu, out.losses);
  noteUnavailable(options, tree, out.losses);
  for (const level of tree.price_levels) {
    out.losses.add(["price_levels", level.id], "Prices by channel, time or menu are not exported.");
  }
  const owner = ownersOf(tree.modifier_groups);
  const objects = [
    ...(await categoryObjects(out)),
    ...(await mapInSlices(tree.modifier_groups, key, (group) => listObject(group, out, owner))),
    ...(await mapInSlices(tree.items, key, (item) => itemObject(item, out, owner))),
    ...(tree.items.some((item) => !item.tax_inclusive) ? [ADDED_TAX] : []),
  ];
  return { data: { batches: [{ objects }] }, losses: out.losses.list() };
}

/** Square ids have at least 24 characters; our own objects need a temporary id. */
function idOf(resource: { readonly id: string; readonly external_refs?: TreeItem["external_refs"] }): string {
  const ref = refOf(SQUARE, resource);
  return ref === resource.id ? `#${ref}` : ref;
}

/** The tax of items whose prices do not include it. */
const ADDED_TAX = {
  type: "TAX",
  id: "#tax-not-included",
  tax_data: {
    name: "Tax",
    calculation_phase: "TAX_SUBTOTAL_PHASE",
    inclusion_type: "ADDITIVE",
    enabled: true,
  },
} as const;

type Owners = ReadonlyMap<string, string>;

/** The group in which a modifier keeps its own id. */
function ownersOf(groups: readonly TreeGroup[]): Owners {
  const owner = new Map<string, string>();
  for (const { id, modifier_ids } of groups) {
    for (const modifier of modifier_ids) if (!owner.has(modifier)) owner.set(modifier, id);
  }
  return owner;
}

const modifierId = (modifier: TreeModifier, group: TreeGroup, owner: Owners): string =>
  owner.get(modifier.id) === group.id ? idOf(modifier) : `#${modifier.id}.${group.id}`;

async function categoryObjects(out: Export): Promise<Json[]> {
  const { view, options, losses } = out;
  const { menu } = view.tree;
  // A catalogue without menus is exported without one.
  const isCatalogue = refOf(SQUARE, menu) === SQUARE_CATALOGUE;
  const menuId = isCatalogue ? null : idOf(menu);
  const ofMenu = isCatalogue
    ? []
    : withPeriods(menu.id, weekOf(view, menu.schedule_ids, losses, ["menu", "schedule_ids"]), (periods) => ({
        type: "CATEGORY",
        id: menuId,
        category_data: {
          name: sayOnly(menu.title, options.locale, losses, ["menu", "title"]),
          category_type: "MENU_CATEGORY",
          is_top_level: true,
          ...periods,
        },
      }));
  const trees = await mapInSlices(view.roots.entries(), options.key, ([index, category]) =>
    categoryTree(category, menuId, index, out),
  );
  return [...ofMenu, ...trees.flat()];
}

function categoryTree(category: TreeCategory, parent: string | null, ordinal: number, out: Export): Json[] {
  const { view, options, losses } = out;
  const path = ["categories", category.id];
  noteDropped("categories", category, SQUARE_CARRIES.categories, losses);
  const id = idOf(category);
  // Items directly in the menu are exported there again.
  if (id === parent) return [];
  const week = weekOf(view, category.schedule_ids, losses, [...path, "schedule_ids"]);
  const own = withPeriods(category.id, week, (periods) => ({
    type: "CATEGORY",
    id,
    category_data: {
      name: sayOnly(category.title, options.locale, losses, [...path, "title"]),
      category_type: "REGULAR_CATEGORY",
      is_top_level: parent === null,
      ...(parent === null ? { parent_category: { ordinal } } : { parent_category: { id: parent, ordinal } }),
      online_visibility: category.visible,
      ...periods,
    },
  }));
  const below = view.children(category.id).flatMap((child, index) => categoryTree(child, id, index, out));
  return [...own, ...below];
}

/** An object and its AVAILABILITY_PERIOD objects, one per period of a day. Without any it would always be available: it is hidden. */
function withPeriods(owner: string, week: readonly DaySpan[] | null, make: (periods: Json) => Json): Json[] {
  if (week === null) return [make({})];
  if (week.length === 0) return [make({ online_visibility: false })];
  const periods = week.map(({ day, from, to }, index) => ({
    type: "AVAILABILITY_PERIOD",
    id: `#${owner}.${index}`,
    availability_period_data: {
      day_of_week: day.toUpperCase(),
      start_local_time: `${timeOf(from)}:00`,
      end_local_time: `${to === 1_440 ? "23:59" : timeOf(to)}:00`,
    },
  }));
  return [...periods, make({ availability_period_ids: periods.map(({ id }) => id) })];
}

function listObject(group: TreeGroup, out: Export, owner: Owners): Json {
  const { view, options, losses } = out;
  const path = ["modifier_groups", group.id];
  noteDropped("modifier_groups", group, SQUARE_CARRIES.modifier_groups, losses);
  const modifiers = pick(group.modifier_ids, view.modifier);
  const allowsMany = modifiers.some(({ max_quantity: most }) => most > 1);
  for (const modifier of modifiers) {
    const expected = allowsMany ? (group.max ?? 1_000) : 1;
    if (modifier.max_quantity !== expected) {
      losses.add(
        ["modifiers", modifier.id, "max_quantity"],
        "Square allows several units of each modifier of a list, or of none.",
      );
    }
    if (owner.get(modifier.id) !== group.id) {
      losses.add([...path, "modifier_ids"], "A modifier that is in several groups is copied into each.");
    } else noteDropped("modifiers", modifier, SQUARE_CARRIES.modifiers, losses);
  }
  return {
    type: "MODIFIER_LIST",
    id: idOf(group),
    modifier_list_data: {
      name: sayOnly(group.title, options.locale, losses, [...path, "title"]),
      modifier_type: "LIST",
      min_selected_modifiers: group.min,
      // 0 means no limit.
      max_selected_modifiers: group.max ?? 0,
      allow_quantities: allowsMany,
      modifiers: modifiers.map((modifier, ordinal) => ({
        type: "MODIFIER",
        id: modifierId(modifier, group, owner),
        modifier_data: {
          name: sayOnly(modifier.title, options.locale, losses, ["modifiers", modifier.id, "title"]),
          price_money: money(modifier.price, view),
          on_by_default: modifier.default,
          ordinal,
          modifier_list_id: idOf(group),
        },
      })),
    },
  };
}

const money = (amount: number, view: TreeView): Json => ({ amount, currency: view.tree.menu.currency });

function itemObject(item: TreeItem, out: Export, owner: Owners): Json {
  const { view, options, losses } = out;
  const path = ["items", item.id];
  noteDropped("items", item, SQUARE_CARRIES.items, losses);
  if (!item.tax_inclusive) {
    losses.add([...path, "tax_inclusive"], "Exported as a tax without a rate: set its rate in Square.");
  }
  if (item.kcal?.max != null)
    losses.add([...path, "kcal", "max"], "Only the lower end of the range is exported.");
  if (item.alcohol?.abv != null)
    losses.add([...path, "alcohol", "abv"], "Only the fact that it is alcoholic is exported.");
  const food = wordsOf(SQUARE_TAGS, options.facts, item.product_id, { losses, path, itemId: item.id });
  const categories = out.placesOf(item.id).map(({ list, index }) => ({ id: idOf(list), ordinal: index }));
  const standard = (name: string): Json => ({ type: "STANDARD", standard_name: name });
  return {
    type: "ITEM",
    id: idOf(item),
    item_data: {
      name: sayOnly(item.title, options.locale, losses, [...path, "title"]),
      ...(item.description === null
        ? {}
        : { description: sayOnly(item.description, options.locale, losses, [...path, "description"]) }),
      product_type: "FOOD_AND_BEV",
      is_alcoholic: item.alcohol !== null,
      ...(item.tax_inclusive ? {} : { tax_ids: [ADDED_TAX.id] }),
      categories,
      modifier_list_info: item.modifier_groups.flatMap((use, ordinal) => {
        const group = view.group(use.group_id);
        const copied = use.hidden_modifier_ids.some((id) => owner.get(id) !== use.group_id);
        if (copied)
          losses.add(
            [...path, "modifier_groups"],
            "A modifier that is in several groups is copied into each.",
          );
        return group === undefined ? [] : [useOf(use, { group, ordinal }, out, owner)];
      }),
      variations: variationsOf(item, out),
      food_and_beverage_details: {
        ...(item.kcal === null ? {} : { calorie_count: item.kcal.min }),
        ingredients: food.allergens.map(standard),
        dietary_preferences: food.diets.map(standard),
      },
    },
  };
}

function useOf(
  use: GroupUse,
  { group, ordinal }: { readonly group: TreeGroup; readonly ordinal: number },
  { view }: Export,
  owner: Owners,
): Json {
  const hidden = pick(use.hidden_modifier_ids, view.modifier);
  // -1: as in the list; only valid for both limits together.
  const inherits = use.min === undefined && use.max === undefined;
  const max = use.max === undefined ? group.max : use.max;
  return {
    modifier_list_id: idOf(group),
    ordinal,
    enabled: true,
    min_selected_modifiers: inherits ? -1 : (use.min ?? group.min),
    max_selected_modifiers: inherits ? -1 : (max ?? 0),
    ...(hidden.length === 0
      ? {}
      : {
          modifier_overrides: hidden.map((modifier) => ({
            modifier_id: modifierId(modifier, group, owner),
            hidden_online_override: "YES",
          })),
        }),
  };
}

function variationsOf(item: TreeItem, { view, options, losses }: Export): Json[] {
  const path = ["items", item.id];
  if (item.variations.length === 0) {
    const ref = refOf(SQUARE_VARIATION, { ...item, id: `#${item.id}.variation` });
    return [variation({ id: ref, name: "Regular", price: item.price ?? 0, sku: item.sku }, item, view)];
  }
  if (item.price !== null)
    losses.add([...path, "price"], "For an item with variations only the variations' prices are exported.");
  if (item.sku !== null)
    losses.add([...path, "sku"], "For an item with variations only the variations' SKUs are exported.");
  return item.variations.map((own) => {
    if (own.kcal !== null || own.portion_text !== null) {
      losses.add([...path, "variations"], "Energy and portion of a variation are not exported.");
    }
    const name = sayOnly(own.title, options.locale, losses, [...path, "variations", own.id, "title"]);
    return variation({ id: idOf(own), name, price: own.price, sku: own.sku }, item, view);
  });
}

const variation = (
  { id, name, price, sku }: { id: string; name: string; price: number; sku: string | null },
  item: TreeItem,
  view: TreeView,
): Json => ({
  type: "ITEM_VARIATION",
  id,
  item_variation_data: {
    item_id: idOf(item),
    name,
    ...(sku === null ? {} : { sku }),
    pricing_type: "FIXED_PRICING",
    price_money: money(price, view),
  },
});
