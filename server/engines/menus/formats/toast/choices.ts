import type { TreeGroup, TreeItem, TreeModifier } from "../../schema/tree.ts";
import { noteDropped } from "../dropped.ts";
import { pick, refOf, say, sayOnly } from "../tree-view.ts";
import { EVERYWHERE, TOAST, TOAST_CARRIES, price, sizeGuid } from "./export.ts";
import type { Export, Referenced } from "./export.ts";

export function groupOf(group: TreeGroup, out: Export): Referenced {
  const { options, losses, reference, view } = out;
  noteDropped("modifier_groups", group, TOAST_CARRIES.modifier_groups, losses);
  const path = ["modifier_groups", group.id];
  for (const text of [...group.pre_modifiers, ...group.portions]) {
    if (Object.keys(text.title).length > 1)
      losses.add(path, `Only one language is supported: ${options.locale} is exported.`);
  }
  for (const modifier of pick(group.modifier_ids, view.modifier)) {
    const expected = modifier.max_quantity > 1 ? (group.max ?? 1_000) : 1;
    if (modifier.max_quantity !== expected) {
      losses.add(
        ["modifiers", modifier.id, "max_quantity"],
        "Toast allows a modifier once, or as often as its group allows.",
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
    modifierOptionReferences: pick(group.modifier_ids, view.modifier).map(({ id }) => reference(id)),
  };
}

export function optionOf(modifier: TreeModifier, out: Export): Referenced {
  const { options, losses, reference, view } = out;
  const path = ["modifiers", modifier.id];
  noteDropped("modifiers", modifier, TOAST_CARRIES.modifiers, losses);
  if (modifier.kcal?.max != null)
    losses.add([...path, "kcal", "max"], "Only the lower end of the range is exported.");
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
    modifierGroupReferences: pick(modifier.nested_group_ids, view.group).map(({ id }) => reference(id)),
  };
}

export const sizeGroupOf = (item: TreeItem, { reference }: Export): Referenced => ({
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

export const sizesOf = (item: TreeItem, out: Export): Referenced[] =>
  item.variations.map((variation) => {
    const path = ["items", item.id, "variations", variation.id];
    if (variation.kcal !== null || variation.portion_text !== null) {
      out.losses.add(path, "Energy and portion of a variation are not exported.");
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

export const preOf = (group: TreeGroup, out: Export): Referenced => ({
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
