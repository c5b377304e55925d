import type { TreeGroup, TreeItem, TreeModifier } from "../../schema/tree.ts";
import { noteDropped } from "../dropped.ts";
import { UBER_TAGS, wordsOf } from "../food-tags.ts";
import { pick, refOf } from "../tree-view.ts";
import { variationGroupOf } from "../variation-group.ts";
import { UBER, UBER_CARRIES, energy, suspension, texts } from "./export.ts";
import type { Json } from "../losses.ts";
import type { Export } from "./export.ts";

export function modifierOf(modifier: TreeModifier, out: Export): Json {
  const { view, options, losses } = out;
  const path = ["modifiers", modifier.id];
  noteDropped("modifiers", modifier, UBER_CARRIES.modifiers, losses);
  const food = wordsOf(UBER_TAGS, options.facts, modifier.product_id, { losses, path });
  return {
    id: refOf(UBER, modifier),
    ...(modifier.sku === null ? {} : { external_data: modifier.sku }),
    title: texts(modifier.title),
    price_info: { price: modifier.price, overrides: [] },
    quantity_info: {
      quantity: {},
      overrides: out.groupsOf(modifier.id).map(({ list: group }) => ({
        context_type: "MODIFIER_GROUP",
        context_value: refOf(UBER, group),
        quantity: {
          max_permitted: modifier.max_quantity,
          ...(modifier.default ? { default_quantity: 1 } : {}),
        },
      })),
    },
    modifier_group_ids: {
      ids: pick(modifier.nested_group_ids, view.group).map((group) => refOf(UBER, group)),
      overrides: [],
    },
    tax_info: {},
    ...suspension(options, modifier.id),
    ...(modifier.kcal === null && food.allergens.length === 0
      ? {}
      : {
          nutritional_info: {
            ...energy(modifier.kcal),
            ...(food.allergens.length === 0 ? {} : { allergens: food.allergens }),
          },
        }),
    ...(food.diets.length === 0
      ? {}
      : { dish_info: { classifications: { dietary_label_info: { labels: food.diets } } } }),
  };
}

export function groupOf(group: TreeGroup, { view, losses, usesOf }: Export): Json {
  noteDropped("modifier_groups", group, UBER_CARRIES.modifier_groups, losses);
  const modifiers = pick(group.modifier_ids, view.modifier);
  if (group.free_quantity > 0 && new Set(modifiers.map(({ price }) => price)).size > 1) {
    losses.add(
      ["modifier_groups", group.id, "free_quantity"],
      "Uber Eats requires one price for all options of a group with free units.",
    );
  }
  const uses = usesOf(group.id).flatMap(({ list: item, index }) => {
    const use = item.modifier_groups[index];
    const quantity = {
      ...(use?.min === undefined ? {} : { min_permitted: use.min }),
      ...(use?.max == null ? {} : { max_permitted: use.max }),
    };
    return Object.keys(quantity).length === 0
      ? []
      : [{ context_type: "ITEM", context_value: refOf(UBER, item), quantity }];
  });
  return {
    id: refOf(UBER, group),
    title: texts(group.title),
    quantity_info: {
      quantity: {
        min_permitted: group.min,
        ...(group.max === null ? {} : { max_permitted: group.max }),
        ...(group.free_quantity === 0 ? {} : { charge_above: group.free_quantity }),
        ...(group.min_distinct === null ? {} : { min_permitted_unique: group.min_distinct }),
        ...(group.max_distinct === null ? {} : { max_permitted_unique: group.max_distinct }),
      },
      overrides: uses,
    },
    modifier_options: modifiers.map((modifier) => ({ id: refOf(UBER, modifier), type: "ITEM" })),
  };
}

export function sizeGroup(item: TreeItem): Json[] {
  const sizes = variationGroupOf(item, refOf(UBER, item));
  if (sizes === null) return [];
  return [
    {
      id: sizes.id,
      title: { translations: { en: "Size" } },
      quantity_info: { quantity: { min_permitted: 1, max_permitted: 1 }, overrides: [] },
      modifier_options: sizes.options.map(({ variation }) => ({ id: refOf(UBER, variation), type: "ITEM" })),
    },
  ];
}

export function sizeItems(item: TreeItem, { losses }: Export): Json[] {
  const sizes = variationGroupOf(item, refOf(UBER, item));
  return (sizes?.options ?? []).map(({ variation, price }) => {
    if (variation.kcal !== null || variation.portion_text !== null) {
      losses.add(
        ["items", item.id, "variations", variation.id],
        "Energy and portion of a variation are not exported.",
      );
    }
    return {
      id: refOf(UBER, variation),
      ...(variation.sku === null ? {} : { external_data: variation.sku }),
      title: texts(variation.title),
      price_info: { price, overrides: [] },
      tax_info: {},
    };
  });
}
