import type { MenuTree, TreeCategory, TreeGroup, TreeItem, TreeModifier } from "../../schema/tree.ts";
import { toDecimal } from "../decimal.ts";
import { noteDropped } from "../dropped.ts";
import { createLosses } from "../losses.ts";
import type { Loss, Losses } from "../losses.ts";
import { known, refOf, say, sayOnly, viewOf, weekOf } from "../tree-view.ts";
import type { ExportOptions, TreeView } from "../tree-view.ts";
import { timeOf } from "../week.ts";
import type { DaySpan } from "../week.ts";
import { isTimedLevel, timedPricesOf } from "./timed-prices.ts";

export const TOAST = "toast";

/** Members of each kind that Toast has a place for. */
export const TOAST_CARRIES = {
  menu: ["title", "description", "currency", "time_zone", "category_ids", "schedule_ids"],
  categories: ["title", "description", "image", "parent_id", "item_ids", "visible"],
  items: [
    ...([
      "title",
      "description",
      "sku",
      "price",
      "tax_inclusive",
      "variations",
      "modifier_groups",
      "kcal",
    ] as const),
    ...(["tags", "alcohol", "prep_time_minutes", "images"] as const),
  ],
  modifier_groups: [
    ...(["title", "min", "max", "defaults_charged", "substitution", "modifier_ids", "display_mode"] as const),
    ...(["pre_modifiers", "portions"] as const),
  ],
  modifiers: ["title", "price", "sku", "default", "max_quantity", "nested_group_ids", "kcal"],
  price_levels: ["schedule_id", "overrides", "automatic"],
} as const;

export type Json = Readonly<Record<string, unknown>>;

interface Export {
  readonly view: TreeView;
  readonly options: ExportOptions;
  readonly losses: Losses;
  /** referenceId by our id; groups, options and sizes are counted together. */
  readonly reference: (id: string) => number;
}

