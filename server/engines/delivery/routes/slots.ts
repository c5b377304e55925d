import { z } from "zod";

import { fail, invalidParameter } from "../../../lib/errors.ts";
import { giveWay } from "../../../lib/slices.ts";
import { splitList } from "../../../lib/split-list.ts";
import { values } from "../../../core/reply.ts";
import { routesOf } from "../../../core/resource.ts";
import { Id, listFields, LocalDate } from "../../../core/schema.ts";
import type { Tx } from "../../../core/tx.ts";
import { findAddress } from "../services/find-address.ts";
import { loadPlanAt } from "../services/plan-at.ts";
import type { Horizon, Plan } from "../rules/compile-plan.ts";
import { candidatesOf, mayBeOpen } from "../rules/list-slots.ts";
import type { Candidate } from "../rules/list-slots.ts";
import type { Place } from "../rules/places.ts";
import { Country } from "../schema/settings.ts";
import { DELIVERY_LIMITS } from "../schema/limits.ts";
import { Slot, SlotStatus } from "../schema/slot.ts";
import type { Coordinates } from "../schema/zone.ts";
import { openCursor, signCursor } from "../../../core/computed-page.ts";
import { leadOfItems } from "./lead-of-items.ts";
import { isActive, locationPlace, zonePlace } from "./place-of-hold.ts";
import { CANDIDATES_AT_ONCE, readSlots } from "./read-slots.ts";
import type { SlotQuestion } from "./read-slots.ts";

const Query = z.object({
  ...listFields,
  postcode: z.string().max(64).optional(),
  latitude: z.coerce.number().min(-90).max(90).optional().meta({
    description: "With longitude: coordinates of the postcode, for zones with an area",
  }),
  longitude: z.coerce.number().min(-180).max(180).optional(),
  zone_id: Id.optional(),
  location_id: Id.optional().meta({ description: "Pickup location" }),
  country: Country.optional(),
  from: LocalDate.optional().meta({ description: "First day. Default: today" }),
  to: LocalDate.optional().meta({
    description: "Last day, within the horizon. Default: the end of the horizon",
  }),
  basket_total: z.coerce
    .number()
    .pipe(z.int().min(0))
    .optional()
    .meta({ description: "In minor units. If given, each slot includes its delivery fee" }),
  status: SlotStatus.optional(),
  channel: z
    .string()
    .max(32)
    .optional()
    .meta({ description: "delivery, pickup, dine_in or a sales channel. Default: all" }),
  items: z
    .string()
    .max(8_000)
    .optional()
    .meta({ description: "Ids of menu items, separated by commas, whose lead times the slots must leave" }),
});
type Query = z.output<typeof Query>;

const listSlots = routesOf({ id: "delivery.slots", view: Slot }).list({
  open: "public",
  summary: "List the slots of a zone, of the zone of a postcode, or of a pickup location",
  description:
    "Ordered by time. A postcode outside every zone and a zone that is not active have no slots; validate returns the reason.",
  query: Query,
  errors: [
    { type: "not_found", when: "No zone with the id zone_id, or no location with the id location_id" },
  ],
  example: { query: { postcode: "SW1A 1AA", basket_total: 2999 } },
  handle: async ({ query }, ctx) => {
    const { tx, now } = ctx;
    const plan = await loadPlanAt(tx, now);
    const cursors = { part: tx.part, list: "slots" };
    const after = openCursor(cursors, query.cursor);
    const place = await findPlace(tx.part, plan, query);
    const horizon = plan.horizonAt(now);
    const span = spanOf(query, horizon);
    const itemMinutes = await leadOfItems(ctx, itemsOf(query));
    if (place === null) return values([], { limit: query.limit });
    const question = { plan, place, now, itemMinutes, basketTotal: query.basket_total ?? null };
    // The days before that of the cursor are on earlier pages.
    const from = after === null || after.slice(0, 10) < span.from ? span.from : after.slice(0, 10);
    const candidates = candidatesOf(plan, place, { ...span, from, channel: query.channel }, horizon);
    const { items, more } = await takeSlots(tx, question, { candidates, after }, query);
    const last = items.at(-1);
    const next = more && last !== undefined ? signCursor(cursors, orderOf(last.candidate)) : null;
    return values(
      items.map(({ slot }) => slot),
      { limit: query.limit, next },
    );
  },
});

