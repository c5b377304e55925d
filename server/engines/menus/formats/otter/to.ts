import { mapInSlices } from "../../../../lib/slices.ts";
import type { Variation } from "../../schema/item.ts";
import type { MenuTree, TreeCategory, TreeGroup, TreeItem, TreeModifier } from "../../schema/tree.ts";
import { toDecimal } from "../decimal.ts";
import { noteDropped } from "../dropped.ts";
import { OTTER_TAGS, wordsOf } from "../food-tags.ts";
import { createLosses } from "../losses.ts";
import type { Json, Losses } from "../losses.ts";
import { PRICE_LIST_CARRIES, priceListsOf } from "../price-lists.ts";
import type { PriceList } from "../price-lists.ts";
import { slug } from "../json-ld.ts";
import { ownModifiers, pick, refOf, sayOnly, unavailableUntil, viewOf, weekOf } from "../tree-view.ts";
import type { ExportOptions, TreeView, Written } from "../tree-view.ts";
import { variationGroupOf } from "../variation-group.ts";
import { endInDay } from "../week.ts";
import { DAY_NAMES } from "../week.ts";
import { noteVariations } from "../variation-group.ts";

export const OTTER = "otter";

/** Supported fields of Otter, by kind. */
export const OTTER_CARRIES = {
  menu: ["title", "description", "channels", "currency", "schedule_ids", "category_ids"],
  categories: ["title", "description", "item_ids"],
  items: [
    ...(["title", "description", "sku", "product_id", "price", "variations", "modifier_groups"] as const),
    ...(["kcal", "serves", "alcohol", "images"] as const),
  ],
  modifier_groups: ["title", "min", "max", "modifier_ids"],
  modifiers: ["title", "price", "sku", "product_id", "default", "max_quantity", "nested_group_ids", "kcal"],
  price_levels: PRICE_LIST_CARRIES,
} as const;

type Entity = Json & { readonly id: string };

interface Export {
  readonly view: TreeView;
  readonly options: ExportOptions;
  readonly losses: Losses;
  readonly lists: readonly PriceList[];
}

/**
 * Converts a menu to the body of Otter's API. Modifiers are exported as separate items, categories are flattened,
 * variations
 * become a group of their item; prices are decimals of the menu's currency and hours are split at midnight.
 */
export async function toOtter(tree: MenuTree, options: ExportOptions): Promise<Written> {
  const { key } = options;
  const losses = createLosses();
  const lists = byService(priceListsOf(tree, OTTER, options.locale, losses), losses);
  const out: Export = { view: viewOf(tree), options, losses, lists };
  const data = {
    menus: byId([menuOf(out)]),
    categories: byId(await mapInSlices(tree.categories, key, (category) => categoryOf(category, out))),
    modifierGroups: byId([
      ...(await mapInSlices(tree.modifier_groups, key, (group) => groupOf(group, out))),
      ...(await mapInSlices(tree.items, key, (item) => sizeGroup(item))).flat(),
    ]),
    items: byId([
      ...(await mapInSlices(tree.items, key, (item) => itemOf(item, out))),
      ...(await mapInSlices(await ownModifiers(OTTER, out), key, (each) => modifierOf(each, out))),
      ...(await mapInSlices(tree.items, key, (item) => sizeItems(item, out))).flat(),
    ]),
  };
  return { data, losses: losses.list() };
}

/** A list imported from Otter is exported under its service; others under their title, such as `ubereats`. */
function byService(lists: readonly PriceList[], losses: Losses): PriceList[] {
  const named = lists.map((list) => ({
    ...list,
    ref: list.ref === list.id ? slug(list.title, "list") : list.ref,
  }));
  // Sorted by name, so that repeated exports are identical.
  return named
    .sort((a, b) => (a.ref < b.ref ? -1 : 1))
    .filter(({ id, ref, title }, at) => {
      const isFirst = named.findIndex((other) => other.ref === ref) === at;
      if (!isFirst)
        losses.add(["price_levels", id], `Another price level is exported under the service ${ref}.`);
      else if (ref !== title) losses.add(["price_levels", id, "title"], `Exported as the service ${ref}.`);
      return isFirst;
    });
}

const byId = (entities: readonly Entity[]): Json =>
  Object.fromEntries(entities.map((entity) => [entity.id, entity]));

const MODES = { delivery: "DELIVERY", pickup: "PICK_UP", dine_in: "DINE_IN" } as const;

