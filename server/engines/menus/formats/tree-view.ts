import { inSlices, mapInSlices } from "../../../lib/slices.ts";
import type { Text } from "../schema/parts.ts";
import type {
  MenuTree,
  TreeCategory,
  TreeGroup,
  TreeItem,
  TreeModifier,
  TreeSchedule,
} from "../schema/tree.ts";
import type { Unavailable } from "../rules/stock.ts";
import type { Json, Loss, Losses, Path } from "./losses.ts";
import { toDaySpans } from "./week.ts";
import type { DaySpan } from "./week.ts";

/** Data of a product in /v1/allergens that other systems support. */
export interface ProductFacts {
  readonly contains: readonly string[];
  /** No other system has a place for it. */
  readonly may_contain: readonly string[];
  /** Claims that are claimed or certified, and not withdrawn. */
  readonly diets: readonly string[];
  /** It was verified, and is no longer: there may be more in it, and diets are not known. */
  readonly lapsed?: true;
}

export interface ExportOptions {
  /** Language for systems that support only one. */
  readonly locale: string;
  /** By product id, and of items with default modifiers by their own; a missing product is unknown, and nothing is exported about it. */
  readonly facts: ReadonlyMap<string, ProductFacts>;
  /** Items and modifiers that cannot be sold now. */
  readonly unavailable: Unavailable;
  /** For whom it is written, with pauses: see `inSlices`. */
  readonly key: string;
}

/** A menu in the format of another system, and the losses of the conversion. */
export interface Written {
  readonly data: Json;
  readonly losses: Loss[];
}

/** A tree by id, in the display order of a menu. */
export interface TreeView {
  readonly tree: MenuTree;
  readonly category: (id: string) => TreeCategory | undefined;
  readonly item: (id: string) => TreeItem | undefined;
  readonly group: (id: string) => TreeGroup | undefined;
  readonly modifier: (id: string) => TreeModifier | undefined;
  readonly schedule: (id: string) => TreeSchedule | undefined;
  readonly roots: readonly TreeCategory[];
  readonly children: (id: string) => readonly TreeCategory[];
}

export function viewOf(tree: MenuTree): TreeView {
  const categories = byId(tree.categories);
  const items = byId(tree.items);
  const groups = byId(tree.modifier_groups);
  const modifiers = byId(tree.modifiers);
  const schedules = byId(tree.schedules);
  return {
    tree,
    category: (id) => categories.get(id),
    item: (id) => items.get(id),
    group: (id) => groups.get(id),
    modifier: (id) => modifiers.get(id),
    schedule: (id) => schedules.get(id),
    roots: pick(tree.menu.category_ids, (id) => categories.get(id)),
    children: (id) =>
      tree.categories
        .filter(({ parent_id }) => parent_id === id)
        .sort((a, b) => a.sort_order - b.sort_order || (a.id < b.id ? -1 : 1)),
  };
}

/** The modifiers that are exported as modifiers; see `isSentAsItem`. */
export const ownModifiers = async (system: string, out: Exporting): Promise<TreeModifier[]> =>
  (
    await mapInSlices(out.view.tree.modifiers, out.options.key, (modifier) =>
      isSentAsItem(modifier, system, out) ? [] : [modifier],
    )
  ).flat();

interface Exporting {
  readonly view: TreeView;
  readonly options: ExportOptions;
  readonly losses: Losses;
}

/** What lists something, and where in the list it is first. */
interface Listed<T> {
  readonly list: T;
  readonly index: number;
}

/** The lists that contain an id, in their order. Read once for all ids, with pauses: a menu has up to 250,000 entries of categories. */
export async function listsById<T>(
  lists: readonly T[],
  idsOf: (list: T) => readonly string[],
  key: string,
): Promise<(id: string) => readonly Listed<T>[]> {
  const byEntry = new Map<string, Listed<T>[]>();
  for await (const list of inSlices(lists, key)) {
    for (const [index, id] of idsOf(list).entries()) {
      const before = byEntry.get(id);
      if (before === undefined) byEntry.set(id, [{ list, index }]);
      else if (before.at(-1)?.list !== list) before.push({ list, index });
    }
  }
  return (id) => byEntry.get(id) ?? [];
}

