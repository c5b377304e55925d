import type {
  Draft,
  DraftCategory,
  DraftFood,
  DraftGroup,
  DraftItem,
  DraftModifier,
  DraftOptions,
  DraftStock,
  DraftText,
  DraftUse,
} from "../draft.ts";
import { DELIVERECT_ALCOHOL, DELIVERECT_TAGS } from "../food-tags.ts";
import { invalid } from "../invalid.ts";
import { withTranslations } from "../locale.ts";
import { createLosses } from "../losses.ts";
import type { Loss, Losses, Path } from "../losses.ts";
import { createLevelReader } from "../price-lists.ts";
import { allergenOf, dietOf } from "../read-food.ts";
import { noteUnknownMembers } from "../unknown-members.ts";
import { foldVariationGroups } from "../variation-group.ts";
import { DeliverectMenuPush, toProductSync } from "./menu-push.ts";
import { DeliverectProducts } from "./shape.ts";
import type { DeliverectProduct } from "./shape.ts";

/** Ref of the menu of a product sync, which has no menus of its own. */
const DELIVERECT_MENU = "products";

const PRODUCT = 1;
const MODIFIER = 2;
const GROUP = 3;
const BUNDLE = 4;

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
  return readSync(body, { options, losses, pathOf: (at) => ["products", at] });
}

/** Converts a menu that Deliverect pushes to a channel, as the product sync with the same products. */
export function fromDeliverectMenu(
  push: DeliverectMenuPush,
  options: DraftOptions,
): { draft: Draft; losses: Loss[] } {
  const losses = createLosses([...MAPS, "products", "modifierGroups", "modifiers"]);
  noteUnknownMembers(DeliverectMenuPush, push, losses);
  const { sync, paths } = toProductSync(push);
  return readSync(sync, { options, losses, pathOf: (at) => paths[at] ?? [] });
}

const MAPS = ["priceLevels", "nameTranslations", "descriptionTranslations"];

interface Place {
  readonly options: DraftOptions;
  readonly losses: Losses;
  /** Path of a product by its index. */
  readonly pathOf: (index: number) => Path;
}

function readSync(body: DeliverectProducts, place: Place): { draft: Draft; losses: Loss[] } {
  const { options, losses } = place;
  const reader = readProducts(body, place);
  const all = [...reader.byPlu.values()];
  for (const { product, path } of all) {
    if (product.productType === BUNDLE) losses.add(path, "Bundles are not supported.");
  }
  const groups = all.filter(({ product }) => product.productType === GROUP);
  const items = all.filter(({ product }) => product.productType === PRODUCT);
  const categories = toCategories(body, items, reader);
  const levels = readLevels(body, all, groups, losses);
  const draft: Draft = {
    menus: [
      {
        ref: DELIVERECT_MENU,
        path: ["categories"],
        title: { [options.locale]: "Deliverect products" },
        currency: options.currency,
        categories: categories.map(({ ref }) => ref),
        addsCategories: true,
      },
    ],
    categories,
    items: items.map((product) => toItem(product, reader)),
    groups: groups.map((product) => toGroup(product, reader)),
    modifiers: toModifiers(groups, reader),
    levels,
  };
  return { draft: foldVariationGroups(draft), losses: losses.list() };
}

interface ListedProduct {
  readonly product: DeliverectProduct;
  readonly path: Path;
}

interface Reader {
  readonly options: DraftOptions;
  readonly losses: Losses;
  readonly byPlu: ReadonlyMap<string, ListedProduct>;
  readonly find: (plu: string, path: Path) => ListedProduct;
}

function readProducts(body: DeliverectProducts, { options, losses, pathOf }: Place): Reader {
  const byPlu = new Map<string, ListedProduct>();
  for (const [at, product] of body.products.entries()) {
    const path = pathOf(at);
    if (byPlu.has(product.plu)) throw invalid([...path, "plu"], "Duplicate PLU: another product has it.");
    byPlu.set(product.plu, { product, path });
  }
  return {
    options,
    losses,
    byPlu,
    find(plu, path) {
      const product = byPlu.get(plu);
      if (product === undefined) throw invalid(path, `No product with the PLU ${plu}.`);
      return product;
    },
  };
}

function texts(
  text: string,
  translations: DeliverectProduct["nameTranslations"],
  path: Path,
  { options, losses }: Reader,
): DraftText {
  return withTranslations(text, translations, {
    locale: options.locale,
    skip: (name) => losses.add([...path, name], "Not a valid language tag."),
  });
}

type Described = Pick<
  DeliverectProduct,
  "name" | "nameTranslations" | "description" | "descriptionTranslations"
>;

const describe = (product: Described, path: Path, reader: Reader) => ({
  title: texts(product.name, product.nameTranslations, [...path, "nameTranslations"], reader),
  description:
    product.description == null || product.description.trim() === ""
      ? null
      : texts(
          product.description,
          product.descriptionTranslations,
          [...path, "descriptionTranslations"],
          reader,
        ),
});

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

const stockOf = ({ snoozed }: DeliverectProduct): { stock?: DraftStock } =>
  snoozed === true ? { stock: { available: false, until: null, reason: "Snoozed in Deliverect" } } : {};

const imagesOf = (url: string | null | undefined) => (url == null || url === "" ? [] : [{ url, alt: null }]);

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

function toCategories(
  body: DeliverectProducts,
  items: readonly ListedProduct[],
  reader: Reader,
): DraftCategory[] {
  const members = new Map<string, string[]>();
  const categoryIds = new Set((body.categories ?? []).map(({ posCategoryId: id }) => id));
  for (const { product, path } of items) {
    const ids =
      typeof product.posCategoryIds === "string" ? [product.posCategoryIds] : (product.posCategoryIds ?? []);
    for (const id of ids.filter((each) => each !== "")) {
      if (categoryIds.has(id)) members.set(id, [...(members.get(id) ?? []), product.plu]);
      else reader.losses.add([...path, "posCategoryIds"], "No category with this id in the document.");
    }
  }
  const seen = new Set<string>();
  return (body.categories ?? []).map((category, at) => {
    const path = ["categories", at];
    if (seen.has(category.posCategoryId)) {
      throw invalid([...path, "posCategoryId"], "Duplicate id: another category has it.");
    }
    seen.add(category.posCategoryId);
    return {
      ref: category.posCategoryId,
      path,
      ...describe(category, path, reader),
      items: members.get(category.posCategoryId) ?? [],
      addsItems: true,
      ...(category.imageUrl == null ? {} : { image: imagesOf(category.imageUrl)[0] ?? null }),
    };
  });
}

function readLevels(
  body: DeliverectProducts,
  all: readonly ListedProduct[],
  groups: readonly ListedProduct[],
  losses: Losses,
): Draft["levels"] {
  const reader = createLevelReader();
  const titles = new Map((body.priceLevels ?? []).map(({ posId, name }) => [posId, name]));
  const inGroups = new Set(groups.flatMap(({ product }) => product.subProducts ?? []));
  for (const { product, path } of all) {
    for (const [ref, price] of Object.entries(product.priceLevels ?? {})) {
      const list = { ref, title: titles.get(ref) ?? ref, path: [...path, "priceLevels", ref] };
      if (product.productType === PRODUCT) reader.add(list, { kind: "item", ref: product.plu, price });
      if (inGroups.has(product.plu)) reader.add(list, { kind: "modifier", ref: product.plu, price });
      if (product.productType > MODIFIER)
        losses.add(list.path, "Only products and modifiers can have prices.");
    }
  }
  return reader.levels();
}
