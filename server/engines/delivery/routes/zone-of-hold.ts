import { invalidField } from "../../../lib/errors.ts";
import type { Plan } from "../rules/compile-plan.ts";
import { resolveAddress } from "../rules/resolve-address.ts";
import type { SlotWindow, Zone } from "../schema.ts";

/**
 * The zone of a hold: specified, derived from the postcode, or the only one that the window serves. Null if the
 * window serves several and none is specified. Throws 422 for a zone that the window does not serve.
 */
export function zoneOfHold(
  plan: Plan,
  window: SlotWindow,
  named: {
    readonly zone_id?: string | undefined;
    readonly postcode?: string | undefined;
    readonly country?: string | undefined;
  },
): Zone | null {
  const { zone_id: zoneId, postcode, country = plan.settings.country } = named;
  if (zoneId !== undefined && postcode !== undefined) {
    throw invalidField(["postcode"], "Specify either zone_id or postcode.");
  }
  if (postcode !== undefined) {
    const address = resolveAddress(plan.index, { postcode, country }, plan.settings.autocorrect_postcodes);
    if (address.reason !== null) throw invalidField(["postcode"], address.reason.detail);
    return served(plan, window, address.match?.zoneId ?? "", "postcode");
  }
  if (zoneId !== undefined) return served(plan, window, zoneId, "zone_id");
  const [only, ...others] = window.zone_ids;
  return others.length === 0 && only !== undefined ? (plan.zonesById.get(only) ?? null) : null;
}

function served(plan: Plan, window: SlotWindow, zoneId: string, field: string): Zone {
  const zone = plan.zonesById.get(zoneId);
  if (zone !== undefined && window.zone_ids.includes(zoneId)) return zone;
  throw invalidField([field], "The slot window does not serve this zone.");
}
