import { scaleDown } from "../decimal.ts";
import type {
  Draft,
  DraftCategory,
  DraftFood,
  DraftGroup,
  DraftItem,
  DraftLevel,
  DraftMenu,
  DraftModifier,
  DraftOptions,
  DraftPrice,
  DraftStock,
  DraftText,
  DraftUse,
} from "../draft.ts";
import { UBER_TAGS } from "../food-tags.ts";
import { invalid } from "../invalid.ts";
import { toLocale } from "../locale.ts";
import { createLosses } from "../losses.ts";
import type { Loss, Losses, Path } from "../losses.ts";
import { allergenOf, dietOf } from "../read-food.ts";
import { noteUnknownMembers } from "../unknown-members.ts";
import { foldVariationGroups } from "../variation-group.ts";
import { readUberHours, readVisibility } from "./hours.ts";
import { UberMenus } from "./shape.ts";
import type { UberGroup, UberItem, UberQuantity } from "./shape.ts";

/**
 * A menu configuration of Uber Eats as a draft. Options of a modifier group are items there: what a category lists is
 * an item here, what a group lists a modifier, with the price and the limit that its overrides give it in that group.
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
    menus: [...menus.values()].map((found) => toMenu(found, body, reader)),
    categories: [...categories.values()].map((found) => toCategory(found, reader)),
    items: sold.map((found) => toItem(found, reader)),
    groups: [...groups.values()].map((found) => toGroup(found, modifiers, reader)),
    modifiers: [...new Set(modifiers.values())],
    levels: toLevels(menus, reader),
  };
  return { draft: foldVariationGroups(draft), losses: losses.list() };
}

interface Found<T> {
  readonly value: T;
  readonly path: Path;
}

interface Reader {
  readonly options: DraftOptions;
  readonly losses: Losses;
  readonly items: ReadonlyMap<string, Found<UberItem>>;
  readonly groups: ReadonlyMap<string, Found<UberGroup>>;
  readonly inGroups: ReadonlySet<string>;
  readonly inCategories: ReadonlySet<string>;
}

function listOf<T extends { readonly id: string }>(
  values: readonly T[] | null | undefined,
  path: Path,
): Map<string, Found<T>> {
  const found = new Map<string, Found<T>>();
  for (const [at, value] of (values ?? []).entries()) {
    if (found.has(value.id)) throw invalid([...path, at, "id"], "Another of the same list has this id.");
    found.set(value.id, { value, path: [...path, at] });
  }
  return found;
}

type UberText = UberItem["title"];

function textOf({ translations }: UberText, path: Path, { options, losses }: Reader): DraftText {
  const texts: Record<string, string> = {};
  for (const [name, value] of Object.entries(translations)) {
    // The examples also use "default", the store's own language.
    const locale = name === "default" ? options.locale : toLocale(name);
    if (locale === null) losses.add([...path, "translations", name], "It is not a language tag.");
    else if (value.trim() !== "") texts[locale] ??= value.trim();
  }
  if (Object.keys(texts).length === 0)
    throw invalid([...path, "translations"], "Give a text in at least one language.");
  return texts;
}

const optionalText = (text: UberText | null | undefined, path: Path, reader: Reader): DraftText | null =>
  text == null ? null : textOf(text, path, reader);

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
    losses.add([...path, "external_data"], "It is kept as the SKU, which has at most 64 characters.");
  return {
    ref: item.id,
    path,
    title: textOf(item.title, [...path, "title"], reader),
    description: optionalText(item.description, [...path, "description"], reader),
    sku: sku === "" || sku.length > 64 ? null : sku,
    price: item.price_info.price,
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

/** Groups of an item, with the limits that a group has for this item alone. */
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

