import { invalidField } from "../../../lib/errors.ts";
import { okWith, toJsonText } from "../../../core/reply.ts";
import { defineRoute } from "../../../core/route.ts";
import type { JsonText } from "../../../core/reply.ts";
import type { Tx } from "../../../core/tx.ts";
import { findAddress } from "../services/find-address.ts";
import { loadPlanAt } from "../services/plan-at.ts";
import { findBlock } from "../rules/blocked-dates.ts";
import { composeAnswer } from "../rules/compose-answer.ts";
import { judgeDay } from "../rules/judge-day.ts";
import { candidateOf, candidatesOf, splitSlotId } from "../rules/list-slots.ts";
import { defaultChannel, isOffered, placeIdOf, placeOffers } from "../rules/places.ts";
import type { Place } from "../rules/places.ts";
import { ValidateAnswer, ValidateRequest } from "../schema.ts";
import type { Reason, Slot } from "../schema/slot.ts";
import type { Plan } from "../rules/compile-plan.ts";
import { leadOfItems } from "./lead-of-items.ts";
import { locationPlace, zonePlace } from "./place-of-hold.ts";
import { readNextAsText, readNextOpen, readSlots } from "./read-slots.ts";
import type { SlotQuestion } from "./read-slots.ts";

const NEXT_SLOTS = 3;

const validate = defineRoute({
  id: "delivery.validate",
  method: "POST",
  path: "/validate",
  scope: "read",
  open: "public",
  summary: "Check whether a basket can be delivered to a postcode, when, and at what price",
  description:
    "A negative result is a 200 with deliverable false and the reasons. Slots are checked if the zone has slot " +
    "windows, or if slot_id or date is given. The fee is returned even below the minimum order. With location_id, a " +
    "pickup is checked instead; the postcode is not needed then and can be empty. A hold counts as taken, that of the customer as well: confirm it.",
  body: ValidateRequest,
  data: ValidateAnswer,
  example: {
    body: { postcode: "SW1A 1AA", basketTotal: 2999 },
  },
  handle: async ({ body }, ctx) => {
    const { tx, now } = ctx;
    const plan = await loadPlanAt(tx, now);
    const { postcode, coordinates, country = plan.settings.country, basketTotal } = body;
    const { autocorrect_postcodes: autocorrect, currency } = plan.settings;
    const found = await findAddress(tx.part, plan.index, { postcode, country, coordinates }, autocorrect);
    const pickup = body.location_id === undefined ? null : requireLocation(plan, body.location_id);
    const place = pickup ?? zonePlace(plan, found.match?.zoneId);
    const itemMinutes = body.items === undefined ? 0 : await leadOfItems(ctx, body.items);
    // A pickup does not depend on the address.
    const address = pickup === null ? found : { ...found, reason: null };
    const channel = place === null ? "" : (body.channel ?? defaultChannel(place));
    const question = { plan, place, basketTotal, now, itemMinutes, channel };
    const slots = place === null ? NO_SLOTS : await findSlots(tx, { ...question, place }, body);
    const { slot, slotReasons, nextSlots } = slots;
    const answer = composeAnswer({ address, country, currency, basketTotal, place, slot, slotReasons });
    return okWith(answer, "next_slots", nextSlots);
  },
});

function requireLocation(plan: Plan, id: string): Place {
  const place = locationPlace(plan, id);
  if (place === null) throw invalidField(["location_id"], "No location with this id.");
  return place;
}

interface SlotsResult {
  readonly slot: Slot | null;
  readonly slotReasons: readonly Reason[];
  readonly nextSlots: JsonText;
}

const NONE = toJsonText([]);
const NO_SLOTS: SlotsResult = { slot: null, slotReasons: [], nextSlots: NONE };
const only = (code: Reason["code"], detail: string): SlotsResult => ({
  ...NO_SLOTS,
  slotReasons: [{ code, detail }],
});

/** A question about one channel. */
type ChannelQuestion = SlotQuestion & { readonly channel: string; readonly basketTotal: number };

async function findSlots(
  tx: Tx,
  question: ChannelQuestion,
  { slot_id: slotId, date }: { slot_id?: string | undefined; date?: string | undefined },
): Promise<SlotsResult> {
  const { plan, place, channel } = question;
  if (!placeOffers(place, channel)) {
    return only("channel_not_offered", `The location does not offer \`${channel}\`.`);
  }
  if (slotId !== undefined) return findNamedSlot(tx, question, slotId);
  if (date !== undefined) return findDay(tx, question, date);
  if (plan.windowsOf(placeIdOf(place)).length === 0) return NO_SLOTS;
  const nextSlots = await readNextAsText(tx, question, NEXT_SLOTS);
  if (nextSlots.text !== NONE.text) return { ...NO_SLOTS, nextSlots };
  return only("no_slots", "No slot is open in the bookable period.");
}

async function findNamedSlot(tx: Tx, question: ChannelQuestion, slotId: string): Promise<SlotsResult> {
  const { plan, place, now, channel } = question;
  const { windowId, date } = splitSlotId(slotId);
  const nextSlots = toJsonText(await readNextOpen(tx, question, date, NEXT_SLOTS));
  const window = plan.windowsOf(placeIdOf(place)).find(({ id }) => id === windowId);
  const candidate =
    window === undefined ? null : candidateOf(plan, { window, place, date }, plan.horizonAt(now));
  if (candidate === null) {
    const detail = `The ${place.kind} has no slot with this id.`;
    return { ...only("slot_unknown", detail), nextSlots };
  }
  const [slot = null] = await readSlots(tx, question, [candidate]);
  if (!isOffered(candidate.window, channel)) {
    const detail = `The slot is not offered in the channel \`${channel}\`.`;
    return { ...only("channel_not_offered", detail), slot, nextSlots };
  }
  return { slot, slotReasons: slot === null || slot.reason === null ? [] : [slot.reason], nextSlots };
}

async function findDay(tx: Tx, question: ChannelQuestion, date: string): Promise<SlotsResult> {
  const { plan, place, now, channel } = question;
  const horizon = plan.horizonAt(now);
  const placeId = placeIdOf(place);
  const candidates = [...candidatesOf(plan, place, { from: date, to: date, channel }, horizon)];
  const reason = judgeDay({
    inHorizon: horizon.today <= date && date <= horizon.last,
    block: findBlock(horizon.blocks, { date, placeId, windowId: null, time: null }),
    hasWindows: plan.windowsOf(placeId).length > 0,
    slots: await readSlots(tx, question, candidates),
  });
  const nextSlots = toJsonText(await readNextOpen(tx, question, date, NEXT_SLOTS));
  return { slot: null, slotReasons: reason === null ? [] : [reason], nextSlots };
}

export const validateRoutes = [validate];
