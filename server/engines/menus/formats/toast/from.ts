import { sha256Base64Url } from "../../../../kernel/ids.ts";
import { toMinor } from "../decimal.ts";
import type {
  Draft,
  DraftCategory,
  DraftGroup,
  DraftItem,
  DraftLevel,
  DraftMenu,
  DraftModifier,
  DraftOptions,
  DraftPreModifier,
  DraftUse,
  DraftVariation,
} from "../draft.ts";
import { invalid } from "../invalid.ts";
import { createLosses } from "../losses.ts";
import type { Loss, Losses, Path } from "../losses.ts";
import { readSpans } from "../read-hours.ts";
import { slug } from "../slug.ts";
import { noteUnknownMembers } from "../unknown-members.ts";
import { DAYS } from "../week.ts";
import type { Day, WeekRule } from "../week.ts";
import { readToastIndex } from "./read-index.ts";
import type { ToastIndex } from "./read-index.ts";
import { ToastMenus } from "./shape.ts";
import type {
  ToastGroup,
  ToastItem,
  ToastMenu,
  ToastModifierGroup,
  ToastOption,
  ToastSchedule,
} from "./shape.ts";

/**
 * A menus answer of Toast as a draft. Nested menu groups are categories (three levels), a size price becomes the
 * item's variations, a time-specific price a price level with hours, pre-modifiers and portions those of the group.
 * Prices are decimals of `options.currency`, which Toast does not name.
 */
export function fromToast(body: ToastMenus, options: DraftOptions): { draft: Draft; losses: Loss[] } {
  const losses = createLosses([
    "modifierGroupReferences",
    "modifierOptionReferences",
    "preModifierGroupReferences",
  ]);
  noteUnknownMembers(ToastMenus, body, losses);
  const reader: Reader = {
    index: readToastIndex(body),
    options,
    losses,
    items: new Map(),
    categories: new Map(),
    levels: [],
    portions: new Map(),
  };
  const menus = body.menus.map((menu, at) => toMenu(menu, ["menus", at], body, reader));
  const used = usedGroups(reader);
  const groups = reader.index.groups.filter(({ reference }) => used.has(reference));
  const draft: Draft = {
    menus,
    categories: [...reader.categories.values()],
    items: [...reader.items.values()].map(({ item }) => item),
    groups: groups.map(({ group, path }) => toGroup(group, path, reader)),
    modifiers: toModifiers(groups, reader),
    levels: reader.levels,
  };
  return { draft, losses: losses.list() };
}

interface Reader {
  readonly index: ToastIndex;
  readonly options: DraftOptions;
  readonly losses: Losses;
  readonly items: Map<string, { readonly item: DraftItem; readonly source: string }>;
  readonly categories: Map<string, DraftCategory>;
  readonly levels: DraftLevel[];
  /** Portions that items put on a group, by the group's guid. */
  readonly portions: Map<string, DraftGroup["portions"]>;
}

const text = (reader: Reader, value: string) => ({ [reader.options.locale]: value });
const described = (reader: Reader, value: string | null | undefined) =>
  value == null || value.trim() === "" ? null : text(reader, value.trim());

function minor(amount: number, path: Path, { options, losses }: Reader): number {
  const { minor: units, exact } = toMinor(amount, options.currency);
  if (!exact) losses.add(path, `It has more decimals than ${options.currency} and was rounded.`);
  return units;
}

function toMenu(menu: ToastMenu, path: Path, body: ToastMenus, reader: Reader): DraftMenu {
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
    ...(body.restaurantTimeZone == null || body.restaurantTimeZone === ""
      ? {}
      : { timeZone: body.restaurantTimeZone }),
  };
}

