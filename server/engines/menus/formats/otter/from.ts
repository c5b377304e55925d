import type {
  Draft,
  DraftChannel,
  DraftGroup,
  DraftItem,
  DraftMenu,
  DraftModifier,
  DraftOptions,
} from "../draft.ts";
import { invalid, readEntries } from "../invalid.ts";
import { createLosses } from "../losses.ts";
import type { Found, Loss, Losses, Path } from "../losses.ts";
import { createLevelReader } from "../price-lists.ts";
import { readSpans } from "../read-hours.ts";
import { noteUnknownMembers } from "../unknown-members.ts";
import { foldVariationGroups } from "../variation-group.ts";
import { OtterMenus } from "./shape.ts";
import type { OtterGroup, OtterItem, OtterMenu } from "./shape.ts";
import { described, foodOf, kcalOf, minor, readOverrides, stockOf, taxOf, unique } from "./reader.ts";
import type { Reader } from "./reader.ts";
import { dayNamed } from "../week.ts";

/**
 * Converts menus of Otter to a draft. Its modifiers are items listed by groups: what a category lists is an item here,
 * what a
 * group lists a modifier, and what both list is both. A price for one service becomes a price level of that name,
 * which applies if a request refers to it.
 */
export function fromOtter(body: OtterMenus, options: DraftOptions): { draft: Draft; losses: Loss[] } {
  const losses = createLosses(["menus", "categories", "items", "modifierGroups"]);
  noteUnknownMembers(OtterMenus, body, losses);
  const items = mapOf(body.items, ["items"]);
  const groups = mapOf(body.modifierGroups, ["modifierGroups"]);
  const inGroups = new Set([...groups.values()].flatMap(({ value }) => value.itemIds ?? []));
  const inCategories = new Set(Object.values(body.categories ?? {}).flatMap(({ itemIds }) => itemIds ?? []));
  const reader: Reader = { options, losses, items, levels: createLevelReader(), inGroups, inCategories };
  const currency = currencyOf(items, options);
  const categories = [...mapOf(body.categories, ["categories"]).values()].map(({ value, path }) => ({
    ref: value.id,
    path,
    title: { [options.locale]: value.name },
    description: described(value.description, options),
    items: unique(value.itemIds ?? [], [...path, "itemIds"]),
  }));
  const draft: Draft = {
    menus: [...mapOf(body.menus, ["menus"]).values()].map((menu) => toMenu(menu, currency, reader)),
    categories,
    items: readEntries(
      [...items.values()].filter(({ value }) => inCategories.has(value.id) || !inGroups.has(value.id)),
      (item) => toItem(item, currency, reader),
    ),
    groups: readEntries(groups.values(), (group) => toGroup(group, reader)),
    modifiers: toModifiers([...groups.values()], currency, reader),
    levels: [],
  };
  const whole = { ...draft, levels: reader.levels.levels() };
  return { draft: foldVariationGroups(whole), losses: losses.list() };
}

/** The values of a map, whose ids must equal their keys. */
function mapOf<T extends { readonly id: string }>(
  map: Readonly<Record<string, T>> | null | undefined,
  path: Path,
): Map<string, Found<T>> {
  const byRef = new Map<string, Found<T>>();
  readEntries(Object.entries(map ?? {}), ([key, value]) => {
    if (value.id !== key) throw invalid([...path, key, "id"], `The id differs from its key ${key}.`);
    byRef.set(key, { value, path: [...path, key] });
  });
  return byRef;
}

function currencyOf(items: ReadonlyMap<string, Found<OtterItem>>, options: DraftOptions): string {
  const [first] = items.values();
  const currency = first?.value.price.currencyCode ?? options.currency;
  readEntries(items.values(), ({ value, path }) => {
    if (value.price.currencyCode !== currency)
      throw invalid(
        [...path, "price", "currencyCode"],
        `A menu has one currency, which is ${currency} here.`,
      );
  });
  return currency;
}

const CHANNELS: Readonly<Record<string, DraftChannel>> = {
  DELIVERY: "delivery",
  PICK_UP: "pickup",
  DINE_IN: "dine_in",
};

function toMenu(
  { value: menu, path }: Found<OtterMenu>,
  currency: string,
  { options, losses }: Reader,
): DraftMenu {
  const spans = (menu.hours?.intervals ?? []).map((interval, at) => ({
    path: [...path, "hours", "intervals", at],
    day: dayNamed(interval.day),
    start: clock(interval.fromHour, interval.fromMinute ?? 0),
    end: clock(interval.toHour, interval.toMinute ?? 0),
  }));
  return {
    ref: menu.id,
    path,
    title: { [options.locale]: menu.name },
    description: described(menu.description, options),
    channels: [...new Set((menu.fulfillmentModes ?? []).map((mode) => CHANNELS[mode] ?? "delivery"))],
    hours: spans.length === 0 ? null : { rules: readSpans(spans, losses) },
    categories: unique(menu.categoryIds ?? [], [...path, "categoryIds"]),
    currency,
  };
}

const clock = (hour: number, minute: number): string =>
  `${String(hour).padStart(2, "0")}:${String(minute).padStart(2, "0")}`;

