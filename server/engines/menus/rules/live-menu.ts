import { toInstant } from "../../../lib/instant.ts";
import { localAt } from "../../../lib/local-time.ts";
import { mapSteps } from "../../../lib/slices.ts";
import { listPieces } from "../../../lib/json-pieces.ts";
import type { TreeCategory, TreeItem } from "../schema/tree.ts";
import type { LiveCategory, LiveGroup, LiveItem, LiveMenu } from "../schema/live.ts";
import type { Availability } from "./availability.ts";
import { chooseDefaults } from "./choose-modifiers.ts";
import { groupsOfItem } from "./group-use.ts";
import { energyOfPart, kcalStatement, kcalText, sumKcal } from "./kcal.ts";
import { pickOptional, pickText } from "./pick-text.ts";
import type { Reader } from "./pick-text.ts";
import { allergensOf, kcalParts } from "./price-order.ts";
import type { PriceContext } from "./price-order.ts";

/**
 * A published menu for a storefront: texts in one language, prices at their level, availability and when
 * that changes, allergens and energy of each item with its default modifiers. Hidden categories are omitted. In steps
 * of one item or group.
 */
export function* liveMenuSteps(
  world: PriceContext,
  wish: { readonly version: number; readonly hideUnavailable: boolean },
): Generator<undefined, LiveMenu> {
  const { tree, reader, nowMs, labelling } = world;
  const { menu } = tree;
  yield* world.judge.modifierSteps(tree.modifiers);
  const { available, reason, nextChangeMs } = world.judge.menu();
  const local = localAt(nowMs, menu.time_zone);
  const categories: LiveCategory[] = [];
  for (const category of tree.roots) {
    if (!category.visible) continue;
    const live = yield* liveCategory(world, [], category, wish.hideUnavailable);
    if (!wish.hideUnavailable || isFilled(live)) categories.push(live);
  }
  return {
    menu_id: menu.id,
    menu_version: wish.version,
    title: pickText(menu.title, reader),
    description: pickOptional(menu.description, reader),
    currency: menu.currency,
    time_zone: menu.time_zone,
    at: toInstant(nowMs),
    local,
    channel: world.channel,
    available,
    reason: reason === "menu_schedule" || reason === "channel" ? reason : null,
    next_change_at: changeAt(nextChangeMs),
    statement: kcalStatement(labelling, menu.audience),
    categories,
    modifier_groups: yield* liveGroups(world),
  };
}

const LAST_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** Time of a change; null if beyond the last representable year. */
const changeAt = (ms: number | null): string | null => (ms === null || ms > LAST_MS ? null : toInstant(ms));

const isFilled = ({ items, categories }: LiveCategory): boolean => items.length > 0 || categories.length > 0;

function* liveCategory(
  world: PriceContext,
  above: readonly TreeCategory[],
  category: TreeCategory,
  hideUnavailable: boolean,
): Generator<undefined, LiveCategory> {
  const { tree, reader, judge } = world;
  const path = [...above, category];
  const items: LiveItem[] = [];
  for (const id of category.item_ids) {
    const item = tree.itemById.get(id);
    if (item === undefined) continue;
    const availability = judge.item(item, path);
    if (!hideUnavailable || availability.available) items.push(liveItem(world, item, availability));
    yield;
  }
  const categories: LiveCategory[] = [];
  for (const child of tree.childrenOf(category.id)) {
    if (!child.visible || path.includes(child)) continue;
    const live = yield* liveCategory(world, path, child, hideUnavailable);
    if (!hideUnavailable || isFilled(live)) categories.push(live);
  }
  return {
    id: category.id,
    title: pickText(category.title, reader),
    description: pickOptional(category.description, reader),
    image: category.image === null ? null : liveImage(category.image, reader),
    items,
    categories,
  };
}

/** The JSON text of categories in pieces of one item. */
export function* categoryPieces(categories: readonly LiveCategory[]): Generator<string, void, undefined> {
  yield "[";
  for (const [index, { items, categories: inner, ...own }] of categories.entries()) {
    yield `${index > 0 ? "," : ""}${JSON.stringify(own).slice(0, -1)},"items":`;
    yield* listPieces(items);
    yield `,"categories":`;
    yield* categoryPieces(inner);
    yield "}";
  }
  yield "]";
}

