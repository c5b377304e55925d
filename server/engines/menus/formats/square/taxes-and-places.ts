import type { DraftStock } from "../draft.ts";
import type { Path } from "../losses.ts";
import type { Catalog } from "./read-catalog.ts";
import { isPresent } from "./places.ts";
import type { LocationOverrides, SquareObject } from "./shape.ts";

type ItemData = NonNullable<SquareObject["item_data"]>;
type Override = NonNullable<LocationOverrides>[number];

/** Whether prices include tax; undefined for an item without taxes, and if no tax is in the document. */
export function taxIncludedOf(data: ItemData, path: Path, catalog: Catalog): { taxIncluded?: boolean } {
  const kinds = new Set<boolean>();
  for (const [index, id] of (data.tax_ids ?? []).entries()) {
    const tax = catalog.find("TAX", id)?.object.tax_data;
    if (tax == null) {
      catalog.losses.add(
        [...path, "tax_ids", index],
        "The tax is not in the document. Send TAX objects together with the items.",
      );
    } else if (tax.enabled !== false) kinds.add(tax.inclusion_type === "INCLUSIVE");
  }
  if (kinds.size === 0) return {};
  if (kinds.size > 1) {
    catalog.losses.add(
      [...path, "tax_ids"],
      "Some taxes are included in the price and some are added; imported as not included.",
    );
  }
  return { taxIncluded: !kinds.has(false) };
}

/** The override for the location. Overrides of several locations without a choice are reported. */
export function overrideOf(
  overrides: LocationOverrides,
  path: Path,
  { losses, location, currency }: Catalog,
): Override | null {
  const all = overrides ?? [];
  const here = [...path, "location_overrides"];
  if (all.length > 0 && location === null) {
    losses.add(
      here,
      "Prices and stock of several locations: specify location_id to import those of one location.",
      "money",
    );
  }
  const own = all.find(({ location_id: id }) => id === location) ?? null;
  if (own?.price_money != null && own.price_money.currency !== currency) {
    losses.add(here, `The price at the location is not in ${currency}; not imported.`, "money");
    return { ...own, price_money: null };
  }
  return own;
}

/** The variations that are sold at the location. */
export const soldVariations = ({ variations }: ItemData, { location }: Catalog) =>
  (variations ?? [])
    .map((variation, index) => ({ variation, index }))
    .filter(
      ({ variation }) =>
        variation.is_deleted !== true &&
        variation.item_variation_data.sellable !== false &&
        isPresent(variation, location),
    );

/** An item is sold out if all its variations are. */
export function soldOutOf(data: ItemData, path: Path, catalog: Catalog): { stock?: DraftStock } {
  const { location, losses } = catalog;
  const sold = soldVariations(data, catalog);
  const out = sold.flatMap(({ variation: { item_variation_data: own } }) =>
    (own.location_overrides ?? [])
      .filter((each) => each.location_id === location && each.sold_out === true)
      .slice(0, 1),
  );
  if (out.length === 0) return {};
  if (out.length < sold.length) {
    losses.add([...path, "variations"], "A variation cannot be sold out by itself.", "availability");
    return {};
  }
  return { stock: stockOf(out) };
}

/** Sold out until the first of the times; null: until it is restored. */
export function stockOf(out: readonly Override[]): DraftStock {
  const ends = out.flatMap(({ sold_out_valid_until: until }) => until ?? []);
  const until = ends.length < out.length ? null : ends.reduce((one, other) => (other < one ? other : one));
  return { available: false, until, reason: "Sold out in Square" };
}
