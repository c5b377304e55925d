import { idempotencyRecords } from "../http/idempotency.ts";
import { fromInstant } from "../kernel/clock.ts";
import type { JobContext } from "../kernel/engine.ts";
import type { ScheduledJob } from "./execute.ts";

/** Records per commit; each is the document and its index entry. */
const BATCH = 50;

/** Deletes the answers kept for Idempotency-Keys once their time is over. */
export const sweepIdempotency: ScheduledJob = {
  id: "http.sweep-idempotency",
  summary: "Deletes the answers kept for Idempotency-Keys whose time is over",
  schedule: "17 * * * *",
  on: "everywhere",
  async run(work) {
    let deleted = 0;
    while (!work.signal.aborted) {
      const { seen, removed } = await sweepBatch(work);
      deleted += removed;
      if (removed === 0 || seen < BATCH) break;
    }
    return { deleted };
  },
};

function sweepBatch({ now, part, runTx }: JobContext): Promise<{ seen: number; removed: number }> {
  return runTx(part, async (tx) => {
    const { items } = await tx.page(idempotencyRecords, { index: "due", limit: BATCH });
    let removed = 0;
    for (const { id } of items) {
      // Read again so that the commit checks it: the key may be in use anew since the page was read.
      const record = await tx.get(idempotencyRecords, id);
      if (record === null || fromInstant(record.value.expires_at) > now) continue;
      tx.remove(idempotencyRecords, record);
      removed += 1;
    }
    return { seen: items.length, removed };
  });
}
