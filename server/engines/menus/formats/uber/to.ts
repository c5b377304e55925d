import { mapInSlices } from "../../../../lib/slices.ts";
import type { MenuTree, TreeCategory, TreeItem, TreePriceLevel } from "../../schema/tree.ts";
import { scaleUp } from "../decimal.ts";
import { noteDropped } from "../dropped.ts";
import { UBER_TAGS, wordsOf } from "../food-tags.ts";
import { createLosses } from "../losses.ts";
import type { Json, Losses } from "../losses.ts";
import { listsById, ownModifiers, pick, refOf, viewOf, weekOf } from "../tree-view.ts";
import type { ExportOptions, TreeView, Written } from "../tree-view.ts";
import { variationGroupOf } from "../variation-group.ts";
import { DAYS, toDaySpans } from "../week.ts";
import { writeUberHours } from "./hours.ts";
import { UBER, UBER_CARRIES, energy, subtitle, suspendedUntil, suspension, texts } from "./export.ts";
import type { Export } from "./export.ts";
import { groupOf, modifierOf, sizeGroup, sizeItems } from "./choices.ts";
import { noteVariations } from "../variation-group.ts";

/**
 * Converts a menu to the body of PUT /v2/eats/stores/{store_id}/menus. All languages are exported. Categories are
 * flattened,
 * variations become a group of their item, hours are split at midnight; tax_info is empty, since menus have no tax
 * rates.
 */
export async function toUber(tree: MenuTree, options: ExportOptions): Promise<Written> {
  const { key } = options;
  const losses = createLosses();
  const view = viewOf(tree);
  // An override has one price per menu: of several levels the highest one is exported.
  const levels = tree.price_levels
    .filter((level) => isMenuLevel(level, view))
    .sort((a, b) => b.priority - a.priority)
    .slice(0, 1);
  const groupsOf = await listsById(tree.modifier_groups, ({ modifier_ids: ids }) => ids, key);
  const usesOf = await listsById(
    tree.items,
    ({ modifier_groups: uses }) => uses.map(({ group_id: id }) => id),
    key,
  );
  const out: Export = { view, options, losses, levels, groupsOf, usesOf };
  for (const level of tree.price_levels) {
    if (levels.includes(level)) noteDropped("price_levels", level, UBER_CARRIES.price_levels, losses);
    else losses.add(["price_levels", level.id], "Only fixed prices of items in this menu are exported.");
  }
  const data = {
    ...menuType(tree, losses),
    menus: [menuOf(out)],
    categories: await mapInSlices(tree.categories, key, (category) => categoryOf(category, out)),
    items: [
      ...(await mapInSlices(tree.items, key, (item) => itemOf(item, out))),
      ...(await mapInSlices(await ownModifiers(UBER, out), key, (each) => modifierOf(each, out))),
      ...(await mapInSlices(tree.items, key, (item) => sizeItems(item, out))).flat(),
    ],
    modifier_groups: [
      ...(await mapInSlices(tree.modifier_groups, key, (group) => groupOf(group, out))),
      ...(await mapInSlices(tree.items, key, (item) => sizeGroup(item))).flat(),
    ],
  };
  return { data, losses: losses.list() };
}

const isMenuLevel = (level: TreePriceLevel, view: TreeView): boolean =>
  level.automatic &&
  level.menu_id === view.tree.menu.id &&
  level.channel === null &&
  level.schedule_id === null &&
  level.overrides.every(
    ({ target_id: id, price }) =>
      price !== null && id !== null && (view.item(id)?.variations.length ?? 1) === 0,
  );

const TYPES = {
  delivery: "MENU_TYPE_FULFILLMENT_DELIVERY",
  pickup: "MENU_TYPE_FULFILLMENT_PICK_UP",
  dine_in: "MENU_TYPE_FULFILLMENT_DINE_IN",
} as const;

function menuType({ menu }: MenuTree, losses: Losses): Json {
  const [only] = menu.channels;
  if (only === undefined) return {};
  if (menu.channels.length === 1 && (only === "delivery" || only === "pickup" || only === "dine_in")) {
    return { menu_type: TYPES[only] };
  }
  losses.add(["menu", "channels"], "A menu of Uber Eats is for delivery, pick-up, dine-in, or all of them.");
  return {};
}

function menuOf({ view, losses }: Export): Json {
  const { menu, categories } = view.tree;
  noteDropped("menu", menu, UBER_CARRIES.menu, losses);
  const always = toDaySpans([{ days: DAYS, start: "00:00", end: "00:00" }]);
  const nested = categories.filter(({ parent_id }) => parent_id !== null);
  if (nested.length > 0)
    losses.add(["menu", "category_ids"], "Subcategories are exported on the same level as their parents.");
  return {
    id: refOf(UBER, menu),
    title: texts(menu.title),
    ...subtitle("subtitle", menu.description),
    service_availability: writeUberHours(
      weekOf(view, menu.schedule_ids, losses, ["menu", "schedule_ids"]) ?? always,
    ),
    category_ids: [...view.roots, ...nested].map((category) => refOf(UBER, category)),
  };
}

