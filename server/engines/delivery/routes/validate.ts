import { defineRoute, ok } from "../../../core/route.ts";
import type { Tx } from "../../../core/tx.ts";
import { loadPlan } from "../repository.ts";
import { findBlock } from "../rules/blocked-dates.ts";
import { composeAnswer } from "../rules/compose-answer.ts";
import { judgeDay } from "../rules/judge-day.ts";
import { candidateOf, candidatesOf, splitSlotId } from "../rules/list-slots.ts";
import { resolveAddress } from "../rules/resolve-address.ts";
import { ValidateAnswer, ValidateRequest } from "../schema.ts";
import type { Reason, Slot } from "../schema.ts";
import { exampleSlot, exampleZone } from "./examples.ts";
import { readNextOpen, readSlots } from "./read-slots.ts";
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
    "windows, or if slot_id or date is given. The fee is returned even below the minimum order.",
  body: ValidateRequest,
  data: ValidateAnswer,
  example: {
    body: { postcode: "SW1A 1AA", basketTotal: 2999 },
    data: {
      deliverable: true,
      postcode: "SW1A 1AA",
      precision: "unit",
      outcode: "SW1A",
      area: "SW",
      region: "geographic",
      country: "GB",
      estimate: false,
      zone: { id: exampleZone.id, name: exampleZone.name },
      currency: "GBP",
      basket_total: 2999,
      fee: 499,
      minimum_order: 1500,
      free_delivery_from: 5000,
      amount_to_minimum: 0,
      amount_to_free_delivery: 2001,
      slot: null,
      next_slots: [exampleSlot],
      reasons: [],
    },
  },
  handle: async ({ body }, { tx, now }) => {
    const plan = await loadPlan(tx);
    const { country = plan.settings.country, basketTotal } = body;
    const { autocorrect_postcodes: autocorrect, currency } = plan.settings;
    const address = resolveAddress(plan.index, { postcode: body.postcode, country }, autocorrect);
    const zone = plan.zonesById.get(address.match?.zoneId ?? "") ?? null;
    const slots = zone === null ? NO_SLOTS : await findSlots(tx, { plan, zone, basketTotal, now }, body);
    return ok(composeAnswer({ address, country, currency, basketTotal, zone, ...slots }));
  },
});

interface SlotsResult {
  readonly slot: Slot | null;
  readonly slotReasons: readonly Reason[];
  readonly nextSlots: readonly Slot[];
}

const NO_SLOTS: SlotsResult = { slot: null, slotReasons: [], nextSlots: [] };

async function findSlots(
  tx: Tx,
  question: SlotQuestion,
  { slot_id: slotId, date }: { slot_id?: string | undefined; date?: string | undefined },
): Promise<SlotsResult> {
  if (slotId !== undefined) return findNamedSlot(tx, question, slotId);
  if (date !== undefined) return findDay(tx, question, date);
  if (question.plan.windowsOf(question.zone.id).length === 0) return NO_SLOTS;
  const nextSlots = await readNextOpen(tx, question, "", NEXT_SLOTS);
  const none: Reason = {
    code: "no_slots",
    detail: "No delivery slot is open in the bookable period.",
  };
  return { slot: null, slotReasons: nextSlots.length === 0 ? [none] : [], nextSlots };
}

async function findNamedSlot(tx: Tx, question: SlotQuestion, slotId: string): Promise<SlotsResult> {
  const { plan, zone, now } = question;
  const { windowId, date } = splitSlotId(slotId);
  const nextSlots = await readNextOpen(tx, question, date, NEXT_SLOTS);
  const window = plan.windowsOf(zone.id).find(({ id }) => id === windowId);
  const candidate =
    window === undefined ? null : candidateOf(plan, { window, zone, date }, plan.horizonAt(now));
  if (candidate === null) {
    const unknown: Reason = {
      code: "slot_closed",
      detail: "The zone of this postcode has no slot with this id.",
    };
    return { slot: null, slotReasons: [unknown], nextSlots };
  }
  const [slot = null] = await readSlots(tx, question, [candidate]);
  return { slot, slotReasons: slot === null || slot.reason === null ? [] : [slot.reason], nextSlots };
}

async function findDay(tx: Tx, question: SlotQuestion, date: string): Promise<SlotsResult> {
  const { plan, zone, now } = question;
  const horizon = plan.horizonAt(now);
  const candidates = [...candidatesOf(plan, zone, { from: date, to: date }, horizon)];
  const reason = judgeDay({
    inHorizon: horizon.today <= date && date <= horizon.last,
    block: findBlock(horizon.blocks, { date, zoneId: zone.id, windowId: null, time: null }),
    hasWindows: plan.windowsOf(zone.id).length > 0,
    slots: await readSlots(tx, question, candidates),
  });
  const nextSlots = await readNextOpen(tx, question, date, NEXT_SLOTS);
  return { slot: null, slotReasons: reason === null ? [] : [reason], nextSlots };
}

export const validateRoutes = [validate];
