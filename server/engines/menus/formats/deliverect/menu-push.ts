import { z } from "zod";

import type { Path } from "../losses.ts";
import { categoryFields, PushedProduct } from "./shape.ts";
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
  menu: z.string().nullish(),
  menuId: z.string().nullish(),
  channelLinkId: z.string().nullish(),
  categories: z.array(Category).max(500),
  products: ById,
  modifierGroups: ById,
  modifiers: ById,
  bundles: z.record(z.string(), z.unknown()).nullish(),
  snoozedProducts: z.record(z.string(), z.unknown()).nullish(),
});
const Menus = z.array(Menu).length(1, "Expected one menu. Send each menu in a request of its own.");

/** The content of `body` of an asynchronous push, or `{menus}` with the list of a synchronous one. */
export const DeliverectMenuPush = z
  .looseObject({ menus: Menus, stores: Ids, callback: z.string().nullish() })
  .meta({ description: "Menus as Deliverect pushes them to a channel: {menus: […]}" });
export type DeliverectMenuPush = z.output<typeof DeliverectMenuPush>;

export interface ReadPush {
  readonly sync: DeliverectProducts;
  /** Where each product of the sync is in the push. */
  readonly paths: readonly Path[];
}

const KINDS = ["products", "modifierGroups", "modifiers"] as const;

/** The same menu as a product sync: products by their PLU, which list their categories. */
export function toProductSync({ menus }: DeliverectMenuPush): ReadPush {
  const [menu] = menus;
  const all = KINDS.flatMap((kind) =>
    Object.entries(menu?.[kind] ?? {}).map(([id, product]) => ({
      id,
      product,
      path: ["menus", 0, kind, id],
      plu: product.plu == null || product.plu === "" ? id : product.plu,
    })),
  );
  const pluOf = new Map(all.map(({ id, plu }) => [id, plu]));
  const snoozed = new Set(Object.keys(menu?.snoozedProducts ?? {}));
  // What is sold on its own and in a group has one PLU and two ids: it is one product, as in a product sync.
  const merged = new Map<string, { product: DeliverectProduct; path: Path }>();
  for (const { id, product, path, plu } of all) {
    const before = merged.get(plu);
    const categories = (menu?.categories ?? []).filter((category) => memberIds(category).includes(id));
    merged.set(plu, {
      path: before?.path ?? path,
      product: {
        ...product,
        ...before?.product,
        plu,
        posCategoryIds: [...idsOf(before?.product), ...categories.map(({ _id }) => _id)],
        subProducts: (product.subProducts ?? []).map((sub) => pluOf.get(sub) ?? sub),
        snoozed: product.snoozed === true || snoozed.has(id) || before?.product.snoozed === true,
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
  }));
  return {
    sync: { products: read.map(({ product }) => product), categories },
    paths: read.map(({ path }) => path),
  };
}

const idsOf = (product: DeliverectProduct | undefined): string[] =>
  Array.isArray(product?.posCategoryIds) ? product.posCategoryIds : [];

const memberIds = ({ products, subProducts }: PushedCategory): string[] => [
  ...(products ?? []),
  ...(subProducts ?? []),
];