/** A menu in the form in which Toast's menus API (version 2) answers. Prices become decimals, hours are cut at midnight. */
export function toToast(tree: MenuTree, options: ExportOptions): { data: Json; losses: Loss[] } {
  const losses = createLosses();
  const references = new Map<string, number>();
  const reference = (id: string): number => {
    const next = references.get(id) ?? references.size + 1;
    references.set(id, next);
    return next;
  };
  const out: Export = { view: viewOf(tree), options, losses, reference };
  noteDropped("menu", tree.menu, TOAST_CARRIES.menu, losses);
  for (const level of tree.price_levels) {
    if (isTimedLevel(level, out.view)) noteDropped("price_levels", level, TOAST_CARRIES.price_levels, losses);
    else {
      losses.add(["price_levels", level.id], "Only prices of items at certain hours are sent.");
    }
  }
  const menu = menuOf(out);
  const sized = tree.items.filter(({ variations }) => variations.length > 0);
  const groups = [
    ...tree.modifier_groups.map((group) => groupOf(group, out)),
    ...sized.map((item) => sizeGroupOf(item, out)),
  ];
  const choices = [
    ...tree.modifiers.map((modifier) => optionOf(modifier, out)),
    ...sized.flatMap((item) => sizesOf(item, out)),
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

const EVERYWHERE = ["POS", "KIOSK", "TOAST_ONLINE_ORDERING", "ORDERING_PARTNERS"];

const price = (minor: number, { view }: Export): number => toDecimal(minor, view.tree.menu.currency);

function menuOf(out: Export): Json {
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
    menuGroups: view.roots.map((category) => categoryOf(category, out)),
  };
}

const DAY_NAMES = {
  mon: "MONDAY",
  tue: "TUESDAY",
  wed: "WEDNESDAY",
  thu: "THURSDAY",
  fri: "FRIDAY",
  sat: "SATURDAY",
  sun: "SUNDAY",
} as const;

/** One entry a day; 00:00 to 00:00 is the whole of it, and an end of 00:00 the midnight that closes it. */
const scheduleOf = (week: readonly DaySpan[]): Json[] =>
  Object.entries(DAY_NAMES).flatMap(([day, name]) => {
    const spans = week.filter((span) => span.day === day);
    if (spans.length === 0) return [];
    return [
      { days: [name], timeRanges: spans.map(({ from, to }) => ({ start: timeOf(from), end: timeOf(to) })) },
    ];
  });

function categoryOf(category: TreeCategory, out: Export): Json {
  const { view, options, losses } = out;
  const path = ["categories", category.id];
  noteDropped("categories", category, TOAST_CARRIES.categories, losses);
  if (category.image?.alt != null) losses.add([...path, "image", "alt"], "The text of an image is not sent.");
  return {
    name: sayOnly(category.title, options.locale, losses, [...path, "title"]),
    guid: refOf(TOAST, category),
    description:
      category.description === null
        ? null
        : sayOnly(category.description, options.locale, losses, [...path, "description"]),
    image: category.image?.url ?? null,
    visibility: category.visible ? EVERYWHERE : [],
    menuGroups: view.children(category.id).map((child) => categoryOf(child, out)),
    menuItems: known(category.item_ids, view.item).map((item) => itemOf(item, out)),
  };
}

function itemOf(item: TreeItem, out: Export): Json {
  const { view, options, losses, reference } = out;
  const path = ["items", item.id];
  noteItem(item, out);
  const groups = known(
    item.modifier_groups.map(({ group_id: id }) => id),
    view.group,
  );
  const sized = item.variations.length > 0;
  const timed = timedPricesOf(item, view, losses);
  return {
    name: sayOnly(item.title, options.locale, losses, [...path, "title"]),
    guid: refOf(TOAST, item),
    description:
      item.description === null
        ? null
        : sayOnly(item.description, options.locale, losses, [...path, "description"]),
    image: item.images[0]?.url ?? null,
    visibility: EVERYWHERE,
    price: sized || item.price === null ? null : price(item.price, out),
    pricingStrategy: sized ? "SIZE_PRICE" : timed.length > 0 ? "TIME_SPECIFIC_PRICE" : "BASE_PRICE",
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
    losses.add([...path, "kcal", "max"], "Only the lower end of the range is sent.");
  if (item.alcohol?.abv != null)
    losses.add([...path, "alcohol", "abv"], "Only that it is alcoholic is sent.");
  if (item.images.length > 1) losses.add([...path, "images"], "Only the first image is sent.");
  if (item.images.some(({ alt }) => alt !== null))
    losses.add([...path, "images"], "The text of an image is not sent.");
  if (item.variations.length > 0 && item.price !== null) {
    losses.add([...path, "price"], "With variations only their prices are sent.");
  }
  for (const use of item.modifier_groups) {
    if (use.min !== undefined || use.max !== undefined || use.hidden_modifier_ids.length > 0) {
      losses.add(
        [...path, "modifier_groups"],
        "Limits and hidden modifiers of one item are not sent: a group is the same everywhere.",
      );
    }
  }
}

const sizeGuid = (item: TreeItem): string => `${refOf(TOAST, item)}.sizes`;

/** Portions stand on the item and name the groups that can be put on them. */
function portionsOf(groups: readonly TreeGroup[], { options, reference, losses }: Export): Json[] {
  const portions = new Map<string, { name: string; scale: number; references: number[] }>();
  for (const group of groups) {
    for (const { code, title, scale } of group.portions) {
      const name = say(title, options.locale);
      const before = portions.get(code) ?? { name, scale, references: [] };
      if (before.name !== name || before.scale !== scale) {
        losses.add(
          ["modifier_groups", group.id, "portions"],
          "Portions of one code are the same on all groups of an item: the first is sent.",
        );
      }
      portions.set(code, { ...before, references: [...before.references, reference(group.id)] });
    }
  }
  return [...portions].map(([guid, { name, scale, references }]) => ({
    name,
    guid,
    priceScaleFactor: scale,
    modifierGroupReferences: references,
  }));
}

type Referenced = Json & { readonly referenceId: number };

function groupOf(group: TreeGroup, out: Export): Referenced {
  const { options, losses, reference, view } = out;
  noteDropped("modifier_groups", group, TOAST_CARRIES.modifier_groups, losses);
  const path = ["modifier_groups", group.id];
  for (const text of [...group.pre_modifiers, ...group.portions]) {
    if (Object.keys(text.title).length > 1)
      losses.add(path, `It takes one language only: ${options.locale} is sent.`);
  }
  for (const modifier of known(group.modifier_ids, view.modifier)) {
    const expected = modifier.max_quantity > 1 ? (group.max ?? 1_000) : 1;
    if (modifier.max_quantity !== expected) {
      losses.add(
        ["modifiers", modifier.id, "max_quantity"],
        "Toast allows a modifier once, or as often as the group allows.",
      );
    }
  }
  return {
    name: sayOnly(group.title, options.locale, losses, [...path, "title"]),
    guid: refOf(TOAST, group),
    referenceId: reference(group.id),
    visibility: EVERYWHERE,
    pricingStrategy: "NONE",
    defaultOptionsChargePrice: group.defaults_charged ? "YES" : "NO",
    defaultOptionsSubstitutionPricing: group.substitution ? "YES" : "NO",
    minSelections: group.min,
    maxSelections: group.max,
    requiredMode: { required: "REQUIRED", forced: "OPTIONAL_FORCE_SHOW", optional: "OPTIONAL" }[
      group.display_mode
    ],
    isMultiSelect: group.max !== 1,
    preModifierGroupReference: group.pre_modifiers.length === 0 ? null : reference(`${group.id}.pre`),
    modifierOptionReferences: known(group.modifier_ids, view.modifier).map(({ id }) => reference(id)),
  };
}

function optionOf(modifier: TreeModifier, out: Export): Referenced {
  const { options, losses, reference, view } = out;
  const path = ["modifiers", modifier.id];
  noteDropped("modifiers", modifier, TOAST_CARRIES.modifiers, losses);
  if (modifier.kcal?.max != null)
    losses.add([...path, "kcal", "max"], "Only the lower end of the range is sent.");
  return {
    name: sayOnly(modifier.title, options.locale, losses, [...path, "title"]),
    guid: refOf(TOAST, modifier),
    referenceId: reference(modifier.id),
    visibility: EVERYWHERE,
    price: price(modifier.price, out),
    pricingStrategy: "BASE_PRICE",
    sku: modifier.sku ?? "",
    calories: modifier.kcal?.min ?? null,
    isDefault: modifier.default,
    allowsDuplicates: modifier.max_quantity > 1,
    modifierGroupReferences: known(modifier.nested_group_ids, view.group).map(({ id }) => reference(id)),
  };
}

const sizeGroupOf = (item: TreeItem, { reference }: Export): Referenced => ({
  name: "Size",
  guid: sizeGuid(item),
  referenceId: reference(sizeGuid(item)),
  visibility: EVERYWHERE,
  pricingStrategy: "NONE",
  minSelections: 1,
  maxSelections: 1,
  requiredMode: "REQUIRED",
  isMultiSelect: false,
  modifierOptionReferences: item.variations.map(({ id }) => reference(`${item.id} ${id}`)),
});

const sizesOf = (item: TreeItem, out: Export): Referenced[] =>
  item.variations.map((variation) => {
    const path = ["items", item.id, "variations", variation.id];
    if (variation.kcal !== null || variation.portion_text !== null) {
      out.losses.add(path, "Energy and portion of a variation are not sent.");
    }
    return {
      name: sayOnly(variation.title, out.options.locale, out.losses, [...path, "title"]),
      guid: refOf(TOAST, variation),
      referenceId: out.reference(`${item.id} ${variation.id}`),
      visibility: EVERYWHERE,
      price: price(variation.price, out),
      pricingStrategy: "BASE_PRICE",
      sku: variation.sku ?? "",
      isDefault: false,
      allowsDuplicates: false,
      modifierGroupReferences: [],
    };
  });

const preOf = (group: TreeGroup, out: Export): Referenced => ({
  name: say(group.title, out.options.locale),
  guid: `${refOf(TOAST, group)}.pre`,
  referenceId: out.reference(`${group.id}.pre`),
  preModifiers: group.pre_modifiers.map((own) => ({
    name: say(own.title, out.options.locale),
    guid: own.code,
    fixedPrice: own.fixed_price === null ? null : price(own.fixed_price, out),
    multiplicationFactor: own.factor,
    displayMode: own.position === "prefix" ? "PREFIX" : "SUFFIX",
  })),
});
