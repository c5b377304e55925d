import type { TreeGroup, TreeModifier } from "../schema/tree.ts";
import type { DraftGroup, DraftModifier } from "./draft.ts";
import { mergeText, toKcal, withRef } from "./to-resources.ts";
import type { ImportContext } from "./to-resources.ts";

export function toGroup(draft: DraftGroup, before: TreeGroup | null, world: ImportContext): TreeGroup {
  const id = world.id("group", draft.ref);
  const most = draft.maxDistinct;
  return {
    ...(before ?? BLANK_GROUP),
    id,
    title: mergeText(before?.title, draft.title),
    min: draft.min,
    max: draft.max,
    ...(draft.minDistinct === undefined ? {} : { min_distinct: draft.minDistinct }),
    // A limit above the number of options is no limit.
    ...(most === undefined
      ? {}
      : { max_distinct: most === null ? null : Math.min(most, Math.max(1, draft.modifiers.length)) }),
    ...(draft.free === undefined ? {} : { free_quantity: draft.free }),
    ...(draft.defaultsCharged === undefined ? {} : { defaults_charged: draft.defaultsCharged }),
    ...(draft.substitution === undefined ? {} : { substitution: draft.substitution }),
    display_mode: draft.display ?? displayOf(draft, before),
    ...(draft.preModifiers === undefined
      ? {}
      : {
          pre_modifiers: draft.preModifiers.map(({ code, title, factor, fixedPrice, position }) => ({
            code,
            title: mergeText(before?.pre_modifiers.find((own) => own.code === code)?.title, title),
            factor,
            fixed_price: fixedPrice,
            position,
          })),
        }),
    ...(draft.portions === undefined
      ? {}
      : {
          portions: draft.portions.map(({ code, title, scale }) => ({
            code,
            title: mergeText(before?.portions.find((own) => own.code === code)?.title, title),
            scale,
          })),
        }),
    modifier_ids: draft.modifiers.map((ref) => world.id("modifier", ref)),
    ...withRef(before?.external_refs, id, world.system, draft.ref),
  };
}

const displayOf = (draft: DraftGroup, before: TreeGroup | null): TreeGroup["display_mode"] =>
  draft.min > 0 ? "required" : before?.display_mode === "forced" ? "forced" : "optional";

const BLANK_GROUP = {
  min_distinct: null,
  max_distinct: null,
  free_quantity: 0,
  free_policy: "cheapest_first" as const,
  defaults_charged: true,
  substitution: false,
  pre_modifiers: [],
  portions: [],
};

/** Its item is set once that exists. */
export function toModifier(
  draft: DraftModifier,
  before: TreeModifier | null,
  world: ImportContext,
): TreeModifier {
  const id = world.id("modifier", draft.ref);
  return {
    ...(before ?? {
      sku: null,
      item_id: null,
      product_id: null,
      default: false,
      max_quantity: 1,
      removes: [],
      removes_ingredient_ids: [],
      kcal: null,
    }),
    id,
    title: mergeText(before?.title, draft.title),
    price: draft.price,
    ...(draft.sku === undefined ? {} : { sku: draft.sku }),
    ...(draft.default === undefined ? {} : { default: draft.default }),
    ...(draft.maxQuantity === undefined ? {} : { max_quantity: Math.min(draft.maxQuantity, 1_000) }),
    nested_group_ids: draft.groups.map((ref) => world.id("group", ref)),
    ...(draft.kcal === undefined ? {} : { kcal: toKcal(draft.kcal, before?.kcal) }),
    ...withRef(before?.external_refs, id, world.system, draft.ref),
  };
}
