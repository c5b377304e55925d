import { sha256Base64Url } from "../../../../core/ids.ts";
import { isTimeZone } from "../../../../lib/local-time.ts";
import type {
  Draft,
  DraftItem,
  DraftMenu,
  DraftOptions,
  DraftPortion,
  DraftUse,
  DraftVariation,
} from "../draft.ts";
import { invalid, readEntries } from "../invalid.ts";
import { createLosses } from "../losses.ts";
import type { Loss, Losses, Path } from "../losses.ts";
import { slug } from "../json-ld.ts";
import { noteUnknownMembers } from "../unknown-members.ts";
import { rulesOf } from "./hours.ts";
import { isPricedBySize, splitBySize } from "./group-prices.ts";
import { freeOf, toGroup, toModifier, toModifiers, usedGroups } from "./modifiers.ts";
import { readToastIndex } from "./read-index.ts";
import { addPrice, codeOf, described, minor, optionsOf, splitRef, text } from "./reader.ts";
import type { ToastReader } from "./reader.ts";
import { ToastMenus } from "./shape.ts";
import type { ToastGroup, ToastItem, ToastMenu } from "./shape.ts";

/**
 * Converts a menus response of Toast to a draft. Nested menu groups are categories (three levels), a size price
 * becomes the
 * item's variations, a time-specific price a price level with hours, pre-modifiers and portions those of the group.
 * Prices are decimals of `options.currency`, which Toast does not include.
 */
export function fromToast(body: ToastMenus, options: DraftOptions): { draft: Draft; losses: Loss[] } {
  const losses = createLosses([
    "modifierGroupReferences",
    "modifierOptionReferences",
    "preModifierGroupReferences",
  ]);
  noteUnknownMembers(ToastMenus, body, losses);
  const reader: ToastReader = {
    index: readToastIndex(body),
    options,
    losses,
    items: new Map(),
    menu: { guid: "", name: "" },
    categories: new Map(),
    levels: new Map(),
    portions: new Map(),
    sizes: new Set(),
    groupPrices: new Map(),
    split: { groups: [], modifiers: [] },
    toGroup: (group, path) => toGroup(group, path, reader),
    toModifier: (entry, found, price) => toModifier(entry, found, { price, reader }),
  };
  const menus = body.menus.map((menu, at) => toMenu(menu, ["menus", at], body, { ...reader, menu }));
  const used = usedGroups(reader);
  const groups = reader.index.groups.filter(({ reference }) => used.has(reference));
  const draft: Draft = {
    menus,
    categories: [...reader.categories.values()],
    items: [...reader.items.values()].map(({ item }) => item),
    groups: [
      ...groups.map((entry) => ({ ...toGroup(entry.group, entry.path, reader), ...freeOf(entry, reader) })),
      ...reader.split.groups,
    ],
    modifiers: [...toModifiers(groups, reader), ...reader.split.modifiers],
    levels: [...reader.levels.values()].map(({ level }) => level),
  };
  return { draft, losses: losses.list() };
}

function toMenu(menu: ToastMenu, path: Path, body: ToastMenus, reader: ToastReader): DraftMenu {
  const { availability } = menu;
  const schedule = availability?.alwaysAvailable === true ? null : (availability?.schedule ?? null);
  noteVisibility(menu.visibility, [...path, "visibility"], reader.losses);
  return {
    ref: menu.guid,
    path,
    title: text(reader, menu.name),
    description: described(reader, menu.description),
    hours:
      schedule === null
        ? null
        : { rules: rulesOf(schedule, [...path, "availability", "schedule"], reader.losses) },
    categories: toCategories(menu.menuGroups ?? [], null, [...path, "menuGroups"], reader),
    currency: reader.options.currency,
    ...zoneOf(body, reader),
  };
}

/** Times in a zone that does not exist could not be computed. */
function zoneOf({ restaurantTimeZone: zone }: ToastMenus, reader: ToastReader): Pick<DraftMenu, "timeZone"> {
  if (zone == null || zone === "") return {};
  if (isTimeZone(zone)) return { timeZone: zone };
  reader.losses.add(
    ["restaurantTimeZone"],
    "No such time zone: that of the settings or of the menu applies.",
  );
  return {};
}

/** Adds the groups to the draft and returns their refs in order. */
function toCategories(
  groups: readonly ToastGroup[],
  parent: string | null,
  path: Path,
  reader: ToastReader,
): string[] {
  return groups.map((group, at) => {
    const here = [...path, at];
    if (reader.categories.has(group.guid)) {
      throw invalid([...here, "guid"], "Duplicate guid: another menu group has it.");
    }
    noteVisibility(group.visibility, [...here, "visibility"], reader.losses);
    const items = readEntries(
      (group.menuItems ?? []).entries(),
      ([index, item]) => readItem(item, group.guid, [...here, "menuItems", index], reader) ?? [],
    ).flat();
    reader.categories.set(group.guid, {
      ref: group.guid,
      path: here,
      title: text(reader, group.name),
      description: described(reader, group.description),
      parent,
      items: [...new Set(items)],
      visible: group.visibility == null || group.visibility.length > 0,
      image: group.image == null || group.image === "" ? null : { url: group.image, alt: null },
    });
    toCategories(group.menuGroups ?? [], group.guid, [...here, "menuGroups"], reader);
    return group.guid;
  });
}

