import { Cron } from "croner";

import type { Clock } from "../core/clock.ts";
import type { JobContext, ScheduledJob } from "../core/engine.ts";
import type { NewId } from "../core/ids.ts";
import type { Log } from "../core/log.ts";
import type { Ports } from "../core/ports.ts";
import { setTestClock } from "../core/test-clock.ts";
import type { TestClock } from "../core/test-clock.ts";
import type { RunTx, Tx } from "../core/tx.ts";
import { HOUR_MS, toInstant } from "../lib/instant.ts";
import { giveWay } from "../lib/slices.ts";

export interface AdvanceDeps {
  readonly jobs: readonly ScheduledJob[];
  readonly runTx: RunTx;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly log: Log;
  readonly ports: Ports;
  readonly portsOf?: (part: string) => Ports;
}

export interface ClockSpan {
  /** Partition of the test data. */
  readonly part: string;
  /** Epoch milliseconds of the clock, and those to which it is advanced. */
  readonly from: number;
  readonly to: number;
  readonly signal: AbortSignal;
}

/** A run of a job that did something. */
export interface ClockRun {
  /** By the test clock. */
  readonly at: string;
  readonly job: string;
  readonly counts: Readonly<Record<string, number>>;
}

export interface Advanced {
  readonly clock: TestClock;
  /** False where work is left for another call. */
  readonly reached: boolean;
  /** Failed pieces of work. */
  readonly failed: number;
  readonly runs: readonly ClockRun[];
}

/** Jobs without a due time run at the first of these moments after their scheduled time, and where the clock ends. */
const HOUSEKEEPING_MS = 6 * HOUR_MS;
/** Runs of a job at one moment; what is still due then is looked at when the clock has moved. */
const RUNS_PER_MOMENT = 20;
/** Moments of one call: a year of housekeeping and contracts that are billed daily. */
const MOMENTS_MAX = 2_000;
/** Real time of one call: clients and proxies give up later. */
const TIME_MAX_MS = 20_000;

/**
 * Advances the clock of a store's test data. It stops at every moment at which the job of some engine has work, has it done
 * as for live data, and goes on: so what falls due in different engines happens in the order of time.
 */
export async function advanceTestClock(deps: AdvanceDeps, span: ClockSpan): Promise<Advanced> {
  const { part, to, signal } = span;
  const jobs = deps.jobs.filter(({ on }) => on === "stores");
  const watched = jobs.filter(({ watches }) => watches !== undefined);
  const timed = jobs.filter(({ watches }) => watches === undefined).map(withTimes);
  const endMs = deps.clock.now() + TIME_MAX_MS;
  const isLate = (): boolean => deps.clock.now() > endMs;
  const runs: ClockRun[] = [];
  const runsNow = new Map<string, number>();
  let [now, tidiedAt, failed, moments] = [span.from, span.from, 0, 0];
  /** When jobs have work: null when it has to be read again. */
  let due: Due[] | null = null;

  /** True unless the same would fail again at once. */
  async function run(job: ScheduledJob): Promise<boolean> {
    // Most runs find nothing to do, and wait for nothing while what they look at is in memory.
    await giveWay(part);
    const isWatched = job.watches !== undefined;
    // What is left of a job with a due time is due in the next call; that of another would wait for its next time.
    const hasTime = (): boolean => !signal.aborted && !(isWatched && isLate());
    const outcome = await runOnce(deps, { ...span, hasTime }, now, job);
    const didSomething = Object.values(outcome.counts).some((count) => count > 0);
    if (isWatched) runsNow.set(job.id, didSomething ? (runsNow.get(job.id) ?? 0) + 1 : RUNS_PER_MOMENT);
    if (didSomething) runs.push({ at: toInstant(now), job: job.id, counts: outcome.counts });
    if (didSomething || isWatched) due = null;
    failed += outcome.failed;
    if (outcome.failed === 0 || !isWatched) return !outcome.threw;
    const [again] = await deps.runTx(part, (tx) => dueTimes(tx, [job]));
    return again === undefined || again.at > now;
  }

  const end = async (reached: boolean): Promise<Advanced> => ({
    clock: await setTestClock(deps.runTx, part, reached ? to : now),
    reached,
    failed,
    runs,
  });

  for (;;) {
    if (signal.aborted || isLate() || moments > MOMENTS_MAX) return end(false);
    const open = watched.filter(({ id }) => (runsNow.get(id) ?? 0) < RUNS_PER_MOMENT);
    due ??= await deps.runTx(part, (tx) => dueTimes(tx, open));
    const tidyAt = tidiedAt < to ? Math.min(to, nextMultiple(tidiedAt)) : Infinity;
    const next = Math.min(tidyAt, ...due.map(({ at }) => at));
    await giveWay(part);
    if (next > to) return end(true);
    if (next > now) {
      now = next;
      moments += 1;
      if (runsNow.size > 0) due = null;
      runsNow.clear();
      if (due === null) continue;
    }
    const atOnce = due.filter(({ at }) => at <= now).toSorted((one, other) => one.at - other.at);
    // Not for housekeeping alone, of which there is much with nothing to do.
    if (atOnce.length > 0) await setTestClock(deps.runTx, part, now);
    const tidying = now < tidyAt ? [] : timed.filter(({ nextAfter }) => nextAfter(tidiedAt) <= now);
    if (now >= tidyAt) tidiedAt = now;
    for (const { job } of [...atOnce, ...tidying]) if (!(await run(job))) return end(false);
  }
}

interface Due {
  readonly job: ScheduledJob;
  /** Epoch milliseconds by the test clock; Infinity: nothing. */
  readonly at: number;
}

const dueTimes = (tx: Tx, jobs: readonly ScheduledJob[]): Promise<Due[]> =>
  Promise.all(
    jobs.map(async (job) => {
      const times = await Promise.all((job.watches ?? []).map((watch) => watch.next(tx)));
      return { job, at: Math.min(...times.map((time) => time ?? Infinity)) };
    }),
  );

interface Outcome {
  readonly counts: Readonly<Record<string, number>>;
  readonly failed: number;
  readonly threw: boolean;
}

type TimedSpan = ClockSpan & Pick<JobContext, "hasTime">;

async function runOnce(deps: AdvanceDeps, span: TimedSpan, now: number, job: ScheduledJob): Promise<Outcome> {
  try {
    const counts = await job.run(workAt(deps, span, now));
    return { counts, failed: counts["failed"] ?? 0, threw: false };
  } catch (err) {
    deps.log.error({ err, job: job.id, part: span.part }, "job failed while the test clock was advanced");
    return { counts: {}, failed: 1, threw: true };
  }
}

const workAt = (
  { runTx, newId, log, ports, portsOf }: AdvanceDeps,
  { hasTime, part, signal }: TimedSpan,
  now: number,
) => ({
  now,
  nowAt: toInstant(now),
  part,
  runTx,
  newId,
  log,
  signal,
  hasTime,
  ports: portsOf?.(part) ?? ports,
});

const nextMultiple = (ms: number): number => (Math.floor(ms / HOUSEKEEPING_MS) + 1) * HOUSEKEEPING_MS;

function withTimes(job: ScheduledJob) {
  const cron = new Cron(job.schedule, { utcOffset: 0, paused: true });
  // A daily job is looked at four times a day.
  let known = { from: Infinity, next: -Infinity };
  return {
    job,
    nextAfter: (ms: number): number => {
      if (ms < known.from || ms >= known.next)
        known = { from: ms, next: cron.nextRun(new Date(ms))?.getTime() ?? Infinity };
      return known.next;
    },
  };
}
