import { mapInSlices } from "../../../../lib/slices.ts";
import type { MenuTree, TreeCategory, TreeGroup, TreeItem, TreePriceLevel } from "../../schema/tree.ts";
import { noteDropped } from "../dropped.ts";
import { createLosses } from "../losses.ts";
import type { Json } from "../losses.ts";
import { noteUnavailable, pick, refOf, say, sayOnly, viewOf, weekOf } from "../tree-view.ts";
import type { ExportOptions, TreeView, Written } from "../tree-view.ts";
import { timeOf } from "../week.ts";
import type { DaySpan } from "../week.ts";
import { EVERYWHERE, TOAST, TOAST_CARRIES, price, sizeGuid } from "./export.ts";
import type { Export, TimedLevel } from "./export.ts";
import { guidOfRef } from "./reader.ts";
import { groupOf, optionOf, preOf, sizeGroupOf, sizesOf } from "./choices.ts";
import { DAY_NAMES } from "../week.ts";

/**
 * Converts a menu to a response of Toast's menus API (version 2). Prices become decimals, hours are split at midnight.
 */
export async function toToast(tree: MenuTree, options: ExportOptions): Promise<Written> {
  const { key } = options;
  const losses = createLosses();
  const references = new Map<string, number>();
  const reference = (id: string): number => {
    const next = references.get(id) ?? references.size + 1;
    references.set(id, next);
    return next;
  };
  const view = viewOf(tree);
  const out: Export = {
    view,
    options,
    losses,
    reference,
    menuPrices: menuPricesOf(view),
    timedLevels: timedLevelsOf(view),
  };
  noteDropped("menu", tree.menu, TOAST_CARRIES.menu, losses);
  noteUnavailable(options, tree, losses);
  for (const level of tree.price_levels) {
    if (isTimedLevel(level, out.view)) noteDropped("price_levels", level, TOAST_CARRIES.price_levels, losses);
    else {
      losses.add(
        ["price_levels", level.id],
        isMenuLevel(level, out.view)
          ? "Its prices are exported as those of the items in this menu."
          : "Only prices of items at certain hours or in this menu are exported.",
      );
    }
  }
  const menu = await menuOf(out);
  const sized = tree.items.filter(({ variations }) => variations.length > 0);
  const groups = [
    ...(await mapInSlices(tree.modifier_groups, key, (group) => groupOf(group, out))),
    ...(await mapInSlices(sized, key, (item) => sizeGroupOf(item, out))),
  ];
  const choices = [
    ...(await mapInSlices(tree.modifiers, key, (modifier) => optionOf(modifier, out))),
    ...(await mapInSlices(sized, key, (item) => sizesOf(item, out))).flat(),
  ];
  const pre = tree.modifier_groups
    .filter(({ pre_modifiers: own }) => own.length > 0)
    .map((group) => preOf(group, out));
  const data = {
    restaurantTimeZone: tree.menu.time_zone,
    menus: [menu],
    modifierGroupReferences: byReference(groups),
    modifierOptionReferences: byReference(choices),
    preModifierGroupReferences: byReference(pre),
  };
  return { data, losses: losses.list() };
}

const byReference = (values: readonly (Json & { readonly referenceId: number })[]): Json =>
  Object.fromEntries(values.map((value) => [String(value.referenceId), value]));

async function menuOf(out: Export): Promise<Json> {
  const { view, options, losses } = out;
  const { menu } = view.tree;
  const week = weekOf(view, menu.schedule_ids, losses, ["menu", "schedule_ids"]);
  return {
    name: sayOnly(menu.title, options.locale, losses, ["menu", "title"]),
    guid: refOf(TOAST, menu),
    description:
      menu.description === null
        ? null
        : sayOnly(menu.description, options.locale, losses, ["menu", "description"]),
    visibility: EVERYWHERE,
    availability:
      week === null ? { alwaysAvailable: true } : { alwaysAvailable: false, schedule: scheduleOf(week) },
    menuGroups: await categoriesOf(view.roots, out),
  };
}

