import { fromInstant } from "../lib/instant.ts";
import type { Collection } from "../core/collection.ts";
import type { JobContext } from "../core/engine.ts";
import type { ScheduledJob } from "../core/engine.ts";

/** Documents per commit; each is the document and its index entry. */
const BATCH = 50;

interface Expiring {
  readonly id: string;
  readonly expires_at: string;
}

/**
 * A job that deletes the documents of a collection once their `expires_at` is over. The collection needs an index `due`
 * in that order.
 */
export const createSweep = <T extends Expiring>(
  collection: Collection<T>,
  job: Pick<ScheduledJob, "id" | "summary" | "schedule" | "on">,
): ScheduledJob => ({
  ...job,
  async run(work) {
    let deleted = 0;
    while (!work.signal.aborted) {
      const { seen, removed } = await sweepBatch(collection, work);
      deleted += removed;
      if (removed === 0 || seen < BATCH) break;
    }
    return { deleted };
  },
});

function sweepBatch<T extends Expiring>(
  collection: Collection<T>,
  { now, part, runTx }: JobContext,
): Promise<{ seen: number; removed: number }> {
  return runTx(part, async (tx) => {
    const { items } = await tx.peekPage(collection, { index: "due", limit: BATCH });
    let removed = 0;
    for (const { id } of items) {
      // Read again so that the commit checks it: it may have been replaced since the page was read.
      const found = await tx.get(collection, id);
      if (found === null || fromInstant(found.value.expires_at) > now) continue;
      tx.remove(collection, found);
      removed += 1;
    }
    return { seen: items.length, removed };
  });
}
