import { readTestClock, testClocks } from "../core/test-clock.ts";
import type { Tx } from "../core/tx.ts";
import type { Op } from "../storage/contract.ts";
import type { ScheduledJob } from "../core/engine.ts";

/** Which jobs look where. */
export interface WatchIndex {
  /** The jobs that have `watches`. */
  readonly watched: readonly ScheduledJob[];
  /** Ids of the jobs that look at a collection or an index, by its name. */
  readonly jobsAt: ReadonlyMap<string, readonly string[]>;
}

export function indexWatches(jobs: readonly ScheduledJob[]): WatchIndex {
  const watched = jobs.filter(({ watches }) => watches !== undefined);
  // All of them go by a store's clock.
  const jobsAt = new Map<string, string[]>([[testClocks.name, watched.map(({ id }) => id)]]);
  for (const { id, watches = [] } of watched) {
    for (const place of new Set(watches.flatMap(({ places }) => places))) {
      jobsAt.set(place, [...(jobsAt.get(place) ?? []), id]);
    }
  }
  return { watched, jobsAt };
}

const NOBODY: readonly string[] = [];

/** The jobs that may find work in what a commit writes. What it deletes is no work, unless it is the store's clock. */
export function jobsFor(ops: readonly Op[], { jobsAt }: WatchIndex): Iterable<string> {
  let found: Set<string> | null = null;
  for (const op of ops) {
    const key = "put" in op ? op.put : op.del;
    const coll = key.slice(key.indexOf(":") + 1, key.lastIndexOf(":"));
    const ids = jobsAt.get(coll);
    if (ids === undefined || (!("put" in op) && coll !== testClocks.name)) continue;
    found ??= new Set();
    for (const id of ids) found.add(id);
  }
  return found ?? NOBODY;
}

/**
 * When a job has something to do in a store, in epoch milliseconds of real time; null where it has nothing. A store's own clock
 * does not move until it is written, which marks the store.
 */
export async function nextAt(
  tx: Tx,
  { on, watches = [] }: ScheduledJob,
  now: number,
): Promise<number | null> {
  const own = on === "stores" ? await readTestClock(tx) : null;
  const times = await Promise.all(watches.map((watch) => watch.next(tx)));
  const next = Math.min(...times.map((time) => time ?? Infinity));
  if (next === Infinity) return null;
  if (own === null) return next;
  return next <= own ? now : null;
}