/** One entry per day; 00:00 to 00:00 is the whole day, and an end of 00:00 is midnight at its end. */
const scheduleOf = (week: readonly DaySpan[]): Json[] =>
  Object.entries(DAY_NAMES).flatMap(([day, name]) => {
    const spans = week.filter((span) => span.day === day);
    if (spans.length === 0) return [];
    return [
      { days: [name], timeRanges: spans.map(({ from, to }) => ({ start: timeOf(from), end: timeOf(to) })) },
    ];
  });

async function categoriesOf(list: readonly TreeCategory[], out: Export): Promise<Json[]> {
  const written: Json[] = [];
  for (const category of list) written.push(await categoryOf(category, out));
  return written;
}

async function categoryOf(category: TreeCategory, out: Export): Promise<Json> {
  const { view, options, losses } = out;
  const path = ["categories", category.id];
  noteDropped("categories", category, TOAST_CARRIES.categories, losses);
  if (category.image?.alt != null)
    losses.add([...path, "image", "alt"], "The alt text of an image is not exported.");
  return {
    name: sayOnly(category.title, options.locale, losses, [...path, "title"]),
    guid: refOf(TOAST, category),
    description:
      category.description === null
        ? null
        : sayOnly(category.description, options.locale, losses, [...path, "description"]),
    image: category.image?.url ?? null,
    visibility: category.visible ? EVERYWHERE : [],
    menuGroups: await categoriesOf(view.children(category.id), out),
    menuItems: await mapInSlices(pick(category.item_ids, view.item), options.key, (item) =>
      itemOf(item, out),
    ),
  };
}

function itemOf(item: TreeItem, out: Export): Json {
  const { view, options, losses, reference } = out;
  const path = ["items", item.id];
  noteItem(item, out);
  const groups = pick(
    item.modifier_groups.map(({ group_id: id }) => id),
    view.group,
  );
  const sized = item.variations.length > 0;
  const timed = timedPricesOf(item, out);
  const ofMenu = sized || timed.length > 0 ? null : (out.menuPrices.get(item.id) ?? null);
  if (ofMenu !== null && ofMenu !== item.price)
    losses.add([...path, "price"], "Only the price in this menu is exported.");
  return {
    name: sayOnly(item.title, options.locale, losses, [...path, "title"]),
    guid: guidOfRef(refOf(TOAST, item)),
    description:
      item.description === null
        ? null
        : sayOnly(item.description, options.locale, losses, [...path, "description"]),
    image: item.images[0]?.url ?? null,
    visibility: EVERYWHERE,
    price: sized || item.price === null ? null : price(ofMenu ?? item.price, out),
    pricingStrategy: sized
      ? "SIZE_PRICE"
      : timed.length > 0
        ? "TIME_SPECIFIC_PRICE"
        : ofMenu !== null
          ? "MENU_SPECIFIC_PRICE"
          : "BASE_PRICE",
    pricingRules: {
      timeSpecificPricingRules: timed.map(({ amount, week }) => ({
        timeSpecificPrice: price(amount, out),
        basePrice: price(item.price ?? 0, out),
        schedule: scheduleOf(week),
      })),
      sizeSpecificPricingGuid: sized ? sizeGuid(item) : null,
    },
    taxInclusion: item.tax_inclusive ? "TAX_INCLUDED" : "TAX_NOT_INCLUDED",
    itemTags: item.tags.map((tag) => ({ name: tag, guid: tag })),
    sku: item.sku ?? "",
    calories: item.kcal?.min ?? null,
    contentAdvisories: { alcohol: { containsAlcohol: item.alcohol === null ? "NO" : "YES" } },
    portions: portionsOf(groups, out),
    prepTime: item.prep_time_minutes === null ? null : item.prep_time_minutes * 60,
    modifierGroupReferences: [
      ...(sized ? [reference(sizeGuid(item))] : []),
      ...groups.map(({ id }) => reference(id)),
    ],
  };
}

