import { fromInstant, toInstant } from "../../../lib/instant.ts";
import type { Collection } from "../../../core/collection.ts";
import type { Job, JobContext } from "../../../core/engine.ts";
import { watch } from "../../../core/watch.ts";
import { bundles, offers, turnsAt } from "../repository.ts";

const PER_COMMIT = 50;

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
  { runTx, part, now, signal }: JobContext,
  collection: Collection<T>,
  ended: NoInfer<S>,
): Promise<number> {
  let turned = 0;
  while (!signal.aborted) {
    const count = await runTx(part, async (tx) => {
      const { items } = await tx.peekPage(collection, { index: "due", limit: PER_COMMIT });
      const due = items.filter(({ value }) => fromInstant(turnsAt(value) ?? "9999-12-31") <= now);
      for (const { id } of due) {
        const stored = await tx.get(collection, id);
        if (stored === null || fromInstant(turnsAt(stored.value) ?? "9999-12-31") > now) continue;
        const status = stored.value.status === "scheduled" ? "active" : ended;
        tx.put(collection, stored, { ...stored.value, status, updated_at: toInstant(now) });
      }
      return due.length;
    });
    turned += count;
    if (count < PER_COMMIT) break;
  }
  return turned;
}

interface Timed<S extends string> {
  readonly id: string;
  readonly status: S | "scheduled" | "active";
  readonly starts_at: string | null;
  readonly ends_at: string | null;
  readonly updated_at: string;
}