/**
 * Toast repeats an item in every group that shows it, with the modifiers, the tax and the price that it inherits there.
 * Another price in another menu is a price of that menu; other differences make an item of their own per group.
 */
function readItem(item: ToastItem, group: string, path: Path, reader: ToastReader): string | null {
  const { price: _, pricingStrategy: strategy, visibility: __, ...rest } = item;
  const source = JSON.stringify([rest, item.pricingStrategy === "OPEN_PRICE"]);
  const price = item.price == null ? null : minor(item.price, [...path, "price"], reader);
  const before = reader.items.get(item.guid);
  const isMenuPrice = strategy === "MENU_SPECIFIC_PRICE" && price !== null;
  if (before === undefined) return addItem(item.guid);
  if (before.source !== source) return addItem(splitRef(item.guid, group));
  const here = priceInMenu(reader, item.guid) ?? (isMenuPrice ? null : before.item.price);
  const isOther = price !== null && here !== null && price !== here;
  if (!isOther && !isMenuPrice) return item.guid;
  if (before.menu === reader.menu.guid || priceInMenu(reader, item.guid) !== null) {
    return isOther ? addItem(splitRef(item.guid, group)) : item.guid;
  }
  addMenuPrice(item.guid, price ?? 0, path, reader);
  return item.guid;

  function addItem(ref: string): string | null {
    const same = reader.items.get(ref);
    if (same !== undefined) {
      if (same.source === source && same.item.price === price) return ref;
      reader.losses.add(path, "Another item of this group has the same guid; not imported.", "money");
      return null;
    }
    const made = toItem({ ...item, guid: ref }, path, reader);
    if (made === null) return null;
    reader.items.set(ref, { item: { ...made, isMenuPrice }, source, menu: reader.menu.guid });
    if (isMenuPrice) addMenuPrice(ref, price, path, reader);
    return ref;
  }
}

const menuLevelRef = ({ menu }: ToastReader): string => `menu.${menu.guid}`;

const priceInMenu = (reader: ToastReader, ref: string): number | null =>
  reader.levels.get(menuLevelRef(reader))?.priceOf.get(ref) ?? null;

function addMenuPrice(ref: string, amount: number, path: Path, reader: ToastReader): void {
  addPrice(reader, menuLevelRef(reader), { kind: "item", ref, price: amount }, () => ({
    path,
    title: reader.menu.name.slice(0, 150),
    menu: reader.menu.guid,
    automatic: true,
  }));
}

function toItem(item: ToastItem, path: Path, reader: ToastReader): DraftItem | null {
  const { losses } = reader;
  const variations = toVariations(item, path, reader);
  const timed = item.pricingRules?.timeSpecificPricingRules?.find(({ basePrice }) => basePrice != null);
  const amount = item.price ?? timed?.basePrice ?? null;
  if (item.pricingStrategy === "OPEN_PRICE" || (amount === null && variations.length === 0)) {
    losses.add(path, "No fixed price; not imported.", "money");
    return null;
  }
  addTimedPrices(item, path, reader);
  noteVisibility(item.visibility, [...path, "visibility"], losses);
  if (item.taxInclusion === "SMART_TAX") {
    losses.add(
      [...path, "taxInclusion"],
      "Whether tax is included depends on the order in Toast; imported as not included.",
    );
  }
  if (item.calories != null && item.calories < 0)
    losses.add([...path, "calories"], "Negative energy is not imported.");
  const groups = toUses(item, path, reader);
  const sized = sizedOf(item, path, reader);
  return {
    ref: item.guid,
    path,
    title: text(reader, item.name),
    description: described(reader, item.description),
    sku: item.sku == null || item.sku.trim() === "" ? null : item.sku.trim(),
    price: variations.length > 0 ? null : amount === null ? null : minor(amount, [...path, "price"], reader),
    ...(item.taxInclusion == null ? {} : { taxIncluded: item.taxInclusion === "TAX_INCLUDED" }),
    variations: sized === null ? variations : [],
    groups,
    ...sized,
    kcal: item.calories == null || item.calories < 0 ? null : { min: item.calories },
    alcohol: item.contentAdvisories?.alcohol?.containsAlcohol === "YES",
    ...(item.prepTime == null ? {} : { prepMinutes: minutesOfSeconds(item.prepTime, path, losses) }),
    images: item.image == null || item.image === "" ? [] : [{ url: item.image, alt: null }],
    tags: [...new Set((item.itemTags ?? []).map(({ name }) => slug(name, "tag")))],
  };
}

