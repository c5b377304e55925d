import { fromInstant } from "../../../lib/instant.ts";
import { changeDue } from "../../../core/batches.ts";
import type { Collection } from "../../../core/collection.ts";
import type { Job, JobContext } from "../../../core/engine.ts";
import { watch } from "../../../core/watch.ts";
import { bundles, offers, turnsAt } from "../repository.ts";

/** Puts the label on offers and bundles that have begun or ended; that they apply or not is decided by the times themselves. */
export const keepTime: Job = {
  id: "cart.keep-time",
  summary: "Marks offers and bundles that have begun or ended",
  schedule: "* * * * *",
  watches: [watch(offers, { index: "due", due: turnsAt }), watch(bundles, { index: "due", due: turnsAt })],
  async run(work) {
    return {
      offers: await turn(work, offers, "ended"),
      bundles: await turn(work, bundles, "archived"),
    };
  },
};

async function turn<S extends string, T extends Timed<S>>(
  work: JobContext,
  collection: Collection<T>,
  ended: NoInfer<S>,
): Promise<number> {
  const { now, nowAt } = work;
  const isDue = (value: T): boolean => fromInstant(turnsAt(value) ?? "9999-12-31") <= now;
  const { done } = await changeDue(work, { collection, index: "due", isDue }, async (tx, id) => {
    const stored = await tx.get(collection, id);
    if (stored === null || !isDue(stored.value)) return 0;
    const status = stored.value.status === "scheduled" ? "active" : ended;
    tx.put(collection, stored, { ...stored.value, status, updated_at: nowAt });
    return 1;
  });
  return done;
}

interface Timed<S extends string> {
  readonly id: string;
  readonly status: S | "scheduled" | "active";
  readonly starts_at: string | null;
  readonly ends_at: string | null;
  readonly updated_at: string;
}
