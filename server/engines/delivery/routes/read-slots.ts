import type { Tx } from "../../../core/tx.ts";
import { giveWay } from "../../../lib/slices.ts";
import { readUsages } from "../repository.ts";
import type { Plan } from "../rules/compile-plan.ts";
import { candidatesOf, mayBeOpen, toSlot } from "../rules/list-slots.ts";
import type { Candidate, SlotTerms } from "../rules/list-slots.ts";
import type { Place } from "../rules/places.ts";
import type { Slot } from "../schema/slot.ts";

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
): Promise<Slot[]> {
  const { plan, place, now, channel, itemMinutes } = question;
  const horizon = plan.horizonAt(now);
  const start = from > horizon.today ? from : horizon.today;
  const open: Slot[] = [];
  let batch: Candidate[] = [];
  const take = async (): Promise<void> => {
    open.push(...(await readSlots(tx, question, batch)).filter(({ status }) => status === "open"));
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
  return open.slice(0, count);
}
