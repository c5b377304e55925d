import { toJsonText } from "../../../core/reply.ts";
import type { JsonText } from "../../../core/reply.ts";
import type { Stored, Tx } from "../../../core/tx.ts";
import { giveWay } from "../../../lib/slices.ts";
import { readUsages, slotUsages } from "../repository.ts";
import type { Horizon, Plan } from "../rules/compile-plan.ts";
import { nextExpiry } from "../rules/hold-usage.ts";
import { candidatesOf, mayBeOpen, toSlot } from "../rules/list-slots.ts";
import type { Candidate, SlotTerms } from "../rules/list-slots.ts";
import { termsOf } from "../rules/places.ts";
import type { Place } from "../rules/places.ts";
import { quoteFee } from "../rules/quote-fee.ts";
import { closesAt } from "../rules/slot-status.ts";
import type { Slot, SlotUsage } from "../schema/slot.ts";

/** Filters of the slots of a place. */
export interface SlotQuestion extends SlotTerms {
  readonly plan: Plan;
  readonly place: Place;
  /** Absent: all channels. */
  readonly channel?: string | undefined;
}

/** Candidates that are looked at without a look at the time: computing them takes up to a millisecond. */
export const CANDIDATES_AT_ONCE = 16;

/** Candidates as slots, with their usage. */
export async function readSlots(
  tx: Tx,
  question: SlotQuestion,
  candidates: readonly Candidate[],
): Promise<Slot[]> {
  const usages = await readUsages(
    tx,
    candidates.map(({ usageId }) => usageId),
  );
  return candidates.map((candidate) =>
    toSlot({ ...candidate, place: question.place }, usages.get(candidate.usageId)?.value ?? null, question),
  );
}

/**
 * The first open slots of a place from a date on, at most `count`. Reads only as many usage documents as necessary:
 * slots that are closed by time or by a block are skipped first.
 */
export async function readNextOpen(
  tx: Tx,
  question: SlotQuestion,
  from: string,
  count: number,
): Promise<readonly Slot[]> {
  return (await findNextOpen(tx, question, from, count)).slots;
}

/** A candidate, with its usage. */
interface Looked {
  readonly candidate: Candidate;
  readonly usage: Stored<SlotUsage> | null;
}

interface NextOpen {
  readonly slots: readonly Slot[];
  /** Those whose usage was read. */
  readonly looked: readonly Looked[];
}

async function findNextOpen(tx: Tx, question: SlotQuestion, from: string, count: number): Promise<NextOpen> {
  const { plan, place, now, channel, itemMinutes } = question;
  const horizon = plan.horizonAt(now);
  const start = from > horizon.today ? from : horizon.today;
  const open: Slot[] = [];
  const looked: Looked[] = [];
  let batch: Candidate[] = [];
  const take = async (): Promise<void> => {
    const usages = await readUsages(
      tx,
      batch.map(({ usageId }) => usageId),
    );
    for (const candidate of batch) {
      const usage = usages.get(candidate.usageId) ?? null;
      const slot = toSlot({ ...candidate, place }, usage?.value ?? null, question);
      looked.push({ candidate, usage });
      if (slot.status === "open") open.push(slot);
    }
    batch = [];
  };
  const span = { from: start, to: horizon.last, channel, startedBy: now };
  const candidates = candidatesOf(plan, place, span, horizon);
  let seen = 0;
  for (const candidate of candidates) {
    seen += 1;
    if (seen % CANDIDATES_AT_ONCE === 0) await giveWay(tx.part);
    if (!mayBeOpen(candidate, now, itemMinutes)) continue;
    batch.push(candidate);
    if (batch.length + open.length >= count) await take();
    if (open.length >= count) break;
  }
  if (open.length < count) await take();
  return { slots: open.slice(0, count), looked };
}

/** The next open slots of a place, as far as they follow from documents that have these versions. */
interface KnownSlots {
  readonly channel: string;
  readonly slots: readonly Slot[];
  /** Of each slot that was looked at: the id of its usage, and its version; 0 where it has none. */
  readonly usageIds: readonly string[];
  readonly versions: readonly number[];
  /** Epoch milliseconds between which time alone changes nothing. */
  readonly fromMs: number;
  readonly untilMs: number;
  /** By the delivery fee of the basket. */
  readonly texts: Map<number, JsonText>;
}

/** Until the plan or the day changes. */
const known = new WeakMap<Horizon, Map<Place, KnownSlots>>();
/** Places whose next slots are known, and texts of each. */
const PLACES_MAX = 100;
const TEXTS_MAX = 20;

/**
 * The next open slots of a place as text: every customer of a shop is shown the same few. Their usage is read each time, and they are
 * computed again when one of them has changed or time may have closed or freed one.
 */
export async function readNextAsText(
  tx: Tx,
  question: SlotQuestion & { readonly channel: string; readonly basketTotal: number },
  count: number,
): Promise<JsonText> {
  const { plan, place, now, channel, itemMinutes, basketTotal } = question;
  // The lead time of what was ordered decides: such a request is like no other.
  if (itemMinutes > 0) return toJsonText((await findNextOpen(tx, question, "", count)).slots);
  const places = placesAt(plan.horizonAt(now));
  let next = places.get(place);
  if (next === undefined || next.channel !== channel || !(await isCurrent(tx, next, now))) {
    const { slots, looked } = await findNextOpen(tx, question, "", count);
    next = { channel, slots, texts: new Map(), ...whenOf(looked, now) };
    if (places.size >= PLACES_MAX) places.clear();
    places.set(place, next);
  }
  const { fee } = quoteFee(termsOf(place), basketTotal);
  const text = next.texts.get(fee) ?? toJsonText(withFees(next.slots, place, basketTotal));
  if (next.texts.size >= TEXTS_MAX) next.texts.clear();
  next.texts.set(fee, text);
  return text;
}

function placesAt(horizon: Horizon): Map<Place, KnownSlots> {
  const places = known.get(horizon) ?? new Map<Place, KnownSlots>();
  known.set(horizon, places);
  return places;
}

async function isCurrent(
  tx: Tx,
  { usageIds, versions, fromMs, untilMs }: KnownSlots,
  now: number,
): Promise<boolean> {
  if (now < fromMs || now >= untilMs) return false;
  const usages = await tx.getAll(slotUsages, usageIds);
  return usages.every((usage, index) => (usage?.version ?? 0) === versions[index]);
}

/** What slots that were looked at rest on. */
const whenOf = (
  looked: readonly Looked[],
  now: number,
): Pick<KnownSlots, "usageIds" | "versions" | "fromMs" | "untilMs"> => ({
  usageIds: looked.map(({ candidate }) => candidate.usageId),
  versions: looked.map(({ usage }) => usage?.version ?? 0),
  fromMs: now,
  untilMs: Math.min(
    ...looked.map(({ candidate, usage }) =>
      Math.min(closesAt(candidate.facts), nextExpiry(usage?.value ?? null, now)),
    ),
  ),
});

const withFees = (slots: readonly Slot[], place: Place, basketTotal: number): Slot[] =>
  slots.map((slot) => ({ ...slot, fee: quoteFee(termsOf(place), basketTotal, slot.fee_delta).fee }));