/** Puts the groups into the draft and gives their refs in order. */
function toCategories(
  groups: readonly ToastGroup[],
  parent: string | null,
  path: Path,
  reader: Reader,
): string[] {
  return groups.map((group, at) => {
    const here = [...path, at];
    if (reader.categories.has(group.guid)) {
      throw invalid([...here, "guid"], "Another menu group has this guid.");
    }
    noteVisibility(group.visibility, [...here, "visibility"], reader.losses);
    const items = (group.menuItems ?? []).flatMap(
      (item, index) => readItem(item, [...here, "menuItems", index], reader) ?? [],
    );
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

/** Toast repeats an item in every group that shows it: the repeats must be the same thing, but for their price. */
function readItem(item: ToastItem, path: Path, reader: Reader): string | null {
  const { price: _, pricingStrategy: __, ...rest } = item;
  const source = JSON.stringify(rest);
  const before = reader.items.get(item.guid);
  if (before !== undefined) {
    if (before.source !== source)
      throw invalid([...path, "guid"], "Another item with other contents has this guid.");
    const price = item.price == null ? null : minor(item.price, [...path, "price"], reader);
    if (price !== null && before.item.price !== null && price !== before.item.price) {
      reader.losses.add(
        [...path, "price"],
        "It costs something else in another group; the first price is kept.",
      );
    }
    return item.guid;
  }
  const made = toItem(item, path, reader);
  if (made === null) return null;
  reader.items.set(item.guid, { item: made, source });
  return item.guid;
}

function toItem(item: ToastItem, path: Path, reader: Reader): DraftItem | null {
  const { losses } = reader;
  const variations = toVariations(item, path, reader);
  const timed = item.pricingRules?.timeSpecificPricingRules?.find(({ basePrice }) => basePrice != null);
  const amount = item.price ?? timed?.basePrice ?? null;
  if (item.pricingStrategy === "OPEN_PRICE" || (amount === null && variations.length === 0)) {
    losses.add(path, "It has no fixed price and is left out.");
    return null;
  }
  addTimedPrices(item, path, reader);
  noteVisibility(item.visibility, [...path, "visibility"], losses);
  if (item.taxInclusion === "SMART_TAX") {
    losses.add(
      [...path, "taxInclusion"],
      "Prices here either include tax or do not; it is read as included.",
    );
  }
  if (item.calories != null && item.calories < 0)
    losses.add([...path, "calories"], "Negative energy is left out.");
  const groups = toUses(item, path, reader);
  return {
    ref: item.guid,
    path,
    title: text(reader, item.name),
    description: described(reader, item.description),
    sku: item.sku == null || item.sku.trim() === "" ? null : item.sku.trim(),
    price: variations.length > 0 ? null : amount === null ? null : minor(amount, [...path, "price"], reader),
    ...(item.taxInclusion == null ? {} : { taxIncluded: item.taxInclusion !== "TAX_NOT_INCLUDED" }),
    variations,
    groups,
    kcal: item.calories == null || item.calories < 0 ? null : { min: item.calories },
    alcohol: item.contentAdvisories?.alcohol?.containsAlcohol === "YES",
    ...(item.prepTime == null ? {} : { prepMinutes: minutesOfSeconds(item.prepTime, path, losses) }),
    images: item.image == null || item.image === "" ? [] : [{ url: item.image, alt: null }],
    tags: [...new Set((item.itemTags ?? []).map(({ name }) => slug(name, "tag")))],
  };
}

function minutesOfSeconds(seconds: number, path: Path, losses: Losses): number {
  if (seconds % 60 !== 0) losses.add([...path, "prepTime"], "It is rounded up to whole minutes.");
  return Math.ceil(seconds / 60);
}

function toUses(item: ToastItem, path: Path, reader: Reader): DraftUse[] {
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
      const before = reader.portions.get(guid) ?? [];
      if (!before.some(({ code }) => code === scaled.code)) reader.portions.set(guid, [...before, scaled]);
    }
  }
  return uses.filter(({ group }) => group !== sizes);
}

/** A guid that can be a code stays one, so that an export gives it back. */
const codeOf = (guid: string, name: string): string =>
  /^[a-z0-9][a-z0-9_-]{0,39}$/.test(guid) ? guid : slug(name, "part");

/** The options of the group that prices an item by size. */
function toVariations(item: ToastItem, path: Path, reader: Reader): DraftVariation[] {
  if (item.pricingStrategy !== "SIZE_PRICE") return [];
  const guid = item.pricingRules?.sizeSpecificPricingGuid;
  const found = reader.index.groups.find(({ group }) => group.guid === guid);
  if (found === undefined) {
    throw invalid([...path, "pricingRules", "sizeSpecificPricingGuid"], "No modifier group has this guid.");
  }
  return optionsOf(found, reader).flatMap(({ option, path: at }): DraftVariation[] => {
    if (option.price == null) {
      reader.losses.add([...at, "price"], "A size without a price is left out.");
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

function addTimedPrices(item: ToastItem, path: Path, reader: Reader): void {
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
    const before = reader.levels.findIndex((level) => level.ref === ref);
    const level = reader.levels[before];
    if (level !== undefined) reader.levels[before] = { ...level, prices: [...level.prices, price] };
    else {
      const [first] = rules;
      const title =
        first === undefined ? "Timed prices" : `${first.days.join(" ")} ${first.start}-${first.end}`;
      reader.levels.push({ ref, path: here, title, automatic: true, hours: { rules }, prices: [price] });
    }
  }
}

function noteVisibility(visibility: readonly string[] | null | undefined, path: Path, losses: Losses): void {
  if (visibility == null || visibility.length === 0) return;
  const hides = ["POS", "KIOSK", "TOAST_ONLINE_ORDERING", "ORDERING_PARTNERS"].some(
    (place) => !visibility.includes(place),
  );
  if (hides)
    losses.add(
      path,
      "It is shown everywhere here: what is visible only in some places of Toast is not kept.",
    );
}

const DAY_OF: Readonly<Record<string, Day>> = Object.fromEntries(
  ["MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY", "SUNDAY"].map((name, at) => [
    name,
    DAYS[at] ?? "mon",
  ]),
);

const rulesOf = (schedules: readonly ToastSchedule[], path: Path, losses: Losses): WeekRule[] =>
  readSpans(
    schedules.flatMap(({ days, timeRanges }, at) =>
      days.flatMap((day) =>
        timeRanges.map(({ start, end }, index) => ({
          path: [...path, at, "timeRanges", index],
          day: DAY_OF[day] ?? "mon",
          start,
          end,
        })),
      ),
    ),
    losses,
  );

interface FoundGroup {
  readonly reference: number;
  readonly group: ToastModifierGroup;
  readonly path: Path;
}

interface FoundOption {
  readonly option: ToastOption;
  readonly path: Path;
}

const optionsOf = ({ group, path }: FoundGroup, { index }: Reader): FoundOption[] =>
  (group.modifierOptionReferences ?? []).map((reference, at) =>
    index.option(reference, [...path, "modifierOptionReferences", at]),
  );

/** References of the groups that an item of the draft uses, those inside them included. */
function usedGroups(reader: Reader): ReadonlySet<number> {
  const byGuid = new Map(reader.index.groups.map((found) => [found.group.guid, found]));
  const used = new Set<number>();
  const visit = (found: FoundGroup | undefined): void => {
    if (found === undefined || used.has(found.reference)) return;
    used.add(found.reference);
    for (const { option, path } of optionsOf(found, reader)) {
      for (const [at, reference] of (option.modifierGroupReferences ?? []).entries()) {
        visit(byGuid.get(reader.index.group(reference, [...path, "modifierGroupReferences", at]).guid));
      }
    }
  };
  for (const { item } of reader.items.values()) for (const { group } of item.groups) visit(byGuid.get(group));
  for (const { reference, group, path } of reader.index.groups) {
    const isSize = [...reader.items.values()].some(({ source }) =>
      source.includes(JSON.stringify(group.guid)),
    );
    if (!used.has(reference) && !isSize) reader.losses.add(path, "No item uses this group; it is left out.");
  }
  return used;
}

function toGroup(group: ToastModifierGroup, path: Path, reader: Reader): DraftGroup {
  const { losses } = reader;
  if (group.pricingStrategy != null && group.pricingStrategy !== "NONE") {
    losses.add(
      [...path, "pricingStrategy"],
      "Prices by size or by sequence have no place here; options cost their own price.",
    );
  }
  const max = group.maxSelections ?? (group.isMultiSelect === false ? 1 : null);
  return {
    ref: group.guid,
    path,
    title: text(reader, group.name),
    min: group.minSelections ?? 0,
    max,
    defaultsCharged: group.defaultOptionsChargePrice !== "NO",
    substitution: group.defaultOptionsSubstitutionPricing === "YES",
    ...(group.requiredMode == null ? {} : { display: DISPLAY[group.requiredMode] }),
    preModifiers: toPreModifiers(group, path, reader),
    portions: reader.portions.get(group.guid) ?? [],
    modifiers: optionsOf({ reference: group.referenceId, group, path }, reader).map(({ option }) =>
      reader.index.optionRef(option),
    ),
  };
}

const DISPLAY = { REQUIRED: "required", OPTIONAL_FORCE_SHOW: "forced", OPTIONAL: "optional" } as const;

function toPreModifiers(group: ToastModifierGroup, path: Path, reader: Reader): DraftPreModifier[] {
  const reference = group.preModifierGroupReference;
  if (reference == null) return [];
  const found = reader.index.preModifiers(reference, [...path, "preModifierGroupReference"]);
  return (found.group.preModifiers ?? []).map((own, at) => ({
    code: codeOf(own.guid, own.name),
    title: text(reader, own.name),
    factor: own.multiplicationFactor ?? null,
    fixedPrice:
      own.fixedPrice == null
        ? null
        : minor(own.fixedPrice, [...found.path, "preModifiers", at, "fixedPrice"], reader),
    position: own.displayMode === "SUFFIX" ? "suffix" : "prefix",
  }));
}

function toModifiers(groups: readonly FoundGroup[], reader: Reader): DraftModifier[] {
  const made = new Map<string, DraftModifier>();
  for (const found of groups) {
    for (const { option, path } of optionsOf(found, reader)) {
      const ref = reader.index.optionRef(option);
      if (made.has(ref)) continue;
      if (option.price == null && option.pricingStrategy !== "GROUP_PRICE") {
        reader.losses.add([...path, "price"], "An option without a price is read as free.");
      }
      made.set(ref, {
        ref,
        path,
        title: text(reader, option.name),
        price: option.price == null ? 0 : minor(option.price, [...path, "price"], reader),
        default: option.isDefault === true,
        maxQuantity: option.allowsDuplicates === true ? (found.group.maxSelections ?? 1_000) : 1,
        sku: option.sku == null || option.sku.trim() === "" ? null : option.sku.trim(),
        groups: (option.modifierGroupReferences ?? []).map(
          (reference, at) => reader.index.group(reference, [...path, "modifierGroupReferences", at]).guid,
        ),
        kcal: option.calories == null || option.calories < 0 ? null : { min: option.calories },
      });
    }
  }
  return [...made.values()];
}
