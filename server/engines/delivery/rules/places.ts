import { minutesOf, WEEKDAYS } from "../../../lib/local-time.ts";
import { METHODS } from "../schema/zone.ts";
import type { Location } from "../schema/location.ts";
import type { SlotWindow } from "../schema/slot.ts";
import type { Zone } from "../schema/zone.ts";

/** Where the orders of a slot go: to a zone, or to a pickup location, which has no fee and no minimum order. */
export type Place =
  | { readonly kind: "zone"; readonly zone: Zone }
  | { readonly kind: "location"; readonly location: Location };

export const placeIdOf = (place: Place): string =>
  place.kind === "zone" ? place.zone.id : place.location.id;

/** Fees and minimum of a place. */
export const termsOf = (place: Place): Pick<Zone, "fee_tiers" | "free_from" | "minimum_order"> =>
  place.kind === "zone" ? place.zone : { fee_tiers: [], free_from: null, minimum_order: 0 };

export const leadOf = (place: Place): number | null =>
  place.kind === "zone" ? place.zone.lead_minutes : place.location.lead_minutes;

/** The channel of a request that specifies none. */
export const defaultChannel = (place: Place): string =>
  place.kind === "zone" ? "delivery" : (place.location.channels[0] ?? "pickup");

/**
 * True if a window is offered in a channel. A list without any of `delivery`, `pickup` and `dine_in` restricts the
 * sales channels only, so all three are offered.
 */
export function isOffered({ channels }: Pick<SlotWindow, "channels">, channel: string): boolean {
  if (channels.length === 0 || channels.includes(channel)) return true;
  return isMethod(channel) && !channels.some(isMethod);
}

/** True if a place offers a channel: a zone delivers, a location has its own channels; sales channels are for both. */
export const placeOffers = (place: Place, channel: string): boolean =>
  !isMethod(channel) ||
  (place.kind === "zone" ? true : place.location.channels.some((offered) => offered === channel));

const isMethod = (channel: string): boolean => METHODS.some((method) => method === channel);

/** True if the slot of a window on a weekday is within the opening hours of its location. */
export function isInHours(
  place: Place,
  { start, end }: Pick<SlotWindow, "start" | "end">,
  weekday: (typeof WEEKDAYS)[number],
): boolean {
  if (place.kind === "zone" || place.location.hours.length === 0) return true;
  const slot = spanOf(start, end);
  const dayAt = (offset: number) => WEEKDAYS[(WEEKDAYS.indexOf(weekday) + offset + 7) % 7] ?? weekday;
  const open = [-1, 0, 1].flatMap((offset) =>
    place.location.hours
      .filter(({ days }) => days.includes(dayAt(offset)))
      .map((hours) => {
        const { from, to } = spanOf(hours.start, hours.end);
        return { from: from + offset * DAY_MINUTES, to: to + offset * DAY_MINUTES };
      }),
  );
  // From 09:00 to 12:00 and from 12:00 to 18:00 is open throughout.
  let until = slot.from;
  for (const { from, to } of open.sort((a, b) => a.from - b.from))
    if (from <= until) until = Math.max(until, to);
  return slot.to <= until;
}

const DAY_MINUTES = 1440;

/** Minutes from midnight; an end at or before the start is on the next day. */
function spanOf(start: string, end: string): { readonly from: number; readonly to: number } {
  const from = minutesOf(start);
  const to = minutesOf(end);
  return { from, to: to <= from ? to + DAY_MINUTES : to };
}
