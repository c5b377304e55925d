import type {
  Draft,
  DraftFood,
  DraftGroup,
  DraftItem,
  DraftModifier,
  DraftOptions,
  DraftStock,
  DraftUse,
} from "../draft.ts";
import { DELIVERECT_ALCOHOL, DELIVERECT_TAGS, allergenOf, dietOf } from "../food-tags.ts";
import { invalid, readEntries } from "../invalid.ts";
import { createLosses } from "../losses.ts";
import type { Loss, Losses, Path } from "../losses.ts";
import { noteUnknownMembers } from "../unknown-members.ts";
import { foldVariationGroups } from "../variation-group.ts";
import { readLevels, toCategories, toMenu } from "./categories.ts";
import { DeliverectMenuPush, toProductSync } from "./menu-push.ts";
import type { PushedMenu } from "./menu-push.ts";
import { describe, imagesOf, readProducts, texts } from "./reader.ts";
import type { ListedProduct, Place, Reader } from "./reader.ts";
import { BUNDLE, DeliverectProducts, GROUP, MODIFIER, PRODUCT } from "./shape.ts";
import type { DeliverectProduct } from "./shape.ts";

/**
 * Converts a product sync to a draft: products are items, their sub-products of type 3 modifier groups, and everything
 * in
 * a group a modifier (a product in a group is a modifier that refers to that item). PLUs are the refs. The sync has no
 * menu:
 * all categories form one. Products list their categories, not vice versa, so an import only adds.
 */
export function fromDeliverect(
  body: DeliverectProducts,
  options: DraftOptions,
): { draft: Draft; losses: Loss[] } {
  const losses = createLosses(MAPS);
  noteUnknownMembers(DeliverectProducts, body, losses);
  return readSync(body, null, { options, losses, pathOf: (at) => ["products", at] });
}

/** Converts a menu that Deliverect pushes to a channel, as the product sync with the same products. */
export function fromDeliverectMenu(
  push: DeliverectMenuPush,
  options: DraftOptions,
): { draft: Draft; losses: Loss[] } {
  const losses = createLosses([...MAPS, "products", "modifierGroups", "modifiers"]);
  noteUnknownMembers(DeliverectMenuPush, push, losses);
  for (const id of Object.keys(push.menus[0]?.bundles ?? {})) {
    losses.add(["menus", 0, "bundles", id], "Bundles are not supported.", "money");
  }
  const { menu, sync, paths } = toProductSync(push);
  return readSync(sync, menu ?? null, { options, losses, pathOf: (at) => paths[at] ?? [] });
}

const MAPS = ["priceLevels", "nameTranslations", "descriptionTranslations"];

function readSync(
  body: DeliverectProducts,
  menu: PushedMenu | null,
  place: Place,
): { draft: Draft; losses: Loss[] } {
  const { losses } = place;
  const reader = readProducts(body, place);
  const all = [...reader.byPlu.values()];
  for (const { product, path } of all) {
    if (product.productType === BUNDLE) losses.add(path, "Bundles are not supported.", "money");
  }
  const groups = all.filter(({ product }) => product.productType === GROUP);
  const items = all.filter(({ product }) => product.productType === PRODUCT);
  const categories = toCategories(body, items, reader);
  const levels = readLevels(body, all, groups, losses);
  const draft: Draft = {
    menus: [
      toMenu(
        menu,
        categories.map(({ ref }) => ref),
        reader,
      ),
    ],
    categories,
    items: readEntries(items, (product) => toItem(product, reader)),
    groups: readEntries(groups, (product) => toGroup(product, reader)),
    modifiers: toModifiers(groups, reader),
    levels,
  };
  return { draft: foldVariationGroups(draft), losses: losses.list() };
}

function toItem({ product, path }: ListedProduct, reader: Reader): DraftItem {
  if (product.price == null) throw invalid([...path, "price"], "A product requires a price.");
  return {
    ref: product.plu,
    path,
    ...describe(product, path, reader),
    price: product.price,
    variations: [],
    groups: usesOf({ product, path }, reader),
    ...kcalOf(product),
    ...(product.productTags == null ? {} : tagsOf(product.productTags, path, reader.losses)),
    ...(product.multiMax == null ? {} : { maxPerOrder: product.multiMax === 0 ? null : product.multiMax }),
    images: imagesOf(product.imageUrl),
    ...stockOf(product),
  };
}

const stockOf = ({ snoozed, snoozeEnd }: DeliverectProduct): { stock?: DraftStock } =>
  snoozed === true
    ? { stock: { available: false, until: snoozeEnd ?? null, reason: "Snoozed in Deliverect" } }
    : {};

const kcalOf = ({ calories, caloriesRangeHigh: high }: DeliverectProduct) =>
  calories == null ? {} : { kcal: high == null ? { min: calories } : { min: calories, max: high } };

