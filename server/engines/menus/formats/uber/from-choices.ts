import type { DraftGroup, DraftModifier } from "../draft.ts";
import type { UberGroup, UberItem, UberQuantity } from "./shape.ts";
import { foodOf, kcalOf, optionalText, stockOf, textOf } from "./reader.ts";
import type { Found } from "../losses.ts";
import type { Reader } from "./reader.ts";

export function toGroup(
  { value: group, path }: Found<UberGroup>,
  modifiers: Modifiers,
  reader: Reader,
): DraftGroup {
  const quantity = group.quantity_info?.quantity;
  return {
    ref: group.id,
    path,
    title: textOf(group.title, [...path, "title"], reader),
    min: quantity?.min_permitted ?? 0,
    max: noLimitAtZero(quantity?.max_permitted),
    minDistinct: quantity?.min_permitted_unique === 0 ? null : (quantity?.min_permitted_unique ?? null),
    maxDistinct: noLimitAtZero(quantity?.max_permitted_unique),
    free: quantity?.charge_above ?? 0,
    modifiers: (group.modifier_options ?? []).flatMap(
      ({ id }) => modifiers.get(keyOf(id, group.id))?.ref ?? id,
    ),
  };
}

const noLimitAtZero = (count: number | null | undefined): number | null =>
  count == null || count === 0 ? null : count;

type Modifiers = ReadonlyMap<string, DraftModifier>;
const keyOf = (item: string, group: string): string => JSON.stringify([item, group]);

/**
 * One modifier per option, or one per group if the groups have different prices or limits for it: then the names of
 * the later
 * ones include their group.
 */
export function toModifiers(reader: Reader): Modifiers {
  const byKey = new Map<string, DraftModifier>();
  const byRef = new Map<string, DraftModifier>();
  const options = new Map<string, Option>();
  for (const { value: group } of reader.groups.values()) {
    for (const { id } of group.modifier_options ?? []) {
      const entry = reader.items.get(id);
      if (entry === undefined) continue;
      // Read once, whatever the number of its groups.
      const option = options.get(id) ?? readOption(entry, reader);
      options.set(id, option);
      const made = toModifier(option, group.id, reader);
      const first = byRef.get(id);
      const isSame = first === undefined || sayOf(first) === sayOf(made);
      // Equal ones are the same object.
      const modifier = isSame ? (first ?? made) : { ...made, ref: `${id}.${group.id}` };
      byRef.set(modifier.ref, modifier);
      byKey.set(keyOf(id, group.id), modifier);
    }
  }
  return byKey;
}

const sayOf = ({ price, maxQuantity, default: isDefault }: DraftModifier): string =>
  JSON.stringify([price, maxQuantity, isDefault]);

/** An item as an option of any group, and its prices and quantities in groups. */
interface Option {
  readonly entry: Found<UberItem>;
  readonly modifier: Omit<DraftModifier, "price" | "default" | "maxQuantity">;
  readonly prices: ReadonlyMap<string, number>;
  readonly quantities: ReadonlyMap<string, UberQuantity>;
}

interface Override {
  readonly context_type: string;
  readonly context_value: string;
}

/** The first override for each group. */
const byGroup = <T extends Override, V>(
  overrides: readonly T[] | null | undefined,
  valueOf: (override: T) => V,
): ReadonlyMap<string, V> =>
  new Map(
    (overrides ?? [])
      .filter(({ context_type: type }) => type === "MODIFIER_GROUP")
      .toReversed()
      .map((override) => [override.context_value, valueOf(override)]),
  );

function readOption({ value: item, path }: Found<UberItem>, reader: Reader): Option {
  const { losses } = reader;
  const isItem = reader.inCategories.has(item.id);
  if (!isItem && item.image_url != null && item.image_url !== "") {
    losses.add([...path, "image_url"], "A modifier cannot have an image.");
  }
  if (!isItem && optionalText(item.description, [...path, "description"], reader) !== null)
    losses.add([...path, "description"], "A modifier cannot have a description.");
  const sku = item.external_data?.trim() ?? "";
  return {
    entry: { value: item, path },
    prices: byGroup(item.price_info.overrides, ({ price }) => price),
    quantities: byGroup(item.quantity_info?.overrides, ({ quantity }) => quantity),
    modifier: {
      ref: item.id,
      path,
      title: textOf(item.title, [...path, "title"], reader),
      ...(isItem ? { item: item.id } : {}),
      sku: sku === "" || sku.length > 64 ? null : sku,
      groups: isItem ? [] : (item.modifier_group_ids?.ids ?? []),
      ...kcalOf(item, path, losses),
      ...(isItem ? {} : { ...stockOf(item), ...foodOf(item, path, losses) }),
    },
  };
}

function toModifier({ entry, ...option }: Option, group: string, { losses }: Reader): DraftModifier {
  const { value: item, path } = entry;
  const quantity = option.quantities.get(group) ?? item.quantity_info?.quantity;
  if (quantity?.charge_above != null && quantity.charge_above > 0) {
    losses.add(
      [...path, "quantity_info"],
      "Free units are supported for a whole group, not for a single option.",
    );
  }
  if ((quantity?.default_quantity ?? 0) > 1)
    losses.add([...path, "quantity_info"], "A default can only be one unit.");
  return {
    ...option.modifier,
    price: option.prices.get(group) ?? item.price_info.price,
    default: (quantity?.default_quantity ?? 0) > 0,
    maxQuantity: noLimitAtZero(quantity?.max_permitted) ?? 1,
  };
}
