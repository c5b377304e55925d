import { mapInSlices } from "../../../../lib/slices.ts";
import type { Text } from "../../schema/parts.ts";
import type { MenuTree, TreeCategory, TreeGroup, TreeItem, TreeModifier } from "../../schema/tree.ts";
import { noteDropped } from "../dropped.ts";
import { DELIVERECT_ALCOHOL, DELIVERECT_TAGS, wordsOf } from "../food-tags.ts";
import { createLosses } from "../losses.ts";
import type { Json, Losses, Path } from "../losses.ts";
import { PRICE_LIST_CARRIES, priceListsOf } from "../price-lists.ts";
import type { PriceList } from "../price-lists.ts";
import { listsById, ownModifiers, pick, refOf, say, unavailableUntil, viewOf } from "../tree-view.ts";
import type { ExportOptions, TreeView, Written } from "../tree-view.ts";
import { variationGroupOf } from "../variation-group.ts";

export const DELIVERECT = "deliverect";

/** Supported fields of a product sync, by kind. */
export const DELIVERECT_CARRIES = {
  menu: ["category_ids"],
  categories: ["title", "description", "image", "item_ids"],
  items: [
    ...(["title", "description", "product_id", "price", "variations", "modifier_groups", "kcal"] as const),
    ...(["alcohol", "max_per_order", "images"] as const),
  ],
  modifier_groups: ["title", "min", "max", "min_distinct", "max_distinct", "modifier_ids"],
  modifiers: ["title", "price", "product_id", "default", "max_quantity", "nested_group_ids", "kcal"],
  price_levels: PRICE_LIST_CARRIES,
} as const;

interface Export {
  readonly view: TreeView;
  readonly options: ExportOptions;
  readonly losses: Losses;
  readonly lists: readonly PriceList[];
  /** The categories of an item. */
  readonly placesOf: (itemId: string) => readonly { readonly list: TreeCategory }[];
}

/**
 * Converts a menu to the body of a product sync, to which the sender adds accountId and locationId and its tax rates:
 * the sync
 * requires a rate per product, and menus have none. Nested categories are flattened, and
 * variations become a modifier group of their item.
 */
export async function toDeliverect(tree: MenuTree, options: ExportOptions): Promise<Written> {
  const { key } = options;
  const losses = createLosses();
  // Sorted by name, so that repeated exports are identical.
  const lists = priceListsOf(tree, DELIVERECT, options.locale, losses).sort((a, b) =>
    a.ref < b.ref ? -1 : 1,
  );
  const placesOf = await listsById(tree.categories, ({ item_ids: ids }) => ids, key);
  const out: Export = { view: viewOf(tree), options, losses, lists, placesOf };
  noteDropped("menu", tree.menu, DELIVERECT_CARRIES.menu, losses);
  if (tree.categories.some(({ parent_id: parent }) => parent !== null)) {
    losses.add(["menu", "category_ids"], "Subcategories are exported on the same level as their parents.");
  }
  const products = [
    ...(await mapInSlices(tree.items, key, (item) => itemProducts(item, out))).flat(),
    ...(await mapInSlices(tree.modifier_groups, key, (group) => groupProduct(group, out))),
    ...(await mapInSlices(await ownModifiers(DELIVERECT, out), key, (each) => modifierProduct(each, out))),
  ];
  const data = {
    products,
    categories: await mapInSlices(tree.categories, key, (category) => categoryOf(category, out)),
    priceLevels: lists.map(({ ref, title }) => ({ name: title, posId: ref })),
  };
  return { data, losses: losses.list() };
}

/** The store's own language as the text, the others as translations. */
function texts(name: "name" | "description", text: Text, { options }: Export): Json {
  const base = say(text, options.locale);
  const others = Object.entries(text).filter(([locale]) => locale !== options.locale);
  return { [name]: base, [`${name}Translations`]: Object.fromEntries(others) };
}

const described = (title: Text, description: Text | null, out: Export): Json => ({
  ...texts("name", title, out),
  ...(description === null ? {} : texts("description", description, out)),
});

function noteBase(text: Text | null, path: Path, { options, losses }: Export): void {
  if (text !== null && text[options.locale] === undefined) {
    losses.add(path, `No text in ${options.locale}; another language is exported instead.`);
  }
}

const priceLevels = (id: string, { lists }: Export): Json => {
  const prices = lists.flatMap(({ ref, prices: own }) => {
    const price = own.get(id);
    return price === undefined ? [] : [[ref, price] as const];
  });
  return prices.length === 0 ? {} : { priceLevels: Object.fromEntries(prices) };
};