function categoryOf(category: TreeCategory, { view, losses }: Export): Json {
  noteDropped("categories", category, UBER_CARRIES.categories, losses);
  return {
    id: refOf(UBER, category),
    title: texts(category.title),
    ...subtitle("subtitle", category.description),
    entities: pick(category.item_ids, view.item).map((item) => ({ id: refOf(UBER, item), type: "ITEM" })),
  };
}

function itemOf(item: TreeItem, out: Export): Json {
  const { view, losses, levels } = out;
  const path = ["items", item.id];
  noteDropped("items", item, UBER_CARRIES.items, losses);
  noteItem(item, losses);
  const id = refOf(UBER, item);
  const sizes = variationGroupOf(item, id);
  const groups = pick(
    item.modifier_groups.map(({ group_id }) => group_id),
    view.group,
  ).map((group) => refOf(UBER, group));
  const overrides = levels.flatMap((level) => {
    const price = level.overrides.find(({ target_id: target }) => target === item.id)?.price;
    return price == null ? [] : [{ context_type: "MENU", context_value: refOf(UBER, view.tree.menu), price }];
  });
  return {
    id,
    ...(item.sku === null ? {} : { external_data: item.sku }),
    title: texts(item.title),
    ...subtitle("description", item.description),
    ...(item.images[0] === undefined ? {} : { image_url: item.images[0].url }),
    price_info: { price: sizes?.base ?? item.price ?? 0, overrides },
    ...(item.max_per_order === null
      ? {}
      : { quantity_info: { quantity: { max_permitted: item.max_per_order } } }),
    modifier_group_ids: { ids: sizes === null ? groups : [sizes.id, ...groups], overrides: [] },
    tax_info: {},
    ...suspension(out.options, item.id),
    ...foodOf(item, out),
    ...(item.alcohol?.abv == null
      ? {}
      : { beverage_info: { alcohol_by_volume: scaleUp(item.alcohol.abv, 2) } }),
    ...visibilityOf(item, out, path),
  };
}

function noteItem(item: TreeItem, losses: Losses): void {
  const path = ["items", item.id];
  if (item.images.length > 1) losses.add([...path, "images"], "Only the first image is exported.");
  noteVariations(item, losses);
  if (item.max_per_order !== null && item.max_per_order > 1_000) {
    losses.add([...path, "max_per_order"], "An import accepts at most 1000.");
  }
  for (const use of item.modifier_groups) {
    if (use.hidden_modifier_ids.length > 0) {
      losses.add(
        [...path, "modifier_groups"],
        "Modifiers that a single item hides are exported as visible.",
        "money",
      );
    }
    if (use.max === null)
      losses.add(
        [...path, "modifier_groups"],
        "A limit that a single item removes is exported as set in the group.",
        "money",
      );
  }
}

function visibilityOf(item: TreeItem, { view, losses }: Export, path: readonly string[]): Json {
  const schedules = pick(item.schedule_ids, view.schedule);
  const [only] = schedules;
  if (only === undefined) return {};
  const isOne = schedules.length === 1;
  // Dates are supported for a single schedule; its single dates are not.
  const quiet = createLosses();
  const week = weekOf(view, item.schedule_ids, isOne ? quiet : losses, [...path, "schedule_ids"]) ?? [];
  if (isOne && only.exceptions.length > 0)
    losses.add([...path, "schedule_ids"], "Hours of single dates are not exported.");
  // Without hours of the week it would be sold all day.
  if (week.length === 0) return suspendedUntil(null);
  return {
    visibility_info: {
      hours: [
        {
          ...(isOne && only.valid_from !== null ? { start_date: only.valid_from } : {}),
          ...(isOne && only.valid_until !== null ? { end_date: only.valid_until } : {}),
          hours_of_week: writeUberHours(week),
        },
      ],
    },
  };
}

function foodOf(item: TreeItem, { options, losses }: Export): Json {
  const about = { losses, path: ["items", item.id], itemId: item.id };
  const food = wordsOf(UBER_TAGS, options.facts, item.product_id, about);
  const serves = item.serves === null ? null : scaleUp(item.serves, 5);
  const nutritional = {
    ...energy(item.kcal),
    ...(serves === null ? {} : { number_of_servings_interval: { lower: serves, upper: serves } }),
    ...(food.allergens.length === 0 ? {} : { allergens: food.allergens }),
  };
  return {
    ...(Object.keys(nutritional).length === 0 ? {} : { nutritional_info: nutritional }),
    dish_info: {
      classifications: {
        alcoholic_items: item.alcohol === null ? 0 : 1,
        ...(food.diets.length === 0 ? {} : { dietary_label_info: { labels: food.diets } }),
      },
    },
  };
}
