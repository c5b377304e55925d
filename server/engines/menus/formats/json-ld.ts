import { mapSteps } from "../../../lib/slices.ts";
import { withoutMarks } from "../../../lib/text/marks.ts";
import { MENU_LIMITS } from "../schema/limits.ts";
import type { LiveCategory, LiveGroup, LiveItem, LiveMenu } from "../schema/live.ts";
import { toDecimalText } from "./decimal.ts";
import { jsonPieces } from "../../../lib/json-pieces.ts";

/**
 * A published menu as schema.org data (Menu, MenuSection, MenuItem, Offer, NutritionInformation, RestrictedDiet; the
 * vocabulary of schema.org/MenuItem and schema.org/hasMenuItem). Modifier groups are sections of add-ons. Diets are
 * derived
 * from active claims only, never from the absence of ingredients. At most 5,000 add-ons: beyond that the deepest
 * levels of nested groups are left out, then the groups of later items.
 */
export interface JsonLdOptions {
  /** Language of the texts; null if mixed. */
  readonly language: string | null;
  /** Dietary claims of an item with its default modifiers. */
  readonly dietsOf: (itemId: string) => readonly string[];
  /** Whether an item is sold out. A page is stored by others for days: what only the hour of its reading does not allow is not. */
  readonly isSoldOut: (itemId: string) => boolean;
}

/**
 * Each use of a group repeats its add-ons, so nested groups multiply: a hundred resources could describe billions.
 * Search engines need none of them.
 */
const ADD_ONS_MAX = 5_000;

type Node = Readonly<Record<string, unknown>>;

/** Our claims that correspond to a RestrictedDiet of schema.org. */
const DIETS: Readonly<Record<string, string>> = {
  gluten_free: "https://schema.org/GlutenFreeDiet",
  halal: "https://schema.org/HalalDiet",
  kosher: "https://schema.org/KosherDiet",
  vegan: "https://schema.org/VeganDiet",
  vegetarian: "https://schema.org/VegetarianDiet",
};

export function* jsonLdSteps(menu: LiveMenu, options: JsonLdOptions): Generator<undefined, Node> {
  const groups = new Map(menu.modifier_groups.map((group) => [group.id, group]));
  const group = (id: string): LiveGroup | undefined => groups.get(id);
  const depth = yield* addOnDepth(menu);
  const page: Page = { ...options, currency: menu.currency, group, depth, addOnsLeft: ADD_ONS_MAX };
  return {
    "@context": "https://schema.org",
    "@type": "Menu",
    identifier: menu.menu_id,
    name: menu.title,
    ...maybe("description", menu.description),
    ...maybe("inLanguage", options.language),
    hasMenuSection: yield* sectionsOf(menu.categories, page),
  };
}

/**
 * JSON in a form that is safe inside a script element: no character can end the element or open a comment
 * (HTML living standard, restrictions for contents of script elements).
 */
const scriptSafe = (json: string): string =>
  json.replaceAll(/[<>&\u2028\u2029]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);

/** The text of a document that is safe inside a script element, in pieces. */
export function* scriptSafePieces(document: Node): Generator<string, void, undefined> {
  for (const piece of jsonPieces(document)) yield scriptSafe(piece);
}

interface Page extends JsonLdOptions {
  readonly currency: string;
  readonly group: (id: string) => LiveGroup | undefined;
  /** Levels of nested groups that the document contains. */
  readonly depth: number;
  addOnsLeft: number;
}

const maybe = (name: string, value: unknown): Node =>
  value === null || value === undefined ? {} : { [name]: value };
const list = (name: string, values: readonly unknown[]): Node =>
  values.length === 0 ? {} : { [name]: values };

/** Categories of any level: the innermost has no children. */
interface AnyCategory extends Omit<LiveCategory, "categories"> {
  readonly categories?: readonly AnyCategory[];
}

function* sectionsOf(categories: readonly AnyCategory[], page: Page): Generator<undefined, Node[]> {
  const sections: Node[] = [];
  for (const category of categories) {
    sections.push({
      "@type": "MenuSection",
      identifier: category.id,
      name: category.title,
      ...maybe("description", category.description),
      ...list("image", category.image === null ? [] : [image(category.image)]),
      ...list("hasMenuItem", yield* mapSteps(category.items, (item) => menuItem(item, page))),
      ...list("hasMenuSection", yield* sectionsOf(category.categories ?? [], page)),
    });
  }
  return sections;
}

const image = ({ url, alt }: { readonly url: string; readonly alt: string | null }): Node => ({
  "@type": "ImageObject",
  url,
  ...maybe("caption", alt),
});

