import { invalidField } from "../../../lib/errors.ts";
import type { Plan } from "../rules/compile-plan.ts";
import type { Place } from "../rules/places.ts";
import { findAddress } from "../services/find-address.ts";
import type { Coordinates } from "../schema/zone.ts";
import type { SlotWindow } from "../schema/slot.ts";

/** How a request specifies where an order goes. */
export interface NamedPlace {
  readonly zone_id?: string | undefined;
  readonly location_id?: string | undefined;
  readonly postcode?: string | undefined;
  readonly country?: string | undefined;
  readonly coordinates?: Coordinates | undefined;
}

/**
 * The place of a hold: specified, derived from the postcode, or the only one that the window serves. Null if the
 * window serves several and none is specified. Throws 422 for a place that the window does not serve, and where it serves none.
 */
export async function placeOfHold(
  part: string,
  plan: Plan,
  window: SlotWindow,
  named: NamedPlace,
): Promise<Place | null> {
  const { zone_id: zoneId, location_id: locationId, postcode, country = plan.settings.country } = named;
  if (Object.values({ zoneId, locationId, postcode }).filter((id) => id !== undefined).length > 1) {
    throw invalidField(["postcode"], "Specify only one of zone_id, location_id and postcode.");
  }
  if (postcode !== undefined) {
    const request = { postcode, country, coordinates: named.coordinates };
    const address = await findAddress(part, plan.index, request, plan.settings.autocorrect_postcodes);
    if (address.reason !== null) throw invalidField(["postcode"], address.reason.detail);
    return served(window, zonePlace(plan, address.match?.zoneId), "postcode");
  }
  if (locationId !== undefined) return served(window, locationPlace(plan, locationId), "location_id");
  if (zoneId !== undefined) return served(window, zonePlace(plan, zoneId), "zone_id");
  const [only, ...others] = [...window.zone_ids, ...window.location_ids]
    .flatMap((id) => plan.places.get(id) ?? [])
    .filter(isActive);
  if (only === undefined)
    throw invalidField(["slot_id"], "The slot window serves no active zone or location.");
  return others.length === 0 ? only : null;
}

/** False for a zone that takes no orders now. */
export const isActive = (place: Place): boolean => place.kind === "location" || place.zone.active;

export function zonePlace(plan: Plan, id: string | null | undefined): Place | null {
  const place = plan.places.get(id ?? "");
  return place?.kind === "zone" ? place : null;
}

export function locationPlace(plan: Plan, id: string | null | undefined): Place | null {
  const place = plan.places.get(id ?? "");
  return place?.kind === "location" ? place : null;
}

function served(window: SlotWindow, place: Place | null, field: string): Place {
  if (place?.kind === "zone" && window.zone_ids.includes(place.zone.id)) return place;
  if (place?.kind === "location" && window.location_ids.includes(place.location.id)) return place;
  const noun = field === "location_id" ? "location" : "zone";
  throw invalidField([field], `The slot window does not serve this ${noun}.`);
}
