import { addTo } from "../add-to.ts";
import { scaleDown } from "../decimal.ts";
import type {
  Draft,
  DraftCategory,
  DraftItem,
  DraftLevel,
  DraftMenu,
  DraftOptions,
  DraftPrice,
  DraftUse,
} from "../draft.ts";
import { invalid, readEntries } from "../invalid.ts";
import { createLosses } from "../losses.ts";
import type { Found, Loss, Path } from "../losses.ts";
import { noteUnknownMembers } from "../unknown-members.ts";
import { foldVariationGroups } from "../variation-group.ts";
import { readUberHours, readVisibility } from "./hours.ts";
import { UberMenus } from "./shape.ts";
import type { UberItem } from "./shape.ts";
import { foodOf, kcalOf, optionalText, stockOf, taxOf, textOf } from "./reader.ts";
import type { Reader } from "./reader.ts";
import { toGroup, toModifiers } from "./from-choices.ts";

/**
 * Converts a menu configuration of Uber Eats to a draft. Options of a modifier group are items there: what a category
 * lists is
 * an item here, what a group lists a modifier, with the price and the limit of its overrides in that group.
 * A price override for a menu becomes a price level of that menu.
 */
export function fromUber(body: UberMenus, options: DraftOptions): { draft: Draft; losses: Loss[] } {
  const losses = createLosses(["translations"]);
  noteUnknownMembers(UberMenus, body, losses);
  const items = listOf(body.items, ["items"]);
  const groups = listOf(body.modifier_groups, ["modifier_groups"]);
  const categories = listOf(body.categories, ["categories"]);
  const menus = listOf(body.menus, ["menus"]);
  const reader: Reader = {
    options,
    losses,
    items,
    groups,
    inGroups: new Set(
      [...groups.values()].flatMap(({ value }) => (value.modifier_options ?? []).map(({ id }) => id)),
    ),
    inCategories: new Set(
      [...categories.values()].flatMap(({ value }) => (value.entities ?? []).map(({ id }) => id)),
    ),
  };
  const modifiers = toModifiers(reader);
  const sold = [...items.values()].filter(
    ({ value }) => reader.inCategories.has(value.id) || !reader.inGroups.has(value.id),
  );
  const draft: Draft = {
    menus: [...menus.values()].map((menu) => toMenu(menu, body, reader)),
    categories: [...categories.values()].map((category) => toCategory(category, reader)),
    items: readEntries(sold, (item) => toItem(item, reader)),
    groups: readEntries(groups.values(), (group) => toGroup(group, modifiers, reader)),
    modifiers: [...new Set(modifiers.values())],
    levels: toLevels(menus, reader),
  };
  return { draft: foldVariationGroups(draft), losses: losses.list() };
}

function listOf<T extends { readonly id: string }>(
  values: readonly T[] | null | undefined,
  path: Path,
): Map<string, Found<T>> {
  const byId = new Map<string, Found<T>>();
  readEntries((values ?? []).entries(), ([at, value]) => {
    if (byId.has(value.id))
      throw invalid([...path, at, "id"], "Duplicate id: another entry of the same list has it.");
    byId.set(value.id, { value, path: [...path, at] });
  });
  return byId;
}

const CHANNELS = {
  MENU_TYPE_FULFILLMENT_DELIVERY: "delivery",
  MENU_TYPE_FULFILLMENT_PICK_UP: "pickup",
  MENU_TYPE_FULFILLMENT_DINE_IN: "dine_in",
} as const;

function toMenu(
  { value: menu, path }: Found<UberMenus["menus"][number]>,
  body: UberMenus,
  reader: Reader,
): DraftMenu {
  const hours = menu.service_availability ?? [];
  const rules = readUberHours(hours, [...path, "service_availability"], reader.losses);
  const isAlways =
    rules.length === 1 &&
    rules[0]?.days.length === 7 &&
    rules[0].start === "00:00" &&
    rules[0].end === "00:00";
  return {
    ref: menu.id,
    path,
    title: textOf(menu.title, [...path, "title"], reader),
    description: optionalText(menu.subtitle, [...path, "subtitle"], reader),
    ...(body.menu_type == null ? {} : { channels: [CHANNELS[body.menu_type]] }),
    hours: hours.length === 0 || isAlways ? null : { rules },
    categories: menu.category_ids ?? [],
    currency: reader.options.currency,
  };
}

