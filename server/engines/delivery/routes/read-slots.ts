import { setImmediate } from "node:timers/promises";

import type { Tx } from "../../../core/tx.ts";
import { readUsages } from "../repository.ts";
import type { Plan } from "../rules/compile-plan.ts";
import { candidatesOf, mayBeOpen, toSlot } from "../rules/list-slots.ts";
import type { Candidate } from "../rules/list-slots.ts";
import type { Slot, Zone } from "../schema.ts";

/** Filters of the slots of a zone. */
export interface SlotQuestion {
  readonly plan: Plan;
  readonly zone: Zone;
  readonly basketTotal: number | null;
  readonly now: number;
}

/** Time for which other requests wait at most, apart from the slots of one day. */
const SLICE_MS = 10;

/** Candidates with pauses in which other requests are answered: those of two months can take a second. */
export async function* inSlices(candidates: Iterable<Candidate>): AsyncGenerator<Candidate> {
  let since = performance.now();
  for (const candidate of candidates) {
    if (performance.now() - since > SLICE_MS) {
      await setImmediate();
      since = performance.now();
    }
    yield candidate;
  }
}

/** Candidates as slots, with their usage. */
export async function readSlots(
  tx: Tx,
  { zone, basketTotal, now }: SlotQuestion,
  candidates: readonly Candidate[],
): Promise<Slot[]> {
  const usages = await readUsages(
    tx,
    candidates.map(({ usageId }) => usageId),
  );
  return candidates.map((candidate) =>
    toSlot({ ...candidate, zone }, usages.get(candidate.usageId)?.value ?? null, now, basketTotal),
  );
}

/**
 * The first open slots of a zone from a date on, at most `count`. Reads only as many usage documents as necessary:
 * slots that are closed by time or by a block are skipped first.
 */
export async function readNextOpen(
  tx: Tx,
  question: SlotQuestion,
  from: string,
  count: number,
): Promise<Slot[]> {
  const { plan, zone, now } = question;
  const horizon = plan.horizonAt(now);
  const start = from > horizon.today ? from : horizon.today;
  const open: Slot[] = [];
  let batch: Candidate[] = [];
  const take = async (): Promise<void> => {
    open.push(...(await readSlots(tx, question, batch)).filter(({ status }) => status === "open"));
    batch = [];
  };
  const candidates = candidatesOf(plan, zone, { from: start, to: horizon.last }, horizon);
  for await (const candidate of inSlices(candidates)) {
    if (!mayBeOpen(candidate, now)) continue;
    batch.push(candidate);
    if (batch.length + open.length >= count) await take();
    if (open.length >= count) break;
  }
  if (open.length < count) await take();
  return open.slice(0, count);
}
