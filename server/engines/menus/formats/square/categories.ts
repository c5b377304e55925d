import { addTo } from "../add-to.ts";
import type { DraftAddition, DraftCategory, DraftItem, DraftMenu } from "../draft.ts";
import { invalid } from "../invalid.ts";
import type { Path } from "../losses.ts";
import { readSpans } from "../read-hours.ts";
import type { Day, WeekRule } from "../week.ts";
import { imagesOf, refOfId, textOf } from "./read-catalog.ts";
import type { Catalog, CatalogEntry } from "./read-catalog.ts";
import type { SquareObject } from "./shape.ts";

/** Ref of the only menu of a catalogue without menus. */
export const SQUARE_CATALOGUE = "catalog";

/** An item and the categories that it refers to. */
export interface FoundItem {
  readonly item: DraftItem;
  readonly categories: readonly { readonly id: string; readonly ordinal: number; readonly path: Path }[];
}

interface Node {
  readonly ref: string;
  readonly found: CatalogEntry;
  readonly data: NonNullable<SquareObject["category_data"]>;
  readonly parent: string | null;
}

/** Menus and categories of a catalogue, with the items that refer to them. */
export function toCategories(
  catalog: Catalog,
  items: readonly FoundItem[],
): { menus: DraftMenu[]; categories: DraftCategory[]; additions: DraftAddition[] } {
  const nodes = readNodes(catalog);
  const { membersOf, additions } = membersByCategory(items, nodes);
  const menuNodes = nodes.filter(
    ({ parent, data }) => parent === null && data.category_type === "MENU_CATEGORY",
  );
  const isMenu = new Set(menuNodes.map(({ ref }) => ref));
  const inMenus = nodes.filter(({ ref }) => !isMenu.has(ref));
  const categories = inMenus.map((node): DraftCategory => {
    const parent = node.parent === null || isMenu.has(node.parent) ? null : node.parent;
    return toCategory(node, parent, membersOf.get(node.ref) ?? [], catalog);
  });
  const childrenOf = new Map<string, string[]>();
  for (const { ref, parent } of inMenus) if (parent !== null) addTo(childrenOf, parent, ref);
  const menus = menuNodes.map((node): DraftMenu => {
    const own = membersOf.get(node.ref) ?? [];
    // Items directly in the menu are put into a category with its name.
    if (own.length > 0) categories.push(toCategory(node, null, own, catalog));
    const children = childrenOf.get(node.ref) ?? [];
    return {
      ref: node.ref,
      path: node.found.path,
      title: textOf(catalog, node.data.name),
      hours: hoursOf(node, catalog),
      currency: catalog.currency,
      categories: own.length > 0 ? [node.ref, ...children] : children,
      addsCategories: true,
    };
  });
  const roots = inMenus.filter(({ parent }) => parent === null).map(({ ref }) => ref);
  if (roots.length > 0) {
    menus.push({
      ref: SQUARE_CATALOGUE,
      path: [],
      title: textOf(catalog, "Square catalogue"),
      currency: catalog.currency,
      categories: roots,
      addsCategories: true,
    });
  }
  return { menus, categories, additions };
}

function readNodes(catalog: Catalog): Node[] {
  const nodes = catalog.of("CATEGORY").flatMap((object): Node[] => {
    const data = object.object.category_data;
    if (data == null)
      throw invalid([...object.path, "category_data"], "Required for an object of type CATEGORY.");
    if (data.category_type === "KITCHEN_CATEGORY") {
      catalog.losses.add(
        [...object.path, "category_data", "category_type"],
        "Kitchen categories are not supported.",
      );
      return [];
    }
    const parent = data.parent_category?.id;
    return [
      {
        ref: refOfId(object.object.id),
        found: object,
        data,
        parent: parent == null ? null : refOfId(parent),
      },
    ];
  });
  const order = new Map(nodes.map(({ ref, data }) => [ref, data.parent_category?.ordinal ?? 0]));
  return nodes.sort((a, b) => (order.get(a.ref) ?? 0) - (order.get(b.ref) ?? 0));
}

function membersByCategory(
  items: readonly FoundItem[],
  nodes: readonly Node[],
): { membersOf: ReadonlyMap<string, readonly string[]>; additions: DraftAddition[] } {
  const refs = new Set(nodes.map(({ ref }) => ref));
  const additions: DraftAddition[] = [];
  const members = new Map<string, { ref: string; ordinal: number }[]>();
  for (const { item, categories } of items) {
    const elsewhere = new Set<string>();
    for (const { id, ordinal, path } of categories) {
      if (!refs.has(id)) {
        if (!elsewhere.has(id)) additions.push({ category: id, items: [item.ref], path });
        elsewhere.add(id);
        continue;
      }
      addTo(members, id, { ref: item.ref, ordinal });
    }
  }
  const membersOf = new Map(
    [...members].map(([id, list]) => [id, list.sort((a, b) => a.ordinal - b.ordinal).map(({ ref }) => ref)]),
  );
  return { membersOf, additions };
}

function toCategory(
  node: Node,
  parent: string | null,
  items: readonly string[],
  catalog: Catalog,
): DraftCategory {
  const images = imagesOf(
    node.data.image_ids ?? [],
    [...node.found.path, "category_data", "image_ids"],
    catalog,
  );
  return {
    ref: node.ref,
    path: node.found.path,
    title: textOf(catalog, node.data.name),
    parent,
    items,
    addsItems: true,
    hours: hoursOf(node, catalog),
    visible: node.data.online_visibility ?? true,
    image: images[0] ?? null,
  };
}

const DAY_OF: Readonly<Record<string, Day>> = {
  MON: "mon",
  TUE: "tue",
  WED: "wed",
  THU: "thu",
  FRI: "fri",
  SAT: "sat",
  SUN: "sun",
};

function hoursOf({ found: object, data }: Node, catalog: Catalog): { rules: WeekRule[] } | null {
  const ids = data.availability_period_ids ?? [];
  if (ids.length === 0) return null;
  const spans = ids.map((id, index) => {
    const path = [...object.path, "category_data", "availability_period_ids", index];
    const period = catalog.find("AVAILABILITY_PERIOD", id);
    if (period === undefined) throw invalid(path, "No AVAILABILITY_PERIOD with this id in the document.");
    const own = period.object.availability_period_data;
    if (own == null)
      throw invalid([...period.path, "availability_period_data"], "Required for an availability period.");
    return {
      path: [...period.path, "availability_period_data"],
      day: DAY_OF[own.day_of_week] ?? "mon",
      start: own.start_local_time,
      end: own.end_local_time,
    };
  });
  return { rules: readSpans(spans, catalog.losses) };
}