function toCategory(
  { value: category, path }: Found<NonNullable<UberMenus["categories"]>[number]>,
  reader: Reader,
): DraftCategory {
  return {
    ref: category.id,
    path,
    title: textOf(category.title, [...path, "title"], reader),
    description: optionalText(category.subtitle, [...path, "subtitle"], reader),
    items: (category.entities ?? []).map(({ id }) => id),
  };
}

function toItem({ value: item, path }: Found<UberItem>, reader: Reader): DraftItem {
  const { losses } = reader;
  const sku = item.external_data?.trim() ?? "";
  if (sku.length > 64)
    losses.add([...path, "external_data"], "Imported as the SKU, which has at most 64 characters.");
  return {
    ref: item.id,
    path,
    title: textOf(item.title, [...path, "title"], reader),
    description: optionalText(item.description, [...path, "description"], reader),
    sku: sku === "" || sku.length > 64 ? null : sku,
    price: item.price_info.price,
    ...taxOf(item, path, losses),
    variations: [],
    groups: usesOf({ value: item, path }, reader),
    ...kcalOf(item, path, losses),
    ...servesOf(item),
    ...alcoholOf(item),
    ...limitOf(item),
    ...readVisibility(item, path, losses),
    images: item.image_url == null || item.image_url === "" ? [] : [{ url: item.image_url, alt: null }],
    ...stockOf(item),
    ...foodOf(item, path, losses),
  };
}

/** Groups of an item, with the group's limits for this item. */
function usesOf({ value: item, path }: Found<UberItem>, { groups }: Reader): DraftUse[] {
  return (item.modifier_group_ids?.ids ?? []).map((group, at) => {
    const overrides = groups.get(group)?.value.quantity_info?.overrides ?? [];
    const own = overrides.find(
      (each) => each.context_type === "ITEM" && each.context_value === item.id,
    )?.quantity;
    const here = [...path, "modifier_group_ids", "ids", at];
    return {
      group,
      path: here,
      ...(own?.min_permitted == null ? {} : { min: own.min_permitted }),
      ...(own?.max_permitted == null || own.max_permitted === 0 ? {} : { max: own.max_permitted }),
    };
  });
}

function servesOf(item: UberItem): { serves?: number } {
  const lower = item.nutritional_info?.number_of_servings_interval?.lower;
  const serves = lower == null ? 0 : Math.round(scaleDown(lower, 5));
  return serves >= 1 && serves <= 1_000 ? { serves } : {};
}

function alcoholOf(item: UberItem): { alcohol?: boolean; abv?: number } {
  const count = item.dish_info?.classifications?.alcoholic_items;
  const volume = item.beverage_info?.alcohol_by_volume;
  if (count == null && volume == null) return {};
  const isAlcoholic = (count ?? 0) > 0 || (volume ?? 0) > 0;
  return { alcohol: isAlcoholic, ...(volume == null || volume === 0 ? {} : { abv: scaleDown(volume, 2) }) };
}

const limitOf = (item: UberItem): { maxPerOrder?: number } => {
  const most = item.quantity_info?.quantity?.max_permitted;
  return most == null || most === 0 ? {} : { maxPerOrder: most };
};

/** Prices for one menu; those for a group belong to the modifier, those for an item are not supported. */
function toLevels(
  menus: ReadonlyMap<string, Found<UberMenus["menus"][number]>>,
  reader: Reader,
): DraftLevel[] {
  const prices = new Map<string, DraftPrice[]>();
  for (const { value: item, path } of reader.items.values()) {
    for (const [at, override] of (item.price_info.overrides ?? []).entries()) {
      const here = [...path, "price_info", "overrides", at];
      const { context_type: type, context_value: value, price } = override;
      if (type === "ITEM")
        reader.losses.add(here, "A price that applies inside one item only is not supported.");
      if (type !== "MENU") continue;
      if (!menus.has(value))
        throw invalid([...here, "context_value"], "No menu with this id in the document.");
      addTo(prices, value, { kind: "item", ref: item.id, price });
    }
  }
  return [...prices].map(([menu, list]) => ({
    ref: `menu.${menu}`,
    path: ["menus"],
    title: "Prices of the menu",
    automatic: true,
    menu,
    prices: list,
  }));
}