function noteItem(item: TreeItem, { losses }: Export): void {
  const path = ["items", item.id];
  noteDropped("items", item, TOAST_CARRIES.items, losses);
  if (item.kcal?.max != null)
    losses.add([...path, "kcal", "max"], "Only the lower end of the range is exported.");
  if (item.alcohol?.abv != null)
    losses.add([...path, "alcohol", "abv"], "Only the fact that it is alcoholic is exported.");
  if (item.images.length > 1) losses.add([...path, "images"], "Only the first image is exported.");
  if (item.images.some(({ alt }) => alt !== null))
    losses.add([...path, "images"], "The alt text of an image is not exported.");
  if (item.variations.length > 0 && item.price !== null) {
    losses.add([...path, "price"], "For an item with variations only the variations' prices are exported.");
  }
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

/** Portions belong to the item and refer to the groups they apply to. */
function portionsOf(groups: readonly TreeGroup[], { options, reference, losses }: Export): Json[] {
  const portions = new Map<string, { name: string; scale: number; references: number[] }>();
  for (const group of groups) {
    for (const { code, title, scale } of group.portions) {
      const name = say(title, options.locale);
      const before = portions.get(code) ?? { name, scale, references: [] };
      if (before.name !== name || before.scale !== scale) {
        losses.add(
          ["modifier_groups", group.id, "portions"],
          "Portions with the same code are the same in all groups of an item: the first is exported.",
        );
      }
      portions.set(code, { ...before, references: [...before.references, reference(group.id)] });
    }
  }
  const order = [...portions.keys()];
  for (const group of groups) {
    const codes = group.portions.map(({ code }) => code);
    if (order.filter((code) => codes.includes(code)).some((code, index) => code !== codes[index])) {
      losses.add(
        ["modifier_groups", group.id, "portions"],
        "Portions have one order for all groups of an item: that of the first group is exported.",
      );
    }
  }
  return [...portions].map(([guid, { name, scale, references }]) => ({
    name,
    guid,
    priceScaleFactor: scale,
    modifierGroupReferences: references,
  }));
}

/** True for a level that Toast supports: fixed prices of items at certain hours, in every channel. */
const isTimedLevel = (level: TreePriceLevel, view: TreeView): boolean =>
  level.automatic &&
  level.schedule_id !== null &&
  level.channel === null &&
  level.menu_id === null &&
  level.overrides.every(
    ({ target_id: id, price }) =>
      price !== null && id !== null && (view.item(id)?.variations.length ?? 1) === 0,
  );

/** True for a level with fixed prices of items in the exported menu. */
const isMenuLevel = (level: TreePriceLevel, view: TreeView): boolean =>
  level.menu_id === view.tree.menu.id &&
  level.schedule_id === null &&
  isTimedLevel({ ...level, menu_id: null, schedule_id: "any" }, view);

/** Prices of items in the exported menu: of several levels of the menu that of the one with the highest priority. */
function menuPricesOf(view: TreeView): ReadonlyMap<string, number> {
  const levels = view.tree.price_levels
    .filter((level) => isMenuLevel(level, view))
    .sort((a, b) => b.priority - a.priority);
  const prices = new Map<string, number>();
  for (const { overrides } of levels) {
    for (const { target_id: id, price } of overrides) {
      if (id !== null && price !== null && !prices.has(id)) prices.set(id, price);
    }
  }
  return prices;
}

/** The levels of a menu that apply at certain hours, with the first price of each item. */
const timedLevelsOf = (view: TreeView): TimedLevel[] =>
  view.tree.price_levels
    .filter((level) => isTimedLevel(level, view))
    .map(({ id, schedule_id: scheduleId, overrides }) => {
      const prices = new Map<string | null, number | null>();
      for (const { target_id: target, price } of overrides)
        if (!prices.has(target)) prices.set(target, price);
      return { id, scheduleId, prices };
    });

/** Prices of an item at certain hours. */
function timedPricesOf(
  item: TreeItem,
  { timedLevels, view, losses }: Export,
): { amount: number; week: readonly DaySpan[] }[] {
  return timedLevels.flatMap(({ id, scheduleId, prices }) => {
    const amount = prices.get(item.id) ?? null;
    if (amount === null || scheduleId === null) return [];
    const week = weekOf(view, [scheduleId], losses, ["price_levels", id, "schedule_id"]);
    return [{ amount, week: week ?? [] }];
  });
}
