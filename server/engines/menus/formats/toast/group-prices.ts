import { IMPORT_ROWS_MAX, refuse } from "../check-draft.ts";
import type { DraftGroup, DraftItem, DraftModifier } from "../draft.ts";
import type { Path } from "../losses.ts";
import { minor, optionsOf, splitRef, text } from "./reader.ts";
import type { FoundGroup, FoundOption, GroupPrice, ToastReader } from "./reader.ts";
import type { ToastItem, ToastModifierGroup } from "./shape.ts";

type Sequence = readonly { readonly sequence: number; readonly price?: number | null | undefined }[];

/**
 * A price by sequence: leading zeros are free units. Where the others differ, each costs what the dearest does, and the
 * difference is reported: never less than Toast charges.
 */
function priceOfSequence(sequence: Sequence, path: Path, reader: ToastReader): GroupPrice {
  const prices = [...sequence]
    .sort((a, b) => a.sequence - b.sequence)
    .map(({ price }) => (price == null ? 0 : minor(price, path, reader)));
  const firstPaid = prices.findIndex((price) => price > 0);
  if (firstPaid < 0) return { price: 0, free: 0 };
  const paid = prices.slice(firstPaid);
  const price = Math.max(...paid);
  if (paid.some((each) => each !== price)) {
    const reason = "Prices that change with each further option are not supported; the highest is imported.";
    reader.losses.add(path, reason, "money");
  }
  return { price, free: firstPaid };
}

const rulesOf = (group: ToastModifierGroup) => group.pricingRules?.sizeSequencePricingRules ?? [];
const RULES = ["pricingRules", "sizeSequencePricingRules"];

/** The price of a group for an item without sizes; reported where it depends on a size. */
export function priceOfGroup(entry: FoundGroup, reader: ToastReader): GroupPrice {
  const { guid } = entry.group;
  const price = reader.groupPrices.get(guid) ?? readPrice(entry, reader);
  reader.groupPrices.set(guid, price);
  return price;
}

function readPrice({ group, path }: FoundGroup, reader: ToastReader): GroupPrice {
  const rules = rulesOf(group);
  if (group.pricingStrategy == null || group.pricingStrategy === "NONE" || rules.length === 0)
    return { price: 0, free: 0 };
  const here = [...path, ...RULES];
  const prices = rules.map(({ sequencePrices }) => priceOfSequence(sequencePrices ?? [], here, reader));
  const [first = { price: 0, free: 0 }] = prices;
  if (prices.every(({ price, free }) => price === first.price && free === first.free)) return first;
  const reason = "The price depends on a size that the item does not have; the highest is imported.";
  reader.losses.add(here, reason, "money");
  return { price: Math.max(...prices.map(({ price }) => price)), free: 0 };
}

export const isPricedBySize = ({ pricingStrategy, ...group }: ToastModifierGroup): boolean =>
  (pricingStrategy === "SIZE_PRICE" || pricingStrategy === "SIZE_SEQUENCE_PRICE") &&
  rulesOf({ ...group, pricingStrategy }).length > 1;

/**
 * An item whose options cost another price for each size: its sizes are a group that has to be chosen, and each size
 * brings the options at its own prices.
 */
export function splitBySize(
  item: ToastItem,
  size: FoundGroup,
  groups: readonly FoundGroup[],
  reader: ToastReader,
): Pick<DraftItem, "groups" | "price"> {
  const { losses } = reader;
  const sized = groups.filter(({ group }) => isPricedBySize(group));
  const sizeRef = splitRef(size.group.guid, item.guid);
  const modifiers = optionsOf(size, reader).map(({ option, path }): DraftModifier => {
    if (option.price == null)
      losses.add([...path, "price"], "A size without a price is imported as free.", "money");
    const nested = sized.map((entry) => optionsForSize(entry, option, { item, reader }));
    return {
      ref: splitRef(option.guid, item.guid),
      path,
      title: text(reader, option.name),
      price: option.price == null ? 0 : minor(option.price, [...path, "price"], reader),
      default: option.isDefault === true,
      maxQuantity: 1,
      sku: option.sku == null || option.sku.trim() === "" ? null : option.sku.trim(),
      groups: nested,
    };
  });
  const { path } = size;
  reader.split.groups.push({
    ref: sizeRef,
    path,
    title: text(reader, size.group.name),
    min: 1,
    max: 1,
    display: "required",
    modifiers: modifiers.map(({ ref }) => ref),
  });
  reader.split.modifiers.push(...modifiers);
  for (const { group } of [size, ...sized]) reader.sizes.add(group.guid);
  const plain = groups.filter((entry) => !sized.includes(entry));
  return {
    price: 0,
    groups: [
      { group: sizeRef, path, isPlain: true },
      ...plain.map((entry) => ({ group: entry.group.guid, path: entry.path, isPlain: true })),
    ],
  };
}

/** The options of a group at the prices of a size: the ref of the group that has them. */
function optionsForSize(
  entry: FoundGroup,
  size: FoundOption["option"],
  { item, reader }: { readonly item: ToastItem; readonly reader: ToastReader },
): string {
  const { group, path } = entry;
  const place = `${size.guid}.${item.guid}`;
  const ref = splitRef(group.guid, place);
  // Sizes match by guid, and by name where another group defines the same sizes.
  const rules = rulesOf(group);
  const rule =
    rules.find(({ sizeGuid }) => sizeGuid === size.guid) ??
    rules.find(({ sizeName }) => sizeName === size.name);
  const here = [...path, ...RULES];
  if (rule === undefined)
    reader.losses.add(here, `No price for the size ${size.name}; imported as free.`, "money");
  const price = priceOfSequence(rule?.sequencePrices ?? [], here, reader);
  const options = optionsOf(entry, reader);
  // Sizes, groups, options and items multiply: a short document could describe millions of options.
  if (reader.split.modifiers.length + options.length > IMPORT_ROWS_MAX) {
    const detail = `With options for each size it contains more than ${IMPORT_ROWS_MAX} objects. Split it into several requests.`;
    throw refuse([{ path: [], detail }]);
  }
  reader.split.groups.push({
    ...reader.toGroup(group, path),
    ref,
    free: price.free,
    modifiers: options.map(({ option }) => splitRef(reader.index.optionRef(option), place)),
  } satisfies DraftGroup);
  reader.split.modifiers.push(
    ...options.map((found) => {
      const modifier = reader.toModifier(entry, found, price.price);
      return { ...modifier, ref: splitRef(modifier.ref, place) };
    }),
  );
  return ref;
}