function menuOf(out: Export): Entity {
  const { view, options, losses } = out;
  const { menu, categories } = view.tree;
  noteDropped("menu", menu, OTTER_CARRIES.menu, losses);
  const week = weekOf(view, menu.schedule_ids, losses, ["menu", "schedule_ids"]);
  const modes = menu.channels.flatMap((channel) => {
    if (channel === "delivery" || channel === "pickup" || channel === "dine_in") return [MODES[channel]];
    losses.add(["menu", "channels"], `The format has no equivalent of ${channel}.`);
    return [];
  });
  const nested = categories.filter(({ parent_id }) => parent_id !== null);
  if (nested.length > 0)
    losses.add(["menu", "category_ids"], "Subcategories are exported on the same level as their parents.");
  return {
    id: refOf(OTTER, menu),
    name: sayOnly(menu.title, options.locale, losses, ["menu", "title"]),
    description:
      menu.description === null
        ? ""
        : sayOnly(menu.description, options.locale, losses, ["menu", "description"]),
    categoryIds: [...view.roots, ...nested].map((category) => refOf(OTTER, category)),
    fulfillmentModes: modes,
    ...(week === null
      ? {}
      : {
          hours: {
            intervals: week.map(({ day, from, to }) => {
              const [toHour = "0", toMinute = "0"] = endInDay(to).split(":");
              return {
                day: DAY_NAMES[day],
                fromHour: Math.floor(from / 60),
                fromMinute: from % 60,
                toHour: Number(toHour),
                toMinute: Number(toMinute),
              };
            }),
          },
        }),
  };
}

function categoryOf(category: TreeCategory, out: Export): Entity {
  const { view, options, losses } = out;
  const path = ["categories", category.id];
  noteDropped("categories", category, OTTER_CARRIES.categories, losses);
  return {
    id: refOf(OTTER, category),
    name: sayOnly(category.title, options.locale, losses, [...path, "title"]),
    description:
      category.description === null
        ? ""
        : sayOnly(category.description, options.locale, losses, [...path, "description"]),
    itemIds: pick(category.item_ids, view.item).map((item) => refOf(OTTER, item)),
  };
}

const money = (minor: number, { view }: Export): Json => ({
  currencyCode: view.tree.menu.currency,
  amount: toDecimal(minor, view.tree.menu.currency),
});

const FOR_SALE = { saleStatus: "FOR_SALE" };

function statusOf(id: string, options: ExportOptions): Json {
  const until = unavailableUntil(options, id);
  if (until === undefined) return FOR_SALE;
  return until === null
    ? { saleStatus: "INDEFINITELY_NOT_FOR_SALE" }
    : { saleStatus: "TEMPORARILY_NOT_FOR_SALE", suspendedUntil: until };
}

function overrides(id: string, out: Export): Json {
  const own = out.lists.flatMap(({ ref, prices }) => {
    const price = prices.get(id);
    return price === undefined ? [] : [{ rules: [{ externalServiceSlug: ref }], ...money(price, out) }];
  });
  return own.length === 0 ? {} : { priceOverrides: own };
}

function itemOf(item: TreeItem, out: Export): Entity {
  const { view, options, losses } = out;
  const path = ["items", item.id];
  noteDropped("items", item, OTTER_CARRIES.items, losses);
  noteItem(item, losses);
  const id = refOf(OTTER, item);
  const sizes = variationGroupOf(item, id);
  const food = wordsOf(OTTER_TAGS, options.facts, item.product_id, { losses, path, itemId: item.id });
  const groups = pick(
    item.modifier_groups.map(({ group_id }) => group_id),
    view.group,
  ).map((group) => refOf(OTTER, group));
  return {
    id,
    name: sayOnly(item.title, options.locale, losses, [...path, "title"]),
    description:
      item.description === null
        ? ""
        : sayOnly(item.description, options.locale, losses, [...path, "description"]),
    price: money(sizes?.base ?? item.price ?? 0, out),
    status: statusOf(item.id, options),
    modifierGroupIds: sizes === null ? groups : [sizes.id, ...groups],
    photoUrls: item.images.map(({ url }) => url),
    ...overrides(item.id, out),
    skuDetails: {
      ...(item.sku === null ? {} : { skuSlug: item.sku }),
      ...details(food),
      containsAlcohol: item.alcohol !== null,
      ...energy(item.kcal),
      ...(item.serves === null ? {} : { servings: { min: item.serves, max: item.serves } }),
    },
  };
}

