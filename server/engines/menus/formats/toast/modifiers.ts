import type { DraftGroup, DraftModifier, DraftPreModifier } from "../draft.ts";
import type { Path } from "../losses.ts";
import { priceOfGroup } from "./group-prices.ts";
import { codeOf, minor, optionsOf, text } from "./reader.ts";
import type { FoundGroup, FoundOption, ToastReader } from "./reader.ts";
import type { ToastModifierGroup } from "./shape.ts";

/** References of the groups that an item of the draft uses, including nested ones. */
export function usedGroups(reader: ToastReader): ReadonlySet<number> {
  const used = new Set<number>();
  const options = new Set<number>();
  const entries: FoundGroup[] = [];
  const use = (guid: string): void => {
    const entry = reader.index.byGuid(guid);
    if (entry === undefined || used.has(entry.reference)) return;
    used.add(entry.reference);
    entries.push(entry);
  };
  for (const { item } of reader.items.values()) for (const { group } of item.groups) use(group);
  // Grows while it is read. Each option is read once, however many groups share it.
  for (const entry of entries) {
    for (const { option, path } of optionsOf(entry, reader)) {
      if (options.has(option.referenceId)) continue;
      options.add(option.referenceId);
      for (const [at, reference] of (option.modifierGroupReferences ?? []).entries()) {
        use(reader.index.group(reference, [...path, "modifierGroupReferences", at]).guid);
      }
    }
  }
  for (const { reference, group, path } of reader.index.groups) {
    if (used.has(reference) || reader.sizes.has(group.guid)) continue;
    reader.losses.add(path, "No item uses this group; it is not imported.");
  }
  return used;
}

export function toGroup(group: ToastModifierGroup, path: Path, reader: ToastReader): DraftGroup {
  const max = group.maxSelections ?? (group.isMultiSelect === false ? 1 : null);
  return {
    ref: group.guid,
    path,
    title: text(reader, group.name),
    min: group.minSelections ?? 0,
    max,
    defaultsCharged: group.defaultOptionsChargePrice !== "NO",
    substitution: group.defaultOptionsSubstitutionPricing === "YES",
    ...(group.requiredMode == null ? {} : { display: DISPLAY[group.requiredMode] }),
    preModifiers: toPreModifiers(group, path, reader),
    portions: [...(reader.portions.get(group.guid)?.values() ?? [])],
    modifiers: optionsOf({ reference: group.referenceId, group, path }, reader).map(({ option }) =>
      reader.index.optionRef(option),
    ),
  };
}

/** Units that a group priced by sequence gives for free. */
export function freeOf(entry: FoundGroup, reader: ToastReader): { free?: number } {
  const { free } = priceOfGroup(entry, reader);
  return free === 0 ? {} : { free };
}

const DISPLAY = { REQUIRED: "required", OPTIONAL_FORCE_SHOW: "forced", OPTIONAL: "optional" } as const;

function toPreModifiers(group: ToastModifierGroup, path: Path, reader: ToastReader): DraftPreModifier[] {
  const reference = group.preModifierGroupReference;
  if (reference == null) return [];
  const entry = reader.index.preModifiers(reference, [...path, "preModifierGroupReference"]);
  return (entry.group.preModifiers ?? []).map((own, at) => ({
    code: codeOf(own.guid, own.name),
    title: text(reader, own.name),
    factor: own.multiplicationFactor ?? null,
    fixedPrice:
      own.fixedPrice == null
        ? null
        : minor(own.fixedPrice, [...entry.path, "preModifiers", at, "fixedPrice"], reader),
    position: own.displayMode === "SUFFIX" ? "suffix" : "prefix",
  }));
}

export function toModifiers(groups: readonly FoundGroup[], reader: ToastReader): DraftModifier[] {
  const made = new Map<string, DraftModifier>();
  for (const entry of groups) {
    const { price } = priceOfGroup(entry, reader);
    for (const found of optionsOf(entry, reader)) {
      const ref = reader.index.optionRef(found.option);
      if (!made.has(ref)) made.set(ref, toModifier(entry, found, { price, reader }));
    }
  }
  return [...made.values()];
}

export function toModifier(
  entry: FoundGroup,
  { option, path }: FoundOption,
  { price, reader }: { readonly price: number; readonly reader: ToastReader },
): DraftModifier {
  if (option.price == null && option.pricingStrategy !== "GROUP_PRICE") {
    reader.losses.add([...path, "price"], "An option without a price is imported as free.");
  }
  const own = option.pricingStrategy === "GROUP_PRICE" ? price : 0;
  return {
    ref: reader.index.optionRef(option),
    path,
    title: text(reader, option.name),
    price: option.price == null ? own : minor(option.price, [...path, "price"], reader),
    default: option.isDefault === true,
    maxQuantity: option.allowsDuplicates === true ? (entry.group.maxSelections ?? 1_000) : 1,
    sku: option.sku == null || option.sku.trim() === "" ? null : option.sku.trim(),
    groups: (option.modifierGroupReferences ?? []).map(
      (reference, at) => reader.index.group(reference, [...path, "modifierGroupReferences", at]).guid,
    ),
    kcal: option.calories == null || option.calories < 0 ? null : { min: option.calories },
  };
}
