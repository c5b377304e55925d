import type { DraftImage, DraftOptions } from "../draft.ts";
import { invalid, readEntries } from "../invalid.ts";
import type { Losses, Path } from "../losses.ts";
import { isPresent, locationOf, noteRegardless } from "./places.ts";
import type { SquareCatalog, SquareObject } from "./shape.ts";

export interface CatalogEntry {
  readonly object: SquareObject;
  readonly path: Path;
}

export interface Catalog {
  readonly options: DraftOptions;
  readonly losses: Losses;
  readonly currency: string;
  /** The location whose prices and stock are imported; null: none. */
  readonly location: string | null;
  readonly of: (type: string) => readonly CatalogEntry[];
  readonly find: (type: string, id: string) => CatalogEntry | undefined;
}

const KINDS = ["ITEM", "CATEGORY", "MODIFIER_LIST", "AVAILABILITY_PERIOD", "IMAGE", "TAX"];

/** Variations and modifiers that are inside items and lists. */
const partsOf = (all: readonly CatalogEntry[]): ReadonlySet<string> =>
  new Set(
    all.flatMap(({ object }) => [
      ...(object.item_data?.variations ?? []).map(({ id }) => `ITEM_VARIATION ${id}`),
      ...(object.modifier_list_data?.modifiers ?? []).map(({ id }) => `MODIFIER ${id}`),
    ]),
  );

/** A temporary id of an upsert starts with #, followed by our id. */
export const refOfId = (id: string): string => (id.startsWith("#") && id.length > 1 ? id.slice(1) : id);

/** 422 for an empty document, a duplicate id and a second currency. */
export function readCatalog(body: SquareCatalog, options: DraftOptions, losses: Losses): Catalog {
  const lists: { path: Path; objects: readonly SquareObject[] }[] = [
    { path: ["objects"], objects: body.objects ?? [] },
    { path: ["related_objects"], objects: body.related_objects ?? [] },
    ...(body.batches ?? []).map(({ objects }, at) => ({ path: ["batches", at, "objects"], objects })),
  ];
  const all = lists.flatMap(({ path, objects }) =>
    objects.map((object, at) => ({ object, path: [...path, at] })),
  );
  if (all.length === 0) throw invalid([], "Specify objects, or batches of objects.");
  if (body.cursor != null && body.cursor !== "") {
    losses.add(["cursor"], "The catalogue has further pages: import them as well.", "availability");
  }
  const location = locationOf(
    all.map(({ object }) => object),
    options.locationId,
  );
  const parts = partsOf(all);
  const byKind = new Map<string, Map<string, CatalogEntry>>();
  readEntries(all, (object) => {
    const { type, id, is_deleted: isDeleted } = object.object;
    // A list of the whole catalogue repeats the parts of its items and lists.
    if (parts.has(`${type} ${id}`)) return;
    if (!KINDS.includes(type)) losses.add(object.path, `Objects of type ${type} are not supported.`);
    else if (isDeleted === true) losses.add(object.path, "Deleted in Square; not imported.");
    else {
      if (!isPresent(object.object, location)) {
        losses.add(object.path, `Not present at the location ${location}; not imported.`, "availability");
        return;
      }
      noteRegardless(object.object, object.path, location, losses);
      const kind = byKind.get(type) ?? new Map<string, CatalogEntry>();
      if (kind.has(refOfId(id)))
        throw invalid([...object.path, "id"], `Duplicate id: another object of type ${type} has it.`);
      byKind.set(type, kind.set(refOfId(id), object));
    }
  });
  return {
    options,
    losses,
    currency: currencyOf(all, options),
    location,
    of: (type) => [...(byKind.get(type)?.values() ?? [])],
    find: (type, id) => byKind.get(type)?.get(refOfId(id)),
  };
}

/** The currency of all prices. A menu has one, so another is refused. */
function currencyOf(all: readonly CatalogEntry[], options: DraftOptions): string {
  const found = all.flatMap(({ object, path }) => {
    const variations = object.item_data?.variations ?? [];
    const modifiers = object.modifier_list_data?.modifiers ?? [];
    const prices = [
      ...variations.map(({ item_variation_data: data }, at) => ({
        money: data.price_money,
        at: ["item_data", "variations", at, "item_variation_data"],
      })),
      ...modifiers.map(({ modifier_data: data }, at) => ({
        money: data.price_money,
        at: ["modifier_list_data", "modifiers", at, "modifier_data"],
      })),
    ];
    return prices.flatMap(({ money, at }) =>
      money == null ? [] : { currency: money.currency, path: [...path, ...at, "price_money", "currency"] },
    );
  });
  const first = found[0]?.currency ?? options.currency;
  readEntries(found, ({ currency, path }) => {
    if (currency !== first) throw invalid(path, `A menu has one currency, which is ${first} here.`);
  });
  return first;
}

export const textOf = ({ options }: Catalog, text: string) => ({ [options.locale]: text });

/** Images of the document by id; missing ones are reported. */
export function imagesOf(ids: readonly string[], at: Path, catalog: Catalog): DraftImage[] {
  return ids.flatMap((id, index) => {
    const image = catalog.find("IMAGE", id)?.object.image_data;
    if (image?.url == null || !/^https?:\/\//.test(image.url)) {
      catalog.losses.add([...at, index], "The image object is not in the document, or has no URL.");
      return [];
    }
    const caption = (image.caption ?? "").trim().slice(0, 150);
    return [{ url: image.url, alt: caption === "" ? null : textOf(catalog, caption) }];
  });
}