const liveImage = (image: TreeItem["images"][number], reader: Reader) => ({
  url: image.url,
  alt: pickOptional(image.alt, reader),
});

function liveItem(world: PriceContext, item: TreeItem, availability: Availability): LiveItem {
  const { tree, reader, labelling, priceOf, declaredOf } = world;
  const groups = groupsOfItem(tree, item.modifier_groups);
  const { defaults, isDish, isWhole } = chooseDefaults(tree, groups);
  const price = item.price === null ? null : priceOf({ kind: "item", id: item.id }, item.price);
  const energy = (own: LiveItem["kcal"]): Pick<LiveItem, "kcal" | "kcal_text"> => {
    const kcal = isWhole
      ? sumKcal([{ kcal: own, quantity: 1, scale: 1 }, ...kcalParts(defaults, 1, declaredOf)])
      : null;
    return { kcal, kcal_text: kcalText(kcal, labelling) };
  };
  return {
    id: item.id,
    title: pickText(item.title, reader),
    description: pickOptional(item.description, reader),
    sku: item.sku,
    product_id: item.product_id,
    price: price?.price ?? null,
    price_level_id: price?.levelId ?? null,
    variations: item.variations.map((variation) => ({
      id: variation.id,
      title: pickText(variation.title, reader),
      price: priceOf({ kind: "variation", id: variation.id, itemId: item.id }, variation.price).price,
      ...energy(variation.kcal ?? item.kcal),
      portion_text: pickOptional(variation.portion_text ?? item.portion_text, reader),
    })),
    modifier_groups: groups.map(({ group, min, max, modifiers }) => ({
      group_id: group.id,
      min,
      max,
      modifier_ids: modifiers.map(({ id }) => id),
    })),
    // A variation is another size than the portion of the product.
    ...energy(energyOfPart(item, declaredOf)),
    portion_text: pickOptional(item.portion_text, reader),
    serves: item.serves,
    tags: item.tags,
    alcohol: item.alcohol,
    age_restricted: item.age_restricted,
    max_per_order: item.max_per_order,
    images: item.images.map((image) => liveImage(image, reader)),
    ...allergensOf(declaredOf, item, { choices: defaults, isWhole: isDish }),
    available: availability.available,
    reason: availability.reason,
    next_change_at: changeAt(availability.nextChangeMs),
    quantity_left: world.stockOf(item.id)?.quantity ?? null,
  };
}

const liveGroups = ({
  tree,
  reader,
  judge,
  labelling,
  priceOf,
  declaredOf,
}: PriceContext): Generator<undefined, LiveGroup[]> =>
  mapSteps(tree.modifier_groups, (group) => ({
    id: group.id,
    title: pickText(group.title, reader),
    min: group.min,
    max: group.max,
    min_distinct: group.min_distinct,
    max_distinct: group.max_distinct,
    free_quantity: group.free_quantity,
    display_mode: group.display_mode,
    pre_modifiers: group.pre_modifiers.map(({ code, title, position }) => ({
      code,
      title: pickText(title, reader),
      position,
    })),
    portions: group.portions.map(({ code, title, scale }) => ({
      code,
      title: pickText(title, reader),
      scale,
    })),
    modifiers: group.modifier_ids
      .flatMap((id) => tree.modifierById.get(id) ?? [])
      .map((modifier) => ({
        id: modifier.id,
        title: pickText(modifier.title, reader),
        price: priceOf({ kind: "modifier", id: modifier.id }, modifier.price).price,
        default: modifier.default,
        max_quantity: modifier.max_quantity,
        nested_group_ids: modifier.nested_group_ids,
        removes: modifier.removes,
        kcal: energyOfPart(modifier, declaredOf),
        kcal_text: kcalText(energyOfPart(modifier, declaredOf), labelling),
        available: judge.modifier(modifier) === null,
      })),
  }));