function noteItem(item: TreeItem, losses: Losses): void {
  const path = ["items", item.id];
  if (item.alcohol?.abv != null)
    losses.add([...path, "alcohol", "abv"], "Only the fact that it is alcoholic is exported.");
  noteVariations(item, losses);
  for (const use of item.modifier_groups) {
    if (use.min !== undefined || use.max !== undefined || use.hidden_modifier_ids.length > 0) {
      losses.add(
        [...path, "modifier_groups"],
        "Limits and hidden modifiers of a single item are not exported: a group is the same for all items.",
        "money",
      );
    }
  }
}

const details = ({ allergens, diets }: { allergens: readonly string[]; diets: readonly string[] }): Json => ({
  ...(allergens.length === 0
    ? {}
    : { allergenClassifications: allergens.map((tag) => ({ tag, containsAllergen: true })) }),
  ...(diets.length === 0 ? {} : { dietaryClassifications: diets.map((tag) => ({ tag })) }),
});

const energy = (kcal: TreeItem["kcal"]): Json =>
  kcal === null ? {} : { nutritionalInfo: { energyKcal: { low: kcal.min, high: kcal.max ?? kcal.min } } };

function groupOf(group: TreeGroup, out: Export): Entity {
  const { view, options, losses } = out;
  const path = ["modifier_groups", group.id];
  noteDropped("modifier_groups", group, OTTER_CARRIES.modifier_groups, losses);
  const modifiers = pick(group.modifier_ids, view.modifier);
  const most = Math.max(1, ...modifiers.map(({ max_quantity }) => max_quantity));
  for (const modifier of modifiers) {
    if (modifier.max_quantity !== most) {
      losses.add(
        ["modifiers", modifier.id, "max_quantity"],
        "A group has one limit for all of its modifiers: the highest is exported.",
      );
    }
  }
  const defaults = modifiers.filter((modifier) => modifier.default);
  return {
    id: refOf(OTTER, group),
    name: sayOnly(group.title, options.locale, losses, [...path, "title"]),
    minimumSelections: group.min,
    maximumSelections: group.max ?? 0,
    maxPerModifierSelectionQuantity: most,
    itemIds: modifiers.map((modifier) => refOf(OTTER, modifier)),
    ...(defaults.length === 0
      ? {}
      : {
          defaultModifierSelectionData: {
            defaultModifierSelections: defaults.map((modifier) => ({
              itemId: refOf(OTTER, modifier),
              selectionQuantity: 1,
            })),
          },
        }),
  };
}

function modifierOf(modifier: TreeModifier, out: Export): Entity {
  const { view, options, losses } = out;
  const path = ["modifiers", modifier.id];
  noteDropped("modifiers", modifier, OTTER_CARRIES.modifiers, losses);
  const food = wordsOf(OTTER_TAGS, options.facts, modifier.product_id, { losses, path });
  return {
    id: refOf(OTTER, modifier),
    name: sayOnly(modifier.title, options.locale, losses, [...path, "title"]),
    description: "",
    price: money(modifier.price, out),
    status: statusOf(modifier.id, options),
    modifierGroupIds: pick(modifier.nested_group_ids, view.group).map((group) => refOf(OTTER, group)),
    ...overrides(modifier.id, out),
    skuDetails: {
      ...(modifier.sku === null ? {} : { skuSlug: modifier.sku }),
      ...details(food),
      ...energy(modifier.kcal),
    },
  };
}

function sizeGroup(item: TreeItem): Entity[] {
  const sizes = variationGroupOf(item, refOf(OTTER, item));
  if (sizes === null) return [];
  return [
    {
      id: sizes.id,
      name: "Size",
      minimumSelections: 1,
      maximumSelections: 1,
      maxPerModifierSelectionQuantity: 1,
      itemIds: sizes.options.map(({ variation }) => refOf(OTTER, variation)),
    },
  ];
}

function sizeItems(item: TreeItem, out: Export): Entity[] {
  const sizes = variationGroupOf(item, refOf(OTTER, item));
  return (sizes?.options ?? []).map(({ variation, price }) => sizeItem(item, variation, price, out));
}

function sizeItem(item: TreeItem, variation: Variation, price: number, out: Export): Entity {
  const path = ["items", item.id, "variations", variation.id];
  if (variation.kcal !== null || variation.portion_text !== null) {
    out.losses.add(path, "Energy and portion of a variation are not exported.");
  }
  return {
    id: refOf(OTTER, variation),
    name: sayOnly(variation.title, out.options.locale, out.losses, [...path, "title"]),
    description: "",
    price: money(price, out),
    status: FOR_SALE,
    ...(variation.sku === null ? {} : { skuDetails: { skuSlug: variation.sku } }),
  };
}
