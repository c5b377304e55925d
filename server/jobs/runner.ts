import { Cron } from "croner";

import { toInstant } from "../lib/instant.ts";
import { conflict, fail } from "../lib/errors.ts";
import type { FairSlots } from "../lib/fair-slots.ts";
import { advanceTestClock } from "./advance.ts";
import type { Advanced, ClockSpan } from "./advance.ts";
import { executeJob } from "./execute.ts";
import type { ScheduledJob } from "../core/engine.ts";
import { createLeases, LEASE_MS } from "./lease.ts";
import type { NextAt } from "./lease.ts";
import type { JobRun, JobState } from "./state.ts";
import { createTurns } from "./turn.ts";
import { isLed } from "./visits.ts";
import type { VisitDeps } from "./visits.ts";

export interface JobView extends JobState {
  readonly summary: string;
  readonly schedule: string;
  readonly on: ScheduledJob["on"];
}

export interface Jobs {
  list(): Promise<JobView[]>;
  /** Runs a job now, in addition to its schedule; `nowMs` is the time it goes by. Throws 404, or 409 while it runs. */
  run(id: string, options?: { readonly nowMs?: number | undefined }): Promise<JobRun>;
  /** Advances the clock of a store's test data with all work of engines that falls due on the way. */
  advance(span: ClockSpan): Promise<Advanced>;
  /** Looks for due jobs every second until `stop`. */
  start(): void;
  /** Starts nothing more, asks running jobs to end, and waits for them, at most `graceMs`. */
  stop(options?: { readonly graceMs?: number }): Promise<void>;
  /** Runs every job that is due, side by side. */
  runDue(): Promise<void>;
}

const LOOK_EVERY_MS = 1_000;
const STOP_GRACE_MS = 10_000;

/**
 * Runs jobs by their cron patterns (UTC). Every node has a runner; a lease in the store lets one of them have a job at
 * a time. A run may come twice after a crash: jobs are written so that this does no harm.
 * A time that passed while no node was up is made up for once.
 */
export function createJobs(
  given: Omit<VisitDeps, "turns"> & { readonly jobs: readonly ScheduledJob[]; readonly turns?: FairSlots },
): Jobs {
  const deps = { ...given, turns: given.turns ?? createTurns() };
  const { clock, log, marks } = deps;
  const leases = createLeases({ runTx: deps.runTx, clock, holder: deps.newId("node") });
  const byId = new Map(deps.jobs.map((job) => [job.id, job]));
  if (byId.size !== deps.jobs.length) throw new Error("Duplicate job id.");
  const stopping = new AbortController();
  const floorMs = deps.store.caps.pollFloorMs ?? 0;
  const nextRun = ({ schedule, on }: ScheduledJob): NextAt =>
    timesOf(schedule, on === "platform" ? 0 : floorMs);
  const work = createTracker();
  /** When each job is next worth a look, so that waiting reads nothing from the store. */
  const lookAt = createLookTimes();
  /** Jobs that this runner's own schedule looks at or runs now. */
  const looked = new Set<string>();
  /** Has a running job look for more stores with work. */
  const lookers = new Map<string, () => void>();
  let timer: NodeJS.Timeout | undefined;

  async function runClaimed(job: ScheduledJob, trigger: JobRun["trigger"], nowMs?: number): Promise<JobRun> {
    try {
      return await executeJob({ ...deps, leases, stopping: stopping.signal }, job, {
        trigger,
        nowMs,
        lookAgain: () => nextLook(job, trigger),
        report: (run, { goesOn }) =>
          leases.release(run, { nextAt: nextRun(job), keep: isWorthKeeping(run), goesOn }),
      });
    } finally {
      lookers.delete(job.id);
    }
  }

  /** Resolves at the next time of a job that is led to its stores; a run over all of them looks once. */
  function nextLook(job: ScheduledJob, trigger: JobRun["trigger"]): Promise<void> {
    lookAt.set(job.id, nextRun(job)(clock.now()) ?? Infinity);
    return new Promise((resolve) => {
      if (isLed(job, marks) && trigger === "schedule") lookers.set(job.id, resolve);
    });
  }

  /** A job that nothing leads anywhere is not claimed: an idle server writes nothing. */
  const hasWork = async (job: ScheduledJob): Promise<boolean> =>
    !isLed(job, marks) || job.on === "everywhere" || (await marks.due(job.id, 1)).length > 0;

  async function runIfDue(job: ScheduledJob): Promise<void> {
    try {
      if (!(await hasWork(job))) {
        lookAt.set(job.id, nextRun(job)(clock.now()) ?? Infinity);
        return;
      }
      const atOnce = isLed(job, marks);
      if (await leases.claimDue(job.id, nextRun(job), { atOnce })) await runClaimed(job, "schedule");
      const { next_at, lease_until } = await leases.read(job.id);
      // A job that another runner has is due again when that one gives no more sign of life.
      lookAt.set(job.id, Math.max(timeOf(next_at), lease_until === null ? 0 : timeOf(lease_until)));
    } catch (err) {
      log.error({ err, job: job.id }, "failed to run the job");
      lookAt.set(job.id, clock.now() + LEASE_MS);
    }
  }

  async function runDue(): Promise<void> {
    const toLookAt = deps.jobs.filter(({ id }) => lookAt.isDue(id, clock.now()));
    for (const { id } of toLookAt) lookers.get(id)?.();
    const due = toLookAt.filter(({ id }) => !looked.has(id));
    for (const { id } of due) looked.add(id);
    await Promise.all(due.map((job) => runIfDue(job).finally(() => looked.delete(job.id))));
  }

  return {
    list: () =>
      Promise.all(
        deps.jobs.map(async (job) =>
          toView(job, await leases.read(job.id), isLed(job, marks) ? nextRun(job)(clock.now()) : null),
        ),
      ),
    async run(id, { nowMs } = {}) {
      const job = byId.get(id);
      if (job === undefined) throw fail("not_found", "No job with this id.");
      if (stopping.signal.aborted) throw fail("service_unavailable", "The server is shutting down.");
      if (!(await leases.claim(id))) {
        throw conflict("job_running", "This job is already running.");
      }
      return work.track(runClaimed(job, "manual", nowMs));
    },
    advance: (span) =>
      advanceTestClock(deps, { ...span, signal: AbortSignal.any([span.signal, stopping.signal]) }),
    start() {
      if (stopping.signal.aborted) return;
      timer ??= setInterval(() => void work.track(runDue()), LOOK_EVERY_MS).unref();
    },
    async stop({ graceMs = STOP_GRACE_MS } = {}) {
      stopping.abort();
      clearInterval(timer);
      await work.settled(graceMs);
    },
    runDue: () => work.track(runDue()),
  };
}

