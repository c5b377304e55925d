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
  for (const candidate of candidatesOf(plan, zone, { from: start, to: horizon.last }, horizon)) {
    if (!mayBeOpen(candidate, now)) continue;
    batch.push(candidate);
    if (batch.length + open.length >= count) await take();
    if (open.length >= count) break;
  }
  if (open.length < count) await take();
  return open.slice(0, count);
}
