import { indexEntries } from "./collection.ts";
import type { Collection } from "./collection.ts";
import type { JobContext } from "./engine.ts";
import { isOverBudget } from "./fetching.ts";
import { isFull } from "./quota.ts";
import { giveWay } from "../lib/slices.ts";
import { shareCommits } from "./share-commits.ts";
import type { Tx } from "./tx.ts";

const PAGE = 100;
/** Bytes of a page: a hundred of the largest documents, parsed, would be seventy megabytes, and several jobs run at the same time. */
const PAGE_BYTES = 1_000_000;
/** Documents per run; the rest is left to the next run. */
const RUN_MAX = 1_000;
/** Documents per commit, where they fit. */
const PER_COMMIT = 50;

type Work = Pick<JobContext, "part" | "runTx" | "signal">;
type DueWork = Work & Pick<JobContext, "log"> & Partial<JobContext>;

export interface DueList<T> {
  readonly collection: Collection<T>;
  /** Index that lists what is due first. */
  readonly index: string;
  readonly value?: string;
  readonly isDue: (value: T) => boolean;
  /** It is listed, but nothing is left to be done about it. */
  readonly isDone?: (value: T) => boolean;
  /** Documents that are handled side by side. Default: 1. */
  readonly atOnce?: number;
  /** Documents per run. Default: 1,000. */
  readonly max?: number;
}

/**
 * Calls `handle` with the id of each due document, `atOnce` of them side by side; it reads the document again in a commit of its
 * own. A document that fails is logged and does not affect the others; where the budget of outgoing requests is used up, the store is
 * full, or its turn is over, all that is left waits for a later one. `done` is the sum of what `handle` returns.
 */
export async function eachDue<T extends { id: string }>(
  { part, runTx, signal, log, hasTime = () => true }: DueWork,
  { collection, isDue, isDone = () => false, atOnce = 1, max = RUN_MAX, ...where }: DueList<T>,
  handle: (id: string) => Promise<number>,
): Promise<{ readonly looked: number; readonly done: number; readonly failed: number }> {
  let [looked, done, failed, doneBefore] = [0, 0, 0, 0];
  let cursor: string | undefined;
  let isOver = false;
  const mayContinue = (): boolean => {
    // Those that fail, or have nothing to do, stay where they are: a turn that ended with them would keep all that follow waiting.
    if (done > doneBefore) isOver ||= !hasTime();
    doneBefore = done;
    return !isOver && !signal.aborted && looked < max;
  };
  const handleOne = async (id: string): Promise<void> => {
    looked += 1;
    try {
      const count = await handle(id);
      done += count;
    } catch (err) {
      if (isOverBudget(err) || isFull(err)) {
        isOver = true;
        return;
      }
      failed += 1;
      log.error({ err, id, collection: collection.name, part }, "a due document could not be processed");
    }
  };
  while (mayContinue()) {
    const page = await runTx(part, (tx) =>
      tx.peekPage(collection, { ...where, limit: PAGE, bytes: PAGE_BYTES, cursor }),
    );
    const open: T[] = [];
    let dueCount = 0;
    for (const item of page.items) {
      // A large document takes a millisecond to read.
      await giveWay(part);
      const { value } = item;
      if (!isDue(value)) continue;
      dueCount += 1;
      if (!isDone(value)) open.push(value);
    }
    for (let at = 0; at < open.length && mayContinue(); at += atOnce)
      await Promise.all(open.slice(at, at + atOnce).map(({ id }) => handleOne(id)));
    if (page.next === null || dueCount < page.items.length || signal.aborted) break;
    cursor = page.next;
  }
  return { looked, done, failed };
}

/**
 * `eachDue` for what happens in the store alone: `change` reads the document again by its id and stages what is due about it, and as
 * many as fit share a commit (see `shareCommits`).
 */
export function changeDue<T extends { id: string }>(
  work: DueWork,
  list: DueList<T>,
  change: (tx: Tx, id: string) => Promise<number>,
): ReturnType<typeof eachDue> {
  const { part } = work;
  const runTx = shareCommits(work.runTx, part);
  return eachDue(work, { ...list, atOnce: PER_COMMIT }, (id) => runTx(part, (tx) => change(tx, id)));
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

/** Deletes the first documents of an index as long as they are over, as many as fit into a commit. Returns their number. */
export async function removeOld<T extends { id: string }>(
  { part, runTx, signal }: Work,
  collection: Collection<T>,
  list: { readonly index: string; readonly value?: string; readonly isOver?: (value: T) => boolean },
  { size = PER_COMMIT, commits = Number.POSITIVE_INFINITY } = {},
): Promise<number> {
  const { isOver = () => true, ...query } = list;
  let total = 0;
  for (let made = 0; made < commits && !signal.aborted; made += 1) {
    const { removed, isMore } = await runTx(part, async (tx) => {
      const { items } = await tx.peekPage(collection, { ...query, limit: size });
      const over = items.filter(({ value }) => isOver(value));
      for (const [at, { id, value }] of over.entries()) {
        if (tx.room() < 1 + indexEntries(collection, value).length) return { removed: at, isMore: true };
        // Read again: if it changes concurrently, the commit conflicts.
        const stored = await tx.get(collection, id);
        if (stored !== null && isOver(stored.value)) tx.remove(collection, stored);
      }
      return { removed: over.length, isMore: over.length === size };
    });
    total += removed;
    if (!isMore) break;
  }
  return total;
}