interface Taken {
  readonly slot: Slot;
  readonly candidate: Candidate;
}

/** The first slots with the status, at most `limit`, and whether there is another one. */
async function takeSlots(
  tx: Tx,
  question: SlotQuestion,
  { candidates, after }: { readonly candidates: Iterable<Candidate>; readonly after: string | null },
  { limit, status }: Query,
): Promise<{ items: Taken[]; more: boolean }> {
  const items: Taken[] = [];
  let batch: Candidate[] = [];
  const readBatch = async (): Promise<void> => {
    const slots = await readSlots(tx, question, batch);
    for (const [at, slot] of slots.entries()) {
      const candidate = batch[at];
      if (candidate !== undefined && (status === undefined || slot.status === status))
        items.push({ slot, candidate });
    }
    batch = [];
  };
  let seen = 0;
  for (const candidate of candidates) {
    seen += 1;
    if (seen % CANDIDATES_AT_ONCE === 0) await giveWay(tx.part);
    if (after !== null && orderOf(candidate) <= after) continue;
    if (!mayHave(candidate, status, question)) continue;
    batch.push(candidate);
    if (batch.length > limit) await readBatch();
    if (items.length > limit) break;
  }
  if (items.length <= limit) await readBatch();
  return { items: items.slice(0, limit), more: items.length > limit };
}

/** Only an open or full slot depends on its usage, which is read for no other then. */
function mayHave(candidate: Candidate, status: Query["status"], { now, itemMinutes }: SlotQuestion): boolean {
  if (status === undefined) return true;
  return mayBeOpen(candidate, now, itemMinutes) === (status === "open" || status === "full");
}

function itemsOf({ items }: Query): { readonly menu_item_id: string }[] {
  const ids = splitList(items);
  if (ids.length > DELIVERY_LIMITS.itemsPerRequest) {
    throw invalidParameter("items", `At most ${DELIVERY_LIMITS.itemsPerRequest} items per request.`);
  }
  return ids.map((id) => ({ menu_item_id: id }));
}

const orderOf = ({ date, window }: Candidate): string => `${date} ${window.start} ${window.id}`;

async function findPlace(part: string, plan: Plan, query: Query): Promise<Place | null> {
  const { postcode, zone_id: zoneId, location_id: locationId, country = plan.settings.country } = query;
  if ([postcode, zoneId, locationId].filter((value) => value !== undefined).length !== 1) {
    throw invalidParameter("postcode", "Specify one of postcode, zone_id and location_id.");
  }
  if (postcode === undefined) {
    const place = zonePlace(plan, zoneId) ?? locationPlace(plan, locationId);
    if (place === null)
      throw fail("not_found", `No ${zoneId === undefined ? "location" : "zone"} with this id.`);
    return isActive(place) ? place : null;
  }
  const request = { postcode, country, coordinates: coordinatesOf(query) };
  const address = await findAddress(part, plan.index, request, plan.settings.autocorrect_postcodes);
  if (address.match === null)
    throw invalidParameter("postcode", address.reason?.detail ?? "The postcode is not valid.");
  return zonePlace(plan, address.match.zoneId);
}

function coordinatesOf({ latitude, longitude }: Query): Coordinates | undefined {
  if (latitude !== undefined && longitude !== undefined) return { latitude, longitude };
  if (latitude === undefined && longitude === undefined) return undefined;
  throw invalidParameter("latitude", "Specify both latitude and longitude, or neither.");
}

function spanOf(query: Query, horizon: Horizon): { from: string; to: string } {
  const from = query.from === undefined || query.from < horizon.today ? horizon.today : query.from;
  const to = query.to ?? horizon.last;
  if (to > horizon.last)
    throw invalidParameter(
      "to",
      `\`to\` must not be later than ${horizon.last}, the last day that can be booked.`,
    );
  if (query.from !== undefined && to < query.from)
    throw invalidParameter("to", "`to` must not be earlier than `from`.");
  return { from, to };
}

export const slotRoutes = [listSlots];