/** Until when something cannot be sold; null: not known; undefined: it can be sold. */
export const unavailableUntil = ({ unavailable }: ExportOptions, id: string): string | null | undefined =>
  Object.hasOwn(unavailable, id) ? (unavailable[id] ?? null) : undefined;

/** Reports what cannot be sold now, for systems whose menus do not contain it. */
export function noteUnavailable({ unavailable }: ExportOptions, tree: MenuTree, losses: Losses): void {
  const reason = "It cannot be sold now; the format has no stock, so mark it as sold out there as well.";
  for (const [kind, all] of [["items", tree.items] as const, ["modifiers", tree.modifiers] as const]) {
    for (const { id } of all) {
      if (Object.hasOwn(unavailable, id)) losses.add([kind, id, "stock"], reason, "availability");
    }
  }
}

/** The objects with these ids, in order; unknown ids are skipped. */
export const pick = <T>(ids: readonly string[], find: (id: string) => T | undefined): T[] =>
  ids.map(find).filter((value) => value !== undefined);

/** The id of a resource in another system: the one it was imported with, otherwise ours. */
export const refOf = (
  system: string,
  { id, external_refs }: { readonly id: string; readonly external_refs?: Refs },
): string => external_refs?.find((ref) => ref.system === system)?.id ?? id;

type Refs = readonly { readonly system: string; readonly id: string }[] | undefined;

/** A text in one language: that one, otherwise its base language, otherwise the first. */
export function say(text: Text, locale: string): string {
  const language = locale.split("-")[0] ?? locale;
  return text[locale] ?? text[language] ?? Object.values(text)[0] ?? "";
}

/** `say`, reporting the languages that are lost. */
export function sayOnly(text: Text, locale: string, losses: Losses, path: Path): string {
  if (Object.keys(text).length > 1)
    losses.add(path, `Only one language is supported: ${locale} is exported.`);
  return say(text, locale);
}

/**
 * Weekly hours for these schedules; null = always open. What a week cannot represent (first and last days, single
 * dates) is reported at `path`.
 */
export function weekOf(
  view: TreeView,
  scheduleIds: readonly string[],
  losses: Losses,
  path: Path,
): DaySpan[] | null {
  const schedules = pick(scheduleIds, view.schedule);
  if (schedules.length === 0) return null;
  for (const { valid_from, valid_until, exceptions } of schedules) {
    if (valid_from !== null || valid_until !== null)
      losses.add(path, "First and last days are not exported.");
    if (exceptions.length > 0) losses.add(path, "Hours of single dates are not exported.");
  }
  return toDaySpans(schedules.flatMap(({ rules }) => rules));
}

const byId = <T extends { readonly id: string }>(resources: readonly T[]): ReadonlyMap<string, T> =>
  new Map(resources.map((resource) => [resource.id, resource]));

/**
 * True for a modifier that is exported as its item: both were imported from one object, and are exported as one.
 * Differences between
 * the two are reported.
 */
function isSentAsItem(modifier: TreeModifier, system: string, { view, options, losses }: Exporting): boolean {
  const item = modifier.item_id === null ? undefined : view.item(modifier.item_id);
  if (item === undefined || refOf(system, item) !== refOf(system, modifier)) return false;
  if (modifier.price !== item.price) {
    losses.add(
      ["modifiers", modifier.id, "price"],
      "Exported as the item that it refers to, at the item's price.",
    );
  }
  const isOut = unavailableUntil(options, modifier.id) !== undefined;
  if (isOut && unavailableUntil(options, item.id) === undefined) {
    losses.add(
      ["modifiers", modifier.id, "stock"],
      "Exported as the item that it refers to, which can be sold.",
      "availability",
    );
  }
  return true;
}
