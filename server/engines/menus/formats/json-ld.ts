import type { LiveCategory, LiveGroup, LiveItem, LiveMenu } from "../schema/live.ts";
import { toDecimalText } from "./decimal.ts";

/**
 * A published menu as schema.org data (Menu, MenuSection, MenuItem, Offer, NutritionInformation, RestrictedDiet; the
 * vocabulary of schema.org/MenuItem and schema.org/hasMenuItem). Modifier groups are sections of add-ons. Diets are
 * derived
 * from active claims only, never from the absence of ingredients.
 */
export interface JsonLdOptions {
  /** Language of the texts; null if mixed. */
  readonly language: string | null;
  /** Dietary claims of an item with its default modifiers. */
  readonly dietsOf: (itemId: string) => readonly string[];
}

type Node = Readonly<Record<string, unknown>>;

/** Our claims that correspond to a RestrictedDiet of schema.org. */
const DIETS: Readonly<Record<string, string>> = {
  gluten_free: "https://schema.org/GlutenFreeDiet",
  halal: "https://schema.org/HalalDiet",
  kosher: "https://schema.org/KosherDiet",
  vegan: "https://schema.org/VeganDiet",
  vegetarian: "https://schema.org/VegetarianDiet",
};

export function toJsonLd(menu: LiveMenu, options: JsonLdOptions): Node {
  const groups = new Map(menu.modifier_groups.map((group) => [group.id, group]));
  const page: Page = { ...options, currency: menu.currency, group: (id) => groups.get(id) };
  return {
    "@context": "https://schema.org",
    "@type": "Menu",
    identifier: menu.menu_id,
    name: menu.title,
    ...maybe("description", menu.description),
    ...maybe("inLanguage", options.language),
    hasMenuSection: menu.categories.map((category) => section(category, page)),
  };
}

/**
 * JSON that is safe inside a script element: no character can end the element or open a comment
 * (HTML living standard, restrictions for contents of script elements).
 */
export const scriptSafe = (value: unknown): string =>
  JSON.stringify(value).replaceAll(
    /[<>&\u2028\u2029]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

interface Page extends JsonLdOptions {
  readonly currency: string;
  readonly group: (id: string) => LiveGroup | undefined;
}

const maybe = (name: string, value: unknown): Node =>
  value === null || value === undefined ? {} : { [name]: value };
const list = (name: string, values: readonly unknown[]): Node =>
  values.length === 0 ? {} : { [name]: values };

/** Categories of any level: the innermost has no children. */
interface AnyCategory extends Omit<LiveCategory, "categories"> {
  readonly categories?: readonly AnyCategory[];
}

const section = (category: AnyCategory, page: Page): Node => ({
  "@type": "MenuSection",
  identifier: category.id,
  name: category.title,
  ...maybe("description", category.description),
  ...list("image", category.image === null ? [] : [image(category.image)]),
  ...list(
    "hasMenuItem",
    category.items.map((item) => menuItem(item, page)),
  ),
  ...list(
    "hasMenuSection",
    (category.categories ?? []).map((child) => section(child, page)),
  ),
});

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
    ...list(
      "menuAddOn",
      addOns(
        item.modifier_groups.map(({ group_id: id }) => id),
        page,
        [],
      ),
    ),
  };
}

const offer = (price: number, { currency }: Page, more: Node): Node => ({
  "@type": "Offer",
  ...more,
  price: toDecimalText(price, currency),
  priceCurrency: currency,
});

const offersOf = (item: LiveItem, page: Page): Node[] => [
  ...(item.price === null ? [] : [offer(item.price, page, maybe("sku", item.sku))]),
  ...item.variations.map(({ title, price }) => offer(price, page, { name: title })),
];

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

/** Groups as sections; a group that contains itself, which no published menu has, would be cut off there. */
const addOns = (ids: readonly string[], page: Page, above: readonly string[]): Node[] =>
  ids
    .filter((id) => !above.includes(id))
    .flatMap((id) => page.group(id) ?? [])
    .map((group) => ({
      "@type": "MenuSection",
      identifier: group.id,
      name: group.title,
      ...list(
        "hasMenuItem",
        group.modifiers.map((modifier) => ({
          "@type": "MenuItem",
          identifier: modifier.id,
          name: modifier.title,
          offers: [offer(modifier.price, page, {})],
          ...nutrition({ kcal: modifier.kcal, portion_text: null }),
          ...list("menuAddOn", addOns(modifier.nested_group_ids, page, [...above, group.id])),
        })),
      ),
    }));

/** Our code for another system's name or id: `ON THE SIDE` is `on-the-side`. */
export function slug(text: string, fallback: string): string {
  const code = text
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .toLowerCase()
    .replaceAll(/[^a-z0-9_-]+/g, "-")
    .replace(/^[-_]+/, "")
    .slice(0, 40)
    .replace(/-+$/, "");
  return code === "" ? fallback : code;
}