function itemProducts(item: TreeItem, out: Export): Json[] {
  const { view, options, losses } = out;
  const path = ["items", item.id];
  noteDropped("items", item, DELIVERECT_CARRIES.items, losses);
  noteBase(item.title, [...path, "title"], out);
  noteBase(item.description, [...path, "description"], out);
  noteUses(item, losses);
  if (item.images.length > 1) losses.add([...path, "images"], "Only the first image is exported.");
  if (item.images.some(({ alt }) => alt !== null))
    losses.add([...path, "images"], "The alt text of an image is not exported.");
  if (item.alcohol?.abv != null)
    losses.add([...path, "alcohol", "abv"], "Only the fact that it is alcoholic is exported.");
  const plu = refOf(DELIVERECT, item);
  const sizes = variationGroupOf(item, plu);
  if (sizes !== null && item.price !== null) {
    losses.add([...path, "price"], "For an item with variations only the variations' prices are exported.");
  }
  const food = wordsOf(DELIVERECT_TAGS, options.facts, item.product_id, { losses, path, itemId: item.id });
  const groups = pick(
    item.modifier_groups.map(({ group_id: id }) => id),
    view.group,
  ).map((group) => refOf(DELIVERECT, group));
  const product = {
    productType: 1,
    plu,
    ...described(item.title, item.description, out),
    price: sizes?.base ?? item.price ?? 0,
    ...priceLevels(item.id, out),
    ...(item.images[0] === undefined ? {} : { imageUrl: item.images[0].url }),
    posCategoryIds: out.placesOf(item.id).map(({ list }) => refOf(DELIVERECT, list)),
    subProducts: sizes === null ? groups : [sizes.id, ...groups],
    ...(item.max_per_order === null ? {} : { multiMax: item.max_per_order }),
    productTags: [...food.allergens, ...food.diets, ...(item.alcohol === null ? [] : [DELIVERECT_ALCOHOL])],
    ...kcal(item.kcal),
    ...snoozed(item.id, options),
  };
  if (sizes === null) return [product];
  return [product, ...sizeProducts(item, out)];
}

function sizeProducts(item: TreeItem, out: Export): Json[] {
  const sizes = variationGroupOf(item, refOf(DELIVERECT, item));
  if (sizes === null) return [];
  out.losses.add(["items", item.id, "variations"], "Variations are exported as a modifier group.");
  const options = sizes.options.map(({ variation, price }) => {
    if (variation.kcal !== null || variation.portion_text !== null || variation.sku !== null) {
      out.losses.add(
        ["items", item.id, "variations", variation.id],
        "SKU, energy and portion of a variation are not exported.",
      );
    }
    return {
      productType: 2,
      plu: refOf(DELIVERECT, variation),
      ...texts("name", variation.title, out),
      price,
    };
  });
  const group = {
    productType: 3,
    plu: sizes.id,
    name: "Size",
    min: 1,
    max: 1,
    multiMax: 1,
    subProducts: options.map(({ plu }) => plu),
  };
  return [group, ...options];
}

function noteUses(item: TreeItem, losses: Losses): void {
  for (const use of item.modifier_groups) {
    if (use.min !== undefined || use.max !== undefined || use.hidden_modifier_ids.length > 0) {
      losses.add(
        ["items", item.id, "modifier_groups"],
        "Limits and hidden modifiers of a single item are not exported: a group is the same for all items.",
        "money",
      );
    }
  }
}

const kcal = (value: TreeItem["kcal"]): Json =>
  value === null
    ? {}
    : { calories: value.min, ...(value.max === null ? {} : { caloriesRangeHigh: value.max }) };

function snoozed(id: string, options: ExportOptions): Json {
  const until = unavailableUntil(options, id);
  if (until === undefined) return {};
  return { snoozed: true, ...(until === null ? {} : { snoozeEnd: until }) };
}

function groupProduct(group: TreeGroup, out: Export): Json {
  const { view, losses } = out;
  noteDropped("modifier_groups", group, DELIVERECT_CARRIES.modifier_groups, losses);
  noteBase(group.title, ["modifier_groups", group.id, "title"], out);
  return {
    productType: 3,
    plu: refOf(DELIVERECT, group),
    ...texts("name", group.title, out),
    min: group.min,
    max: group.max ?? 0,
    ...(group.min_distinct === null ? {} : { minUniqueOptions: group.min_distinct }),
    ...(group.max_distinct === null ? {} : { maxUniqueOptions: group.max_distinct }),
    subProducts: pick(group.modifier_ids, view.modifier).map((modifier) => refOf(DELIVERECT, modifier)),
  };
}

function modifierProduct(modifier: TreeModifier, out: Export): Json {
  const { view, options, losses } = out;
  const path = ["modifiers", modifier.id];
  noteDropped("modifiers", modifier, DELIVERECT_CARRIES.modifiers, losses);
  noteBase(modifier.title, [...path, "title"], out);
  const food = wordsOf(DELIVERECT_TAGS, options.facts, modifier.product_id, { losses, path });
  return {
    productType: 2,
    plu: refOf(DELIVERECT, modifier),
    ...texts("name", modifier.title, out),
    price: modifier.price,
    ...priceLevels(modifier.id, out),
    multiMax: modifier.max_quantity,
    ...(modifier.default ? { defaultQuantity: 1 } : {}),
    subProducts: pick(modifier.nested_group_ids, view.group).map((group) => refOf(DELIVERECT, group)),
    productTags: [...food.allergens, ...food.diets],
    ...kcal(modifier.kcal),
    ...snoozed(modifier.id, options),
  };
}

function categoryOf(category: TreeCategory, out: Export): Json {
  noteDropped("categories", category, DELIVERECT_CARRIES.categories, out.losses);
  noteBase(category.title, ["categories", category.id, "title"], out);
  if (category.image?.alt != null) {
    out.losses.add(["categories", category.id, "image", "alt"], "The alt text of an image is not exported.");
  }
  return {
    name: say(category.title, out.options.locale),
    posCategoryId: refOf(DELIVERECT, category),
    ...described(category.title, category.description, out),
    ...(category.image === null ? {} : { imageUrl: category.image.url }),
  };
}