function toItem({ value: item, path }: Found<OtterItem>, currency: string, reader: Reader): DraftItem {
  const { options, losses } = reader;
  const details = item.skuDetails;
  readOverrides({ value: item, path }, "item", currency, reader);
  const at = [...path, "skuDetails"];
  const { servings } = details ?? {};
  if (servings?.min != null && servings.max != null && servings.min !== servings.max) {
    losses.add([...at, "servings"], "Only one number of people is supported: the lower one is used.");
  }
  const serves = servings?.min ?? servings?.max ?? null;
  return {
    ref: item.id,
    path,
    title: { [options.locale]: item.name },
    description: described(item.description, options),
    sku: details?.skuSlug == null || details.skuSlug.trim() === "" ? null : details.skuSlug.trim(),
    price: minor(item.price.amount, currency, [...path, "price", "amount"], losses),
    ...taxOf(item, path, losses),
    variations: [],
    groups: unique(item.modifierGroupIds ?? [], [...path, "modifierGroupIds"]).map((group, index) => ({
      group,
      path: [...path, "modifierGroupIds", index],
      isPlain: true,
    })),
    ...kcalOf(details, at, losses),
    ...(serves === null || serves < 1 ? {} : { serves }),
    ...(details?.containsAlcohol == null ? {} : { alcohol: details.containsAlcohol }),
    images: (item.photoUrls ?? []).map((url) => ({ url, alt: null })),
    ...stockOf(item),
    ...foodOf(details, at, losses),
  };
}

function toGroup({ value: group, path }: Found<OtterGroup>, { options, losses }: Reader): DraftGroup {
  if (group.description != null && group.description !== "") {
    losses.add([...path, "description"], "A modifier group cannot have a description.");
  }
  return {
    ref: group.id,
    path,
    title: { [options.locale]: group.name },
    min: group.minimumSelections ?? 0,
    max: group.maximumSelections == null || group.maximumSelections === 0 ? null : group.maximumSelections,
    modifiers: unique(group.itemIds ?? [], [...path, "itemIds"]),
  };
}

/** 0 is no limit for one modifier if the group has none either. */
const mostOfEach = ({ maxPerModifierSelectionQuantity: most, maximumSelections: all }: OtterGroup): number =>
  most == null ? 1 : most > 0 ? most : all == null || all === 0 ? 1_000 : all;

function toModifiers(
  groups: readonly Found<OtterGroup>[],
  currency: string,
  reader: Reader,
): DraftModifier[] {
  const made = new Map<string, DraftModifier>();
  // The lowest limit of its groups: so that import and export round-trip, however its groups share modifiers.
  const limits = new Map<string, number>();
  for (const { value: group } of groups) {
    for (const ref of group.itemIds ?? [])
      limits.set(ref, Math.min(mostOfEach(group), limits.get(ref) ?? Infinity));
  }
  for (const { value: group, path } of groups) {
    const defaults = defaultsOf({ value: group, path }, reader.losses);
    for (const [at, ref] of (group.itemIds ?? []).entries()) {
      const entry = reader.items.get(ref);
      const before = made.get(ref);
      const isDefault = defaults.has(ref);
      const maxQuantity = limits.get(ref) ?? mostOfEach(group);
      if (maxQuantity !== mostOfEach(group) || (before !== undefined && before.default !== isDefault)) {
        reader.losses.add(
          [...path, "itemIds", at],
          "A modifier has one limit in all groups (the lowest is used) and one default (the first is used).",
          "money",
        );
      }
      if (before === undefined && entry !== undefined)
        made.set(ref, toModifier(entry, currency, reader, { isDefault, maxQuantity }));
    }
  }
  return [...made.values()];
}

function defaultsOf({ value: group, path }: Found<OtterGroup>, losses: Losses): ReadonlySet<string> {
  const here = [...path, "defaultModifierSelectionData", "defaultModifierSelections"];
  const chosen = group.defaultModifierSelectionData?.defaultModifierSelections ?? [];
  const listed = new Set(group.itemIds);
  for (const [at, { itemId, selectionQuantity }] of chosen.entries()) {
    if (!listed.has(itemId)) {
      throw invalid([...here, at, "itemId"], "Not listed in the itemIds of the group.");
    }
    if ((selectionQuantity ?? 1) > 1)
      losses.add([...here, at, "selectionQuantity"], "A default can only be one unit.");
  }
  return new Set(chosen.filter((own) => own.selectionQuantity !== 0).map(({ itemId }) => itemId));
}

function toModifier(
  { value: item, path }: Found<OtterItem>,
  currency: string,
  reader: Reader,
  own: { readonly isDefault: boolean; readonly maxQuantity: number },
): DraftModifier {
  const { options, losses } = reader;
  const isItem = reader.inCategories.has(item.id);
  const details = item.skuDetails;
  const at = [...path, "skuDetails"];
  readOverrides({ value: item, path }, "modifier", currency, reader);
  // For a modifier that is also an item, the item has this information.
  if (!isItem && described(item.description, options) !== null) {
    losses.add([...path, "description"], "A modifier cannot have a description.");
  }
  if (!isItem && (item.photoUrls ?? []).length > 0)
    losses.add([...path, "photoUrls"], "A modifier cannot have an image.");
  if (!isItem && details?.containsAlcohol === true)
    losses.add([...at, "containsAlcohol"], "Only supported for items.");
  return {
    ref: item.id,
    path,
    title: { [options.locale]: item.name },
    price: minor(item.price.amount, currency, [...path, "price", "amount"], losses),
    default: own.isDefault,
    maxQuantity: own.maxQuantity,
    ...(isItem ? { item: item.id } : {}),
    sku: details?.skuSlug == null || details.skuSlug.trim() === "" ? null : details.skuSlug.trim(),
    groups: isItem ? [] : unique(item.modifierGroupIds ?? [], [...path, "modifierGroupIds"]),
    ...kcalOf(details, at, losses),
    ...(isItem ? {} : { ...stockOf(item), ...foodOf(details, at, losses) }),
  };
}
