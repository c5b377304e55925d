import type { SquareObject } from "./shape.ts";

/** The location whose prices and stock are imported: the requested one, or the only one in the document. */
export function locationOf(objects: readonly SquareObject[], requested: string | undefined): string | null {
  if (requested !== undefined) return requested;
  const ids = new Set(
    objects.flatMap(({ item_data: item }) =>
      (item?.variations ?? []).flatMap(({ item_variation_data: data }) =>
        (data.location_overrides ?? []).map(({ location_id: id }) => id),
      ),
    ),
  );
  const [only] = ids;
  return ids.size === 1 ? (only ?? null) : null;
}

/** False for an object that is not present at the location. */
export function isPresent(object: SquareObject, location: string | null): boolean {
  if (location === null) return true;
  return object.present_at_all_locations === false
    ? (object.present_at_location_ids ?? []).includes(location)
    : !(object.absent_at_location_ids ?? []).includes(location);
}
