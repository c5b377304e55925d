import { indexEntries } from "./collection.ts";
import type { Collection } from "./collection.ts";
import type { JobContext } from "./engine.ts";
import type { Tx } from "./tx.ts";

const PAGE = 100;
/** Documents per run; the rest is left to the next run. */
const RUN_MAX = 1_000;
/** Documents per commit, where they fit. */
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

/** What became of due documents; `done` is the sum of what was returned for each. */
interface Walked {
  readonly looked: number;
  readonly done: number;
  readonly failed: number;
}
type DueWork = Work & Pick<JobContext, "log"> & Partial<JobContext>;

/**
 * Calls `handle` with the id of each due document, one after the other; it reads the document again in a commit of its
 * own. A document that fails is logged and does not affect the others. For what reaches beyond the store; else `changeDue`.
 */
export function eachDue<T extends { id: string }>(
  work: DueWork,
  list: DueList<T>,
  handle: (id: string) => Promise<number>,
): Promise<Walked> {
  return walkDue(work, list, ([id = ""]) => handleOne(work, list, id, handle));
}

/**
 * Stages what is due about each document by `change`, which reads it again by its id; as many as fit share one commit. Where that
 * fails, each has a commit of its own: a document that fails is logged and does not affect the others. `change` must not depend on
 * pages of what it writes itself: they do not have what the commit will write.
 */
export function changeDue<T extends { id: string }>(
  work: DueWork,
  list: DueList<T>,
  change: (tx: Tx, id: string) => Promise<number>,
): Promise<Walked> {
  const { part, runTx, signal } = work;
  return walkDue(work, list, async (ids) => {
    const some = ids.slice(0, PER_COMMIT);
    if (some.length > 1) {
      try {
        const { done, taken } = await runTx(part, (tx) => stageSome(tx, some, change));
        return { looked: taken, done, failed: 0 };
      } catch {
        // One of them fails, or they are too large for one commit: each shows for itself.
      }
    }
    let walked: Walked = { looked: 0, done: 0, failed: 0 };
    for (const id of some) {
      if (signal.aborted) break;
      walked = sumOf(walked, await handleOne(work, list, id, (one) => runTx(part, (tx) => change(tx, one))));
    }
    return walked;
  });
}

async function walkDue<T extends { id: string }>(
  { part, runTx, signal, hasTime }: DueWork,
  { collection, index, isDue, max = RUN_MAX }: DueList<T>,
  handle: (ids: readonly string[]) => Promise<Walked>,
): Promise<Walked> {
  let walked: Walked = { looked: 0, done: 0, failed: 0 };
  let cursor: string | undefined;
  const mayContinue = (): boolean => walked.looked < max && (hasTime?.() ?? !signal.aborted);
  while (mayContinue()) {
    const page = await runTx(part, (tx) => tx.peekPage(collection, { index, limit: PAGE, cursor }));
    const due = page.items.filter(({ value }) => isDue(value)).map(({ id }) => id);
    for (let at = 0; at < due.length && !signal.aborted;) {
      const some = await handle(due.slice(at));
      walked = sumOf(walked, some);
      at += some.looked;
    }
    if (page.next === null || due.length < page.items.length || signal.aborted) break;
    cursor = page.next;
  }
  return walked;
}

const sumOf = (one: Walked, other: Walked): Walked => ({
  looked: one.looked + other.looked,
  done: one.done + other.done,
  failed: one.failed + other.failed,
});

async function handleOne<T>(
  { log, part }: DueWork,
  { collection }: DueList<T>,
  id: string,
  handle: (id: string) => Promise<number>,
): Promise<Walked> {
  try {
    return { looked: 1, done: await handle(id), failed: 0 };
  } catch (err) {
    log.error({ err, id, collection: collection.name, part }, "a due document could not be processed");
    return { looked: 1, done: 0, failed: 1 };
  }
}

/** Documents of a kind take about the same room in a commit, and their events as much again. */
const ROOM_PER_DOCUMENT = 2;

/** Stages the changes of documents until the next might not fit into the commit. */
async function stageSome(
  tx: Tx,
  ids: readonly string[],
  change: (tx: Tx, id: string) => Promise<number>,
): Promise<{ readonly taken: number; readonly done: number }> {
  let [taken, done, most] = [0, 0, 0];
  for (const id of ids) {
    const room = tx.room();
    if (taken > 0 && room < ROOM_PER_DOCUMENT * most) break;
    done += await change(tx, id);
    taken += 1;
    most = Math.max(most, room - tx.room());
  }
  return { taken, done };
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
  let isMore = true;
  for (let made = 0; isMore && made < commits && !signal.aborted; made += 1) {
    total += await runTx(part, async (tx) => {
      const { items } = await tx.peekPage(collection, { ...query, limit: size });
      const over = items.filter(({ value }) => isOver(value));
      isMore = over.length === size;
      for (const [at, { id, value }] of over.entries()) {
        if (tx.room() < 1 + indexEntries(collection, value).length) {
          isMore = true;
          return at;
        }
        // Read again: if it changes concurrently, the commit conflicts.
        const stored = await tx.get(collection, id);
        if (stored !== null && isOver(stored.value)) tx.remove(collection, stored);
      }
      return over.length;
    });
  }
  return total;
}