function kcalOf(item: UberItem, path: Path, losses: Losses) {
  const calories = item.nutritional_info?.calories;
  const interval = calories?.energy_interval;
  const lower = interval?.lower == null ? calories?.lower_range : Math.round(scaleDown(interval.lower, 5));
  const upper = interval?.upper == null ? calories?.upper_range : Math.round(scaleDown(interval.upper, 5));
  const min = lower ?? upper;
  if (min == null) return {};
  if (calories?.display_type === "double_items") {
    losses.add([...path, "nutritional_info", "calories", "display_type"], "Two values are kept as a range.");
  }
  return { kcal: upper == null || upper <= min ? { min } : { min, max: upper } };
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

function stockOf(item: UberItem): { stock?: DraftStock } {
  const suspension = item.suspension_info?.suspension;
  if (suspension?.suspend_until == null) return {};
  const { suspend_until: seconds, reason } = suspension;
  // Uber marks what is sold out for good with a time far past the end of the calendar.
  const until = seconds > 253_402_300_799 ? null : new Date(seconds * 1_000).toISOString();
  return { stock: { available: false, until, ...(reason == null || reason === "" ? {} : { reason }) } };
}

function foodOf(item: UberItem, path: Path, losses: Losses): { food?: DraftFood } {
  const words = item.nutritional_info?.allergens;
  const labels = item.dish_info?.classifications?.dietary_label_info?.labels;
  if (words == null && labels == null) return {};
  const contains = (words ?? []).flatMap((word, at) => {
    const code = allergenOf(UBER_TAGS, word);
    if (code === null)
      losses.add([...path, "nutritional_info", "allergens", at], "It names no allergen of ours.");
    return code ?? [];
  });
  const here = [...path, "dish_info", "classifications", "dietary_label_info", "labels"];
  const diets = (labels ?? []).flatMap((label, at) => {
    const claim = dietOf(UBER_TAGS, label);
    if (claim === null) losses.add([...here, at], "It is no claim of ours.");
    return claim ?? [];
  });
  return contains.length + diets.length === 0 ? {} : { food: { contains, freeFrom: [], diets } };
}

function toGroup({ value: group, path }: Found<UberGroup>, modifiers: Modifiers, reader: Reader): DraftGroup {
  const quantity = group.quantity_info?.quantity;
  return {
    ref: group.id,
    path,
    title: textOf(group.title, [...path, "title"], reader),
    min: quantity?.min_permitted ?? 0,
    max: noLimitAtZero(quantity?.max_permitted),
    minDistinct: quantity?.min_permitted_unique === 0 ? null : (quantity?.min_permitted_unique ?? null),
    maxDistinct: noLimitAtZero(quantity?.max_permitted_unique),
    free: quantity?.charge_above ?? 0,
    modifiers: (group.modifier_options ?? []).flatMap(
      ({ id }) => modifiers.get(keyOf(id, group.id))?.ref ?? id,
    ),
  };
}

const noLimitAtZero = (count: number | null | undefined): number | null =>
  count == null || count === 0 ? null : count;

type Modifiers = ReadonlyMap<string, DraftModifier>;
const keyOf = (item: string, group: string): string => JSON.stringify([item, group]);

/**
 * One modifier for an option, or one for each group where the groups price or limit it differently: then the later
 * ones are called after their group too.
 */
function toModifiers(reader: Reader): Modifiers {
  const byKey = new Map<string, DraftModifier>();
  const byRef = new Map<string, DraftModifier>();
  for (const { value: group } of reader.groups.values()) {
    for (const { id } of group.modifier_options ?? []) {
      const found = reader.items.get(id);
      if (found === undefined) continue;
      const made = toModifier(found, group.id, reader);
      const first = byRef.get(id);
      const isSame = first === undefined || sayOf(first) === sayOf(made);
      // Equal ones are one and the same object.
      const modifier = isSame ? (first ?? made) : { ...made, ref: `${id}.${group.id}` };
      byRef.set(modifier.ref, modifier);
      byKey.set(keyOf(id, group.id), modifier);
    }
  }
  return byKey;
}

const sayOf = ({ price, maxQuantity, default: isDefault }: DraftModifier): string =>
  JSON.stringify([price, maxQuantity, isDefault]);

function toModifier({ value: item, path }: Found<UberItem>, group: string, reader: Reader): DraftModifier {
  const { losses } = reader;
  const isHere = (each: { readonly context_type: string; readonly context_value: string }): boolean =>
    each.context_type === "MODIFIER_GROUP" && each.context_value === group;
  const override = item.price_info.overrides?.find(isHere);
  const quantity: UberQuantity | null | undefined =
    item.quantity_info?.overrides?.find(isHere)?.quantity ?? item.quantity_info?.quantity;
  const isItem = reader.inCategories.has(item.id);
  if (quantity?.charge_above != null && quantity.charge_above > 0) {
    losses.add(
      [...path, "quantity_info"],
      "Free units of one option have no place here, only of a whole group.",
    );
  }
  if ((quantity?.default_quantity ?? 0) > 1) losses.add([...path, "quantity_info"], "A default is one unit.");
  if (!isItem && item.image_url != null && item.image_url !== "") {
    losses.add([...path, "image_url"], "A modifier has no image.");
  }
  if (!isItem && item.description != null)
    losses.add([...path, "description"], "A modifier has no description.");
  const sku = item.external_data?.trim() ?? "";
  return {
    ref: item.id,
    path,
    title: textOf(item.title, [...path, "title"], reader),
    price: override?.price ?? item.price_info.price,
    default: (quantity?.default_quantity ?? 0) > 0,
    maxQuantity: noLimitAtZero(quantity?.max_permitted) ?? 1,
    ...(isItem ? { item: item.id } : {}),
    sku: sku === "" || sku.length > 64 ? null : sku,
    groups: isItem ? [] : (item.modifier_group_ids?.ids ?? []),
    ...kcalOf(item, path, losses),
    ...(isItem ? {} : { ...stockOf(item), ...foodOf(item, path, losses) }),
  };
}

/** Prices for one menu; those for a group are the modifiers' own, those for an item have no place. */
function toLevels(
  menus: ReadonlyMap<string, Found<UberMenus["menus"][number]>>,
  reader: Reader,
): DraftLevel[] {
  const prices = new Map<string, DraftPrice[]>();
  for (const { value: item, path } of reader.items.values()) {
    for (const [at, override] of (item.price_info.overrides ?? []).entries()) {
      const here = [...path, "price_info", "overrides", at];
      const { context_type: type, context_value: value, price } = override;
      if (type === "ITEM") reader.losses.add(here, "A price inside one item has no place here.");
      if (type !== "MENU") continue;
      if (!menus.has(value))
        throw invalid([...here, "context_value"], "No menu of the document has this id.");
      prices.set(value, [...(prices.get(value) ?? []), { kind: "item", ref: item.id, price }]);
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
