import { toMinor } from "../decimal.ts";
import type {
  DraftCategory,
  DraftGroup,
  DraftItem,
  DraftLevel,
  DraftModifier,
  DraftOptions,
  DraftPortion,
  DraftPrice,
} from "../draft.ts";
import type { Losses, Path } from "../losses.ts";
import { slug } from "../json-ld.ts";
import type { ToastIndex } from "./read-index.ts";
import type { ToastModifierGroup, ToastOption } from "./shape.ts";

/** What an option costs that has no price of its own (`GROUP_PRICE`), and how many of the first are free. */
export interface GroupPrice {
  readonly price: number;
  readonly free: number;
}

/** A price level with the first price of each item. */
export interface ReadLevel {
  readonly level: DraftLevel & { readonly prices: DraftPrice[] };
  readonly priceOf: Map<string, number>;
}

/** State of the import of a document. */
export interface ToastReader {
  readonly index: ToastIndex;
  readonly options: DraftOptions;
  readonly losses: Losses;
  /** By ref; `source` is the item as it is written in its first group, without its price. */
  readonly items: Map<string, { readonly item: DraftItem; readonly source: string; readonly menu: string }>;
  readonly menu: { readonly guid: string; readonly name: string };
  readonly categories: Map<string, DraftCategory>;
  readonly levels: Map<string, ReadLevel>;
  /** Portions that items assign to a group, by the group's guid and by their code. */
  readonly portions: Map<string, Map<string, DraftPortion>>;
  /** Guids of groups that price an item by its size. */
  readonly sizes: Set<string>;
  /** Prices of groups by guid, once they have been read. */
  readonly groupPrices: Map<string, GroupPrice>;
  /** Groups and options that exist once for each size of an item. */
  readonly split: { readonly groups: DraftGroup[]; readonly modifiers: DraftModifier[] };
  readonly toGroup: (group: ToastModifierGroup, path: Path) => DraftGroup;
  /** An option at the price of its group, where it has none of its own. */
  readonly toModifier: (entry: FoundGroup, found: FoundOption, groupPrice: number) => DraftModifier;
}

/** Adds a price to a level, which `create` makes where it is new. */
export function addPrice(
  { levels }: ToastReader,
  ref: string,
  price: DraftPrice,
  create: () => Omit<DraftLevel, "ref" | "prices">,
): void {
  const read: ReadLevel = levels.get(ref) ?? { level: { ref, ...create(), prices: [] }, priceOf: new Map() };
  levels.set(ref, read);
  read.level.prices.push(price);
  if (!read.priceOf.has(price.ref)) read.priceOf.set(price.ref, price.price);
}

export const text = (reader: ToastReader, value: string) => ({ [reader.options.locale]: value });
export const described = (reader: ToastReader, value: string | null | undefined) =>
  value == null || value.trim() === "" ? null : text(reader, value.trim());

export function minor(amount: number, path: Path, { options, losses }: ToastReader): number {
  const { minor: units, exact } = toMinor(amount, options.currency);
  if (!exact) losses.add(path, `Rounded, because it has more decimals than ${options.currency}.`);
  return units;
}

/** A guid that is a valid code is used unchanged, so that an export returns it. */
export const codeOf = (guid: string, name: string): string =>
  /^[a-z0-9][a-z0-9_-]{0,39}$/.test(guid) ? guid : slug(name, "part");

export interface FoundGroup {
  readonly reference: number;
  readonly group: ToastModifierGroup;
  readonly path: Path;
}

export interface FoundOption {
  readonly option: ToastOption;
  readonly path: Path;
}

export const optionsOf = ({ group, path }: FoundGroup, { index }: ToastReader): FoundOption[] =>
  (group.modifierOptionReferences ?? []).map((reference, at) =>
    index.option(reference, [...path, "modifierOptionReferences", at]),
  );

/** Ref of an item, group or option that one document of Toast describes differently in several places. */
export const splitRef = (guid: string, place: string): string => `${guid}@${place}`;

/** The guid in Toast of such a ref. */
export const guidOfRef = (ref: string): string => ref.split("@")[0] ?? ref;