function menuItem(item: LiveItem, page: Page): Node {
  const diets = page.dietsOf(item.id).flatMap((claim) => DIETS[claim] ?? []);
  return {
    "@type": "MenuItem",
    identifier: item.id,
    name: item.title,
    ...maybe("description", item.description),
    ...list("image", item.images.map(image)),
    ...list("offers", offersOf(item, page)),
    ...nutrition(item),
    ...list("suitableForDiet", diets),
    ...list("menuAddOn", addOns(groupIds(item), page, [])),
  };
}

const offer = (price: number, { currency }: Page, more: Node): Node => ({
  "@type": "Offer",
  ...more,
  price: toDecimalText(price, currency),
  priceCurrency: currency,
});

const offersOf = (item: LiveItem, page: Page): Node[] => {
  const state = outOfStock(page.isSoldOut(item.id));
  return [
    ...(item.price === null ? [] : [offer(item.price, page, { ...maybe("sku", item.sku), ...state })]),
    ...item.variations.map(({ title, price }) => offer(price, page, { name: title, ...state })),
  ];
};

const outOfStock = (isOut: boolean): Node => (isOut ? { availability: "https://schema.org/OutOfStock" } : {});

function nutrition({ kcal, portion_text: portion }: Pick<LiveItem, "kcal" | "portion_text">): Node {
  if (kcal === null && portion === null) return {};
  const calories = kcal === null ? null : `${kcal.min}${kcal.max === null ? "" : `-${kcal.max}`} kcal`;
  return {
    nutrition: {
      "@type": "NutritionInformation",
      ...maybe("calories", calories),
      ...maybe("servingSize", portion),
    },
  };
}

/** The most levels of nested groups whose add-ons fit into the document; one if even the first level does not. */
function* addOnDepth(menu: LiveMenu): Generator<undefined, number> {
  const used = itemsIn(menu.categories).flatMap(groupIds);
  let depth = 0;
  // Add-ons of a group to that depth: each group is counted once per level, however often it is used.
  let counts = new Map<string, number>();
  while (depth < MENU_LIMITS.depth) {
    const above = counts;
    const countOf = (ids: readonly string[]): number =>
      ids.reduce((sum, id) => sum + (above.get(id) ?? 0), 0);
    counts = new Map<string, number>();
    for (const { id, modifiers } of menu.modifier_groups) {
      counts.set(
        id,
        modifiers.reduce((sum, { nested_group_ids: nested }) => sum + 1 + countOf(nested), 0),
      );
      yield;
    }
    const total = used.reduce((sum, id) => sum + (counts.get(id) ?? 0), 0);
    if (depth > 0 && total > ADD_ONS_MAX) break;
    depth += 1;
  }
  return depth;
}

const itemsIn = (categories: readonly AnyCategory[]): LiveItem[] =>
  categories.flatMap((category) => [...category.items, ...itemsIn(category.categories ?? [])]);

const groupIds = (item: LiveItem): string[] => item.modifier_groups.map(({ group_id: id }) => id);

/** Groups as sections; a group that contains itself, which no published menu has, would be cut off there. */
function addOns(ids: readonly string[], page: Page, above: readonly string[]): Node[] {
  if (above.length === page.depth) return [];
  const groups = ids.filter((id) => !above.includes(id)).flatMap((id) => page.group(id) ?? []);
  return groups.flatMap((group) => {
    if (group.modifiers.length > page.addOnsLeft) return [];
    page.addOnsLeft -= group.modifiers.length;
    return [addOnSection(group, page, above)];
  });
}

const addOnSection = (group: LiveGroup, page: Page, above: readonly string[]): Node => ({
  "@type": "MenuSection",
  identifier: group.id,
  name: group.title,
  ...list(
    "hasMenuItem",
    group.modifiers.map((modifier) => ({
      "@type": "MenuItem",
      identifier: modifier.id,
      name: modifier.title,
      offers: [offer(modifier.price, page, outOfStock(!modifier.available))],
      ...nutrition({ kcal: modifier.kcal, portion_text: null }),
      ...list("menuAddOn", addOns(modifier.nested_group_ids, page, [...above, group.id])),
    })),
  ),
});

/** Our code for another system's name or id: `ON THE SIDE` is `on-the-side`. */
export function slug(text: string, fallback: string): string {
  const code = withoutMarks(text)
    .toLowerCase()
    .replaceAll(/[^a-z0-9_-]+/g, "-")
    .replace(/^[-_]+/, "")
    .slice(0, 40)
    .replace(/-+$/, "");
  return code === "" ? fallback : code;
}