function createLookTimes() {
  const times = new Map<string, number>();
  let lastMs = 0;
  return {
    set: (id: string, atMs: number): void => void times.set(id, atMs),
    isDue(id: string, now: number): boolean {
      // Times of a clock that was set back since may be years ahead.
      if (now < lastMs) times.clear();
      lastMs = now;
      return (times.get(id) ?? 0) <= now;
    },
  };
}

/** Most runs find nothing to do: those would displace the informative ones in the history. */
const isWorthKeeping = ({ trigger, error, counts }: JobRun): boolean =>
  trigger === "manual" || error !== null || Object.values(counts).some((count) => count > 0);

/** `nextMs` for a job that is led to its work: between two pieces of it nothing is written about the job. */
const toView = (
  { summary, schedule, on }: ScheduledJob,
  state: JobState,
  nextMs: number | null,
): JobView => ({
  ...state,
  next_at: nextMs === null ? state.next_at : toInstant(nextMs),
  summary,
  schedule,
  on,
});

const timeOf = (instant: string | null): number => (instant === null ? Infinity : Date.parse(instant));

/** Times of a cron pattern, in UTC; of a pattern denser than that, times `floorMs` apart. Throws on a pattern that is none. */
function timesOf(pattern: string, floorMs: number): NextAt {
  const cron = new Cron(pattern, { utcOffset: 0, paused: true });
  return (afterMs) => {
    const [next, following] = cron.nextRuns(2, new Date(afterMs)).map((time) => time.getTime());
    const isDense = next !== undefined && following !== undefined && following - next < floorMs;
    if (!isDense) return next ?? null;
    return cron.nextRun(new Date(afterMs + floorMs - 1000))?.getTime() ?? null;
  };
}

/** Remembers what runs, so that the end can wait for it. */
function createTracker() {
  const running = new Set<Promise<unknown>>();
  return {
    track<R>(work: Promise<R>): Promise<R> {
      running.add(work);
      const forget = (): void => void running.delete(work);
      work.then(forget, forget);
      return work;
    },
    async settled(graceMs: number): Promise<void> {
      let timer: NodeJS.Timeout | undefined;
      const patience = new Promise((resolve) => {
        timer = setTimeout(resolve, graceMs);
      });
      await Promise.race([Promise.allSettled(running), patience]);
      clearTimeout(timer);
    },
  };
}
