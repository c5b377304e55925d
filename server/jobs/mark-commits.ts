import type { Clock } from "../core/clock.ts";
import type { Log } from "../core/log.ts";
import type { StoreDriver } from "../storage/contract.ts";
import { isStorePart, markId } from "./marks.ts";
import type { Marks } from "./marks.ts";
import { jobsFor } from "./watch-index.ts";

/** How much of a mark's freshness must be left for a process to rely on it: no commit takes so long. */
const SPARE_MS = 30_000;
/** Marks that a process remembers; forgetting one costs a write. */
const REMEMBERED_MAX = 100_000;

/**
 * The same store, with a mark written before each commit that may bring work, so that a crash between the two costs one visit and
 * loses nothing. A store that is written to all the time costs one such write a job every half minute.
 */
export function markCommits(
  store: StoreDriver,
  { marks, clock, log }: { readonly marks: Marks; readonly clock: Clock; readonly log: Log },
): StoreDriver {
  /** Until when a mark may be relied on, or the writing of it. */
  const known = new Map<string, number | Promise<void>>();
  const remember = (id: string, what: number | Promise<void>): void => {
    if (known.size >= REMEMBERED_MAX) known.clear();
    known.set(id, what);
  };

  async function write(part: string, jobIds: readonly string[]): Promise<void> {
    try {
      const until = (await marks.write(part, jobIds)) - SPARE_MS;
      for (const job of jobIds) remember(markId(part, job), until);
    } catch (err) {
      for (const job of jobIds) known.delete(markId(part, job));
      // The work itself is stored, or fails for the same reason: at the latest it is found by looking through all stores.
      log.warn({ err, part, jobs: jobIds }, "could not mark due work");
    }
  }

  /** Writes the marks that are not known to be there; null when nothing is to be waited for. */
  function note(part: string, jobIds: Iterable<string>): Promise<unknown> | null {
    const now = clock.now();
    const missing: string[] = [];
    const waiting = new Set<Promise<void>>();
    for (const job of jobIds) {
      const what = known.get(markId(part, job)) ?? 0;
      if (typeof what !== "number") waiting.add(what);
      else if (what <= now) missing.push(job);
    }
    if (missing.length > 0) {
      const writing = write(part, missing);
      for (const job of missing) remember(markId(part, job), writing);
      waiting.add(writing);
    }
    return waiting.size === 0 ? null : Promise.all(waiting);
  }

  return {
    ...store,
    async commit(part, ops, ...rest) {
      const noting = isStorePart(part) ? note(part, jobsFor(ops, marks.index())) : null;
      if (noting !== null) await noting;
      return store.commit(part, ops, ...rest);
    },
  };
}
