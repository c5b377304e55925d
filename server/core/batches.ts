import type { Collection } from "./collection.ts";
import type { JobContext } from "./engine.ts";
import type { Tx } from "./tx.ts";

const PAGE = 100;
/** Documents per run; the rest is left to the next run. */
const RUN_MAX = 1_000;
const PER_COMMIT = 50;

type Work = Pick<JobContext, "part" | "runTx" | "signal">;

export interface DueList<T> {
  readonly collection: Collection<T>;
  /** Index that lists what is due first. */
  readonly index: string;
  readonly isDue: (value: T) => boolean;
  /** Documents per run. Default: 1,000. */
  readonly max?: number;
}

/**
 * Calls `handle` with the id of each due document, one after the other; it reads the document again in a commit of its
 * own. A document that fails is logged and does not affect the others. `done` is the sum of what `handle` returns.
 */
export async function eachDue<T extends { id: string }>(
  { part, runTx, signal, log, hasTime }: Work & Pick<JobContext, "log"> & Partial<JobContext>,
  { collection, index, isDue, max = RUN_MAX }: DueList<T>,
  handle: (id: string) => Promise<number>,
): Promise<{ readonly looked: number; readonly done: number; readonly failed: number }> {
  let [looked, done, failed] = [0, 0, 0];
  let cursor: string | undefined;
  const mayContinue = (): boolean => looked < max && (hasTime?.() ?? !signal.aborted);
  while (mayContinue()) {
    const page = await runTx(part, (tx) => tx.peekPage(collection, { index, limit: PAGE, cursor }));
    const due = page.items.filter(({ value }) => isDue(value));
    for (const { id } of due) {
      if (signal.aborted) break;
      looked += 1;
      try {
        done += await handle(id);
      } catch (err) {
        failed += 1;
        log.error({ err, id, collection: collection.name, part }, "a due document could not be processed");
      }
    }
    if (page.next === null || due.length < page.items.length || signal.aborted) break;
    cursor = page.next;
  }
  return { looked, done, failed };
}

/** Repeats a commit until it did less than it may (`size`). Returns the sum of what the commits returned. */
export async function inBatches(
  { part, runTx, signal }: Work,
  step: (tx: Tx, size: number) => Promise<number>,
  { size = PER_COMMIT, commits = Number.POSITIVE_INFINITY } = {},
): Promise<number> {
  let total = 0;
  for (let made = 0; made < commits && !signal.aborted; made += 1) {
    const count = await runTx(part, (tx) => step(tx, size));
    total += count;
    if (count < size) break;
  }
  return total;
}

/** Deletes the first documents of an index as long as they are over. Returns their number. */
export const removeOld = <T extends { id: string }>(
  work: Work,
  collection: Collection<T>,
  list: { readonly index: string; readonly value?: string; readonly isOver?: (value: T) => boolean },
  bounds?: { readonly size?: number; readonly commits?: number },
): Promise<number> =>
  inBatches(
    work,
    async (tx, limit) => {
      const { isOver = () => true, ...query } = list;
      const { items } = await tx.peekPage(collection, { ...query, limit });
      const over = items.filter(({ value }) => isOver(value));
      for (const { id } of over) {
        // Read again: if it changes concurrently, the commit conflicts.
        const stored = await tx.get(collection, id);
        if (stored !== null && isOver(stored.value)) tx.remove(collection, stored);
      }
      return over.length;
    },
    bounds,
  );
