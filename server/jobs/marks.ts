import { z } from "zod";

import { HOUR_MS, MINUTE_MS, toInstant } from "../lib/instant.ts";
import type { Clock } from "../core/clock.ts";
import { defineCollection, timeOrder } from "../core/collection.ts";
import type { CursorCodec } from "../core/cursor.ts";
import { Instant } from "../core/schema.ts";
import { createRunTx } from "../core/run-tx.ts";
import type { StoreDriver } from "../storage/contract.ts";
import { OWN_PART } from "../storage/own.ts";
import type { ScheduledJob } from "../core/engine.ts";
import { JOBS_PART } from "./state.ts";
import { indexWatches, nextAt } from "./watch-index.ts";
import type { WatchIndex } from "./watch-index.ts";

/** That a job has something to do in a store, and when. All marks are in one place, so that stores without work cost nothing. */
const Mark = z.strictObject({
  /** `<partition>.<job>`. */
  id: z.string(),
  part: z.string(),
  job: z.string(),
  /** When the store is to be visited. */
  at: Instant,
  /** Until then no process removes the mark: processes that know it write no other for work that they add. */
  fresh_until: Instant,
  /** Visits that failed, one after the other. */
  failures: z.int().min(0).default(0),
});
export type Mark = z.output<typeof Mark>;

export const marks = defineCollection({
  name: "jobs.marks",
  unlisted: true,
  schema: Mark,
  indexes: { due: { values: ({ job }) => [job], order: ({ at }) => timeOrder(at) } },
});

const FRESH_MS = 60_000;
const PAGE = 500;

export interface Marks {
  /** Which jobs look where. */
  index(): WatchIndex;
  /** Marks a store for jobs, from now on. Resolves to the time until which the marks are fresh. */
  write(part: string, jobIds: readonly string[]): Promise<number>;
  /** Marks of a job whose time has come, the longest due first; at most `limit` of them. */
  due(jobId: string, limit?: number): Promise<Mark[]>;
  /** After a visit: the mark is put off until the next work is due, or taken away where there is none. */
  settle(job: ScheduledJob, mark: Mark): Promise<void>;
  /** The store is not to be visited before `untilMs`, unless it is marked again. */
  putOff(mark: Mark, untilMs: number): Promise<void>;
  /** After a visit that failed: the next is a minute later, or twice as long as the last delay, up to an hour, unless it is marked again. */
  retry(mark: Mark): Promise<void>;
  /** Jobs that have something to do in a store, now or later, and no mark of it. */
  missing(part: string): Promise<string[]>;
}

