import { z } from "zod";

import { Instant } from "../../../../core/schema.ts";
import { addTo } from "../add-to.ts";
import type { Path } from "../losses.ts";
import { Availabilities, categoryFields, MODIFIER, PRODUCT, PushedProduct, Translations } from "./shape.ts";
import type { DeliverectProduct, DeliverectProducts } from "./shape.ts";

/**
 * The menus that Deliverect pushes to a channel: products, modifiers and groups by Mongo id, categories that list their
 * products (developers.deliverect.com, reference "menu update" and "menuStatus").
 */
const ById = z.record(z.string().min(1).max(128), PushedProduct).nullish();
const Ids = z.array(z.string().min(1).max(128)).max(500).nullish();
const Category = z.looseObject({
  ...categoryFields,
  _id: z.string().min(1).max(128),
  products: Ids,
  subProducts: Ids,
});
type PushedCategory = z.output<typeof Category>;
const Menu = z.looseObject({
  menu: z.string().max(1_000).nullish(),
  menuTranslations: Translations,
  description: z.string().max(65_535).nullish(),
  descriptionTranslations: Translations,
  menuId: z.string().max(128).nullish(),
  /** 0 delivery and pickup, 1 delivery, 2 pickup, 3 eat-in, 4 curbside. */
  menuType: z.int().min(0).max(100).nullish(),
  availabilities: Availabilities,
  channelLinkId: z.string().nullish(),
  categories: z.array(Category).max(500),
  products: ById,
  modifierGroups: ById,
  modifiers: ById,
  bundles: z.record(z.string(), z.unknown()).nullish(),
  snoozedProducts: z
    .record(z.string(), z.looseObject({ plu: z.string().nullish(), snoozeEnd: Instant.nullish() }))
    .nullish(),
});
export type PushedMenu = z.output<typeof Menu>;
const Menus = z.array(Menu).length(1, "Expected one menu. Send each menu in a request of its own.");

/** The content of `body` of an asynchronous push, or `{menus}` with the list of a synchronous one. */
export const DeliverectMenuPush = z
  .looseObject({ menus: Menus, stores: Ids, callback: z.string().nullish() })
  .meta({ description: "Menus as Deliverect pushes them to a channel: {menus: […]}" });
export type DeliverectMenuPush = z.output<typeof DeliverectMenuPush>;

export interface ReadPush {
  readonly menu: PushedMenu | undefined;
  readonly sync: DeliverectProducts;
  /** Where each product of the sync is in the push. */
  readonly paths: readonly Path[];
}

const KINDS = ["products", "modifierGroups", "modifiers"] as const;

/** The same menu as a product sync: products by their PLU, which list their categories. */
export function toProductSync({ menus }: DeliverectMenuPush): ReadPush {
  const [menu] = menus;
  const all = withPlus(menu);
  const pluOf = new Map(all.map(({ id, plu }) => [id, plu]));
  const categoriesOf = new Map<string, string[]>();
  for (const category of menu?.categories ?? [])
    for (const id of new Set(memberIds(category))) addTo(categoriesOf, id, category._id);
  const snoozed = snoozedOf(menu);
  // What is sold on its own and in a group has one PLU and two ids: it is one product, as in a product sync.
  const merged = new Map<string, { product: DeliverectProduct; path: Path; posCategoryIds: string[] }>();
  for (const { id, product, path, plu } of all) {
    const before = merged.get(plu);
    const end = snoozed.has(id) ? snoozed.get(id) : snoozed.get(product.plu ?? id);
    // At a price of its own in a group it is an option, and nothing that is sold alone.
    const isOption = plu !== product.plu && product.productType === PRODUCT;
    const categories = categoriesOf.get(id) ?? [];
    const posCategoryIds = before?.posCategoryIds ?? [];
    for (const category of categories) posCategoryIds.push(category);
    const groups = (product.subProducts ?? []).map((sub) => pluOf.get(sub) ?? sub);
    const groupsBefore = before?.product.subProducts ?? [];
    merged.set(plu, {
      path: before?.path ?? path,
      posCategoryIds,
      product: {
        ...product,
        ...before?.product,
        plu,
        ...(isOption && product.plu != null && categories.length === 0 ? { productType: MODIFIER } : {}),
        posCategoryIds,
        // What is sold on its own comes first, with its groups: as an option it often has none.
        subProducts: groupsBefore.length > 0 ? groupsBefore : groups,
        snoozed: product.snoozed === true || end !== undefined || before?.product.snoozed === true,
        ...(end == null ? {} : { snoozeEnd: end }),
      },
    });
  }
  const read = [...merged.values()];
  const categories = (menu?.categories ?? []).map((category) => ({
    posCategoryId: category._id,
    name: category.name,
    nameTranslations: category.nameTranslations,
    description: category.description,
    descriptionTranslations: category.descriptionTranslations,
    imageUrl: category.imageUrl,
    availabilities: category.availabilities,
  }));
  return {
    menu,
    sync: { products: read.map(({ product }) => product), categories },
    paths: read.map(({ path }) => path),
  };
}

/** Ends by id and by PLU; null: until it is restored. */
const snoozedOf = (menu: PushedMenu | undefined): ReadonlyMap<string, string | null> =>
  new Map(
    Object.entries(menu?.snoozedProducts ?? {}).flatMap(([key, { plu, snoozeEnd }]) =>
      [key, plu ?? key].map((ref) => [ref, snoozeEnd ?? null] as const),
    ),
  );

/** In the order of the categories. One PLU can have another price in a group than on its own: then each price is a product. */
function withPlus(menu: PushedMenu | undefined) {
  const prices = new Map<string, number>();
  const order = (menu?.categories ?? []).flatMap(memberIds);
  const places = new Map<string, number>();
  for (const [place, id] of order.entries()) if (!places.has(id)) places.set(id, place);
  const placeOf = (id: string): number => places.get(id) ?? order.length;
  const all = KINDS.flatMap((kind) =>
    Object.entries(menu?.[kind] ?? {}).map(([id, product]) => {
      const own = product.plu == null || product.plu === "" ? id : product.plu;
      const price = product.price ?? 0;
      const plu = (prices.get(own) ?? price) === price ? own : `${own}@${id}`;
      prices.set(plu, price);
      return { id, product, path: ["menus", 0, kind, id], plu };
    }),
  );
  return all.sort((a, b) => placeOf(a.id) - placeOf(b.id));
}

const memberIds = ({ products, subProducts }: PushedCategory): string[] => [
  ...(products ?? []),
  ...(subProducts ?? []),
];