function tagsOf(tags: readonly number[], path: Path, losses: Losses): { food: DraftFood; alcohol: boolean } {
  const contains: string[] = [];
  const diets: string[] = [];
  for (const [at, tag] of tags.entries()) {
    const code = allergenOf(DELIVERECT_TAGS, tag);
    const diet = dietOf(DELIVERECT_TAGS, tag);
    if (code !== null) contains.push(code);
    else if (diet !== null) diets.push(diet);
    else if (tag !== DELIVERECT_ALCOHOL)
      losses.add([...path, "productTags", at], `Tag ${tag} is not supported.`);
  }
  return { food: { contains, freeFrom: [], diets }, alcohol: tags.includes(DELIVERECT_ALCOHOL) };
}

/** Sub-products that are groups. Others are not supported below a product. */
function usesOf({ product, path }: ListedProduct, reader: Reader): DraftUse[] {
  return (product.subProducts ?? []).flatMap((plu, at): DraftUse[] => {
    const here = [...path, "subProducts", at];
    const { product: sub } = reader.find(plu, here);
    if (sub.productType === GROUP) return [{ group: plu, path: here, isPlain: true }];
    reader.losses.add(here, "Only modifier groups are supported below a product or a modifier.");
    return [];
  });
}

function toGroup({ product, path }: ListedProduct, reader: Reader): DraftGroup {
  const { losses } = reader;
  if (product.price != null && product.price > 0)
    losses.add([...path, "price"], "A group cannot have a price of its own.");
  if (product.productTags != null && product.productTags.length > 0) {
    losses.add([...path, "productTags"], "A group cannot have tags of its own.");
  }
  return {
    ref: product.plu,
    path,
    title: texts(product.name, product.nameTranslations, [...path, "nameTranslations"], reader),
    min: product.min ?? 0,
    max: noLimitAtZero(product.max),
    minDistinct: product.minUniqueOptions === 0 ? null : (product.minUniqueOptions ?? null),
    maxDistinct: noLimitAtZero(product.maxUniqueOptions),
    modifiers: optionsOf({ product, path }, reader).map(({ product: option }) => option.plu),
  };
}

const noLimitAtZero = (count: number | null | undefined): number | null =>
  count == null || count === 0 ? null : count;

function optionsOf({ product, path }: ListedProduct, reader: Reader): ListedProduct[] {
  return (product.subProducts ?? []).flatMap((plu, at) => {
    const here = [...path, "subProducts", at];
    const product = reader.find(plu, here);
    if (product.product.productType === PRODUCT || product.product.productType === MODIFIER) return [product];
    reader.losses.add(here, "Only modifiers and products are supported in a modifier group.");
    return [];
  });
}

function toModifiers(groups: readonly ListedProduct[], reader: Reader): DraftModifier[] {
  const made = new Map<string, DraftModifier>();
  for (const group of groups) {
    for (const { product, path } of optionsOf(group, reader)) {
      const maxQuantity = noLimitAtZero(product.multiMax ?? group.product.multiMax) ?? 1;
      const before = made.get(product.plu);
      if (before !== undefined) {
        if (before.maxQuantity !== maxQuantity) {
          reader.losses.add(
            [...group.path, "multiMax"],
            "A modifier has the same limit in all groups: the limit of its first group is used.",
          );
        }
        continue;
      }
      made.set(product.plu, toModifier({ product, path }, maxQuantity, reader));
    }
  }
  for (const { product, path } of reader.byPlu.values()) {
    if (product.productType === MODIFIER && !made.has(product.plu)) {
      reader.losses.add(path, "No group references this modifier; it is not imported.");
    }
  }
  return [...made.values()];
}

function toModifier({ product, path }: ListedProduct, maxQuantity: number, reader: Reader): DraftModifier {
  const { losses } = reader;
  if ((product.defaultQuantity ?? 0) > 1) {
    losses.add([...path, "defaultQuantity"], "A default can only be one unit.");
  }
  const isItem = product.productType === PRODUCT;
  if (!isItem && product.description != null && product.description.trim() !== "") {
    losses.add([...path, "description"], "A modifier cannot have a description.");
  }
  if (!isItem && product.imageUrl != null && product.imageUrl !== "") {
    losses.add([...path, "imageUrl"], "A modifier cannot have an image.");
  }
  const tags = product.productTags == null ? {} : { food: tagsOf(product.productTags, path, losses).food };
  return {
    ref: product.plu,
    path,
    title: texts(product.name, product.nameTranslations, [...path, "nameTranslations"], reader),
    price: product.price ?? 0,
    default: (product.defaultQuantity ?? 0) > 0,
    maxQuantity,
    ...(isItem ? { item: product.plu } : {}),
    groups: isItem ? [] : usesOf({ product, path }, reader).map(({ group }) => group),
    ...kcalOf(product),
    ...(isItem ? {} : stockOf(product)),
    ...(isItem ? {} : tags),
  };
}
