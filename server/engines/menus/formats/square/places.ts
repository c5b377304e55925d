import type { Losses, Path } from "../losses.ts";
import type { SquareObject } from "./shape.ts";

/** The location whose prices and stock are imported: the requested one, or the only one in the document. */
export function locationOf(objects: readonly SquareObject[], requested: string | undefined): string | null {
  if (requested !== undefined) return requested;
  const ids = new Set(
    objects.flatMap(({ item_data: item, modifier_list_data: list }) =>
      [
        ...(item?.variations ?? []).map(({ item_variation_data: data }) => data.location_overrides),
        ...(list?.modifiers ?? []).map(({ modifier_data: data }) => data.location_overrides),
      ].flatMap((overrides) => (overrides ?? []).map(({ location_id: id }) => id)),
    ),
  );
  const [only] = ids;
  return ids.size === 1 ? (only ?? null) : null;
}

type Presence = Pick<
  SquareObject,
  "present_at_all_locations" | "present_at_location_ids" | "absent_at_location_ids"
>;

/** False for an object that is not present at the location. */
export function isPresent(object: Presence, location: string | null): boolean {
  if (location === null) return true;
  return object.present_at_all_locations === false
    ? (object.present_at_location_ids ?? []).includes(location)
    : !(object.absent_at_location_ids ?? []).includes(location);
}

/** Reports what exists at some locations only, if no location is chosen. */
export function noteRegardless(object: Presence, path: Path, location: string | null, losses: Losses): void {
  const isLimited =
    object.present_at_all_locations === false || (object.absent_at_location_ids ?? []).length > 0;
  if (location !== null || !isLimited) return;
  const reason = "A menu belongs to one location: the object is imported regardless of its locations.";
  losses.add([...path, "present_at_all_locations"], reason, "availability");
}