/** Keeps the marks of the jobs that have `watches`. */
export function createMarks(deps: {
  /** One that marks nothing itself. */
  readonly store: StoreDriver;
  readonly cursors: CursorCodec;
  readonly clock: Clock;
  /** The jobs of everything that is loaded; the same array until that changes. What is not loaded adds no work. */
  readonly jobs: () => readonly ScheduledJob[];
}): Marks {
  const { store, clock } = deps;
  const runTx = createRunTx({ store, cursors: deps.cursors });
  let known: { readonly jobs: readonly ScheduledJob[]; readonly index: WatchIndex } | undefined;
  const index = (): WatchIndex => {
    const jobs = deps.jobs();
    if (known?.jobs !== jobs) known = { jobs, index: indexWatches(jobs) };
    return known.index;
  };

  /** Not where it was marked again meanwhile: that work was not looked at. */
  const move = (mark: Mark, change: Partial<Mark>): Promise<void> =>
    runTx(JOBS_PART, async (tx) => {
      const found = await tx.get(marks, mark.id);
      if (found?.value.fresh_until === mark.fresh_until) tx.put(marks, found, { ...found.value, ...change });
    });

  return {
    index,
    async write(part, jobIds) {
      const now = clock.now();
      const at = toInstant(now);
      const fresh_until = toInstant(now + FRESH_MS);
      await runTx(JOBS_PART, async (tx) => {
        for (const job of jobIds) {
          const id = markId(part, job);
          const found = await tx.get(marks, id);
          // One that is due already keeps its place.
          const due = found === null ? at : earlier(found.value.at, at);
          tx.save(marks, found, {
            id,
            part,
            job,
            at: due,
            fresh_until,
            failures: found?.value.failures ?? 0,
          });
        }
      });
      return now + FRESH_MS;
    },
    async due(jobId, limit = Infinity) {
      const found: Mark[] = [];
      const now = toInstant(clock.now());
      let cursor: string | undefined;
      do {
        const query = { index: "due", value: jobId, limit: Math.min(PAGE, limit), cursor };
        const page = await runTx(JOBS_PART, (tx) => tx.peekPage(marks, query));
        const isDue = page.items.map(({ value }) => value).filter(({ at }) => at <= now);
        found.push(...isDue);
        cursor = isDue.length < page.items.length ? undefined : (page.next ?? undefined);
      } while (cursor !== undefined && found.length < limit);
      return found;
    },
    async settle(job, mark) {
      // A process may add work and rely on this mark.
      if (mark.fresh_until > toInstant(clock.now())) return;
      const next = await runTx(mark.part, (tx) => nextAt(tx, job, clock.now()));
      await runTx(JOBS_PART, async (tx) => {
        const found = await tx.get(marks, mark.id);
        // Marked again since then: that work was not looked at.
        if (found === null || found.value.fresh_until !== mark.fresh_until) return;
        if (next === null) tx.remove(marks, found);
        else if (next > clock.now())
          tx.put(marks, found, { ...found.value, at: toInstant(next), failures: 0 });
      });
    },
    putOff: (mark, untilMs) => move(mark, { at: toInstant(untilMs) }),
    retry(mark) {
      const at = toInstant(clock.now() + retryDelayMs(mark.failures));
      // Processes that add work rely on a fresh mark.
      const isFresh = mark.fresh_until > toInstant(clock.now());
      const failures = mark.failures + 1;
      return move(mark, { at: isFresh ? earlier(at, mark.fresh_until) : at, failures });
    },
    async missing(part) {
      const candidates = await candidatesIn(store, part, index());
      const keys = candidates.map(({ id }) => `${JOBS_PART}:${marks.name}:${markId(part, id)}` as const);
      const found = keys.length === 0 ? [] : await store.getMany(keys);
      const unmarked = candidates.filter((_, place) => found[place] === null);
      if (unmarked.length === 0) return [];
      return runTx(part, async (tx) => {
        const times = await Promise.all(unmarked.map((job) => nextAt(tx, job, clock.now())));
        return unmarked.filter((_, place) => times[place] !== null).map(({ id }) => id);
      });
    },
  };
}

/** Jobs that may have something to do in a store. */
async function candidatesIn(
  store: StoreDriver,
  part: string,
  { watched, jobsAt }: WatchIndex,
): Promise<readonly ScheduledJob[]> {
  // Where each look is charged for, counting what a store holds costs more than asking each index for its first entry.
  if (store.caps.pollFloorMs !== undefined) return watched;
  const ids = new Set<string>();
  for (const { name, count } of await store.collections(part)) {
    if (count > 0) for (const id of jobsAt.get(name) ?? []) ids.add(id);
  }
  return watched.filter(({ id }) => ids.has(id));
}

/** Milliseconds until a store is visited again after `failures` visits that failed and one more. */
const retryDelayMs = (failures: number): number => Math.min(HOUR_MS, MINUTE_MS * 2 ** failures);

export const markId = (part: string, job: string): string => `${part}.${job}`;

/** The platform's own partition is no store: jobs that work on it look there every time. */
export const isStorePart = (part: string): boolean => part !== JOBS_PART && part !== OWN_PART;

const earlier = (one: string, other: string): string => (one < other ? one : other);