function minutesOfSeconds(seconds: number, path: Path, losses: Losses): number {
  if (seconds % 60 !== 0) losses.add([...path, "prepTime"], "Rounded up to whole minutes.");
  return Math.ceil(seconds / 60);
}

function toUses(item: ToastItem, path: Path, reader: ToastReader): DraftUse[] {
  const sizes = item.pricingStrategy === "SIZE_PRICE" ? item.pricingRules?.sizeSpecificPricingGuid : null;
  const uses = (item.modifierGroupReferences ?? []).map((reference, at) => {
    const here = [...path, "modifierGroupReferences", at];
    return { group: reader.index.group(reference, here).guid, path: here, isPlain: true };
  });
  for (const [at, portion] of (item.portions ?? []).entries()) {
    for (const [index, reference] of (portion.modifierGroupReferences ?? []).entries()) {
      const { guid } = reader.index.group(reference, [
        ...path,
        "portions",
        at,
        "modifierGroupReferences",
        index,
      ]);
      const own = { code: codeOf(portion.guid, portion.name), title: text(reader, portion.name) };
      const scaled = { ...own, scale: portion.priceScaleFactor ?? 1 };
      const portions = reader.portions.get(guid) ?? new Map<string, DraftPortion>();
      if (!portions.has(scaled.code)) portions.set(scaled.code, scaled);
      reader.portions.set(guid, portions);
    }
  }
  return uses.filter(({ group }) => group !== sizes);
}

/** Groups and price of an item whose options cost another price for each of its sizes; null for any other item. */
function sizedOf(item: ToastItem, path: Path, reader: ToastReader): ReturnType<typeof splitBySize> | null {
  if (item.pricingStrategy !== "SIZE_PRICE") return null;
  const size = reader.index.byGuid(item.pricingRules?.sizeSpecificPricingGuid ?? "");
  const uses = (item.modifierGroupReferences ?? []).flatMap((reference, at) => {
    const { guid } = reader.index.group(reference, [...path, "modifierGroupReferences", at]);
    return reader.index.byGuid(guid) ?? [];
  });
  const others = uses.filter((entry) => entry !== size);
  if (size === undefined || !others.some(({ group }) => isPricedBySize(group))) return null;
  return splitBySize(item, size, others, reader);
}

/** The options of the group that prices an item by size. */
function toVariations(item: ToastItem, path: Path, reader: ToastReader): DraftVariation[] {
  if (item.pricingStrategy !== "SIZE_PRICE") return [];
  const guid = item.pricingRules?.sizeSpecificPricingGuid;
  const entry = guid == null ? undefined : reader.index.byGuid(guid);
  if (entry === undefined) {
    throw invalid([...path, "pricingRules", "sizeSpecificPricingGuid"], "No modifier group with this guid.");
  }
  reader.sizes.add(entry.group.guid);
  return optionsOf(entry, reader).flatMap(({ option, path: at }): DraftVariation[] => {
    if (option.price == null) {
      reader.losses.add([...at, "price"], "A size without a price is not imported.");
      return [];
    }
    return [
      {
        ref: option.guid,
        path: at,
        title: text(reader, option.name),
        price: minor(option.price, [...at, "price"], reader),
        sku: option.sku == null || option.sku.trim() === "" ? null : option.sku.trim(),
      },
    ];
  });
}

function addTimedPrices(item: ToastItem, path: Path, reader: ToastReader): void {
  if (item.pricingStrategy !== "TIME_SPECIFIC_PRICE") return;
  for (const [at, rule] of (item.pricingRules?.timeSpecificPricingRules ?? []).entries()) {
    const here = [...path, "pricingRules", "timeSpecificPricingRules", at];
    if (rule.timeSpecificPrice == null || rule.schedule == null) continue;
    const rules = rulesOf(rule.schedule, [...here, "schedule"], reader.losses);
    const ref = `hours.${sha256Base64Url(JSON.stringify(rules))}`;
    const price = {
      kind: "item" as const,
      ref: item.guid,
      price: minor(rule.timeSpecificPrice, [...here, "timeSpecificPrice"], reader),
    };
    addPrice(reader, ref, price, () => {
      const [first] = rules;
      const title =
        first === undefined ? "Timed prices" : `${first.days.join(" ")} ${first.start}-${first.end}`;
      return { path: here, title, automatic: true, hours: { rules } };
    });
  }
}

function noteVisibility(visibility: readonly string[] | null | undefined, path: Path, losses: Losses): void {
  if (visibility == null || visibility.length === 0) return;
  const hides = ["POS", "KIOSK", "TOAST_ONLINE_ORDERING", "ORDERING_PARTNERS"].some(
    (place) => !visibility.includes(place),
  );
  if (hides)
    losses.add(path, "Imported as visible everywhere: visibility per channel of Toast is not supported.");
}
