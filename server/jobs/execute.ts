import { setMaxListeners } from "node:events";

import { toInstant } from "../lib/instant.ts";
import type { ScheduledJob } from "../core/engine.ts";
import type { Log } from "../core/log.ts";
import { LEASE_MS } from "./lease.ts";
import type { Leases } from "./lease.ts";
import type { JobRun } from "./state.ts";
import { createVisits } from "./visits.ts";
import type { VisitDeps } from "./visits.ts";

interface ExecuteOptions {
  readonly trigger: JobRun["trigger"];
  /** The time that the run goes by, if not the clock's. */
  readonly nowMs?: number | undefined;
  /** Resolves when it is time to look for more stores with work, while others are still worked on. */
  readonly lookAgain: () => Promise<void>;
  /** Takes each result; `goesOn` while stores are still worked on. */
  readonly report: (run: JobRun, options: { readonly goesOn: boolean }) => Promise<void>;
}

/**
 * Runs a job that was claimed, with its lease renewed meanwhile. The job is asked to end when the lease is lost or
 * `stopping` aborts. A store that takes long keeps no other waiting: at the job's next time what was done is reported, and the run goes
 * on with the stores that have work by then.
 */
export async function executeJob(
  deps: VisitDeps & { readonly leases: Leases; readonly stopping: AbortSignal },
  job: ScheduledJob,
  { trigger, nowMs, lookAgain, report }: ExecuteOptions,
): Promise<JobRun> {
  const { clock, newId } = deps;
  const lease = keepLease(deps, job.id);
  const signal = AbortSignal.any([lease.lost, deps.stopping]);
  // Every store that waits for its turn listens to it.
  setMaxListeners(0, signal);
  const visits = createVisits(deps, job, { nowMs, signal, isAsked: trigger === "manual" });
  try {
    for (;;) {
      const startedMs = clock.now();
      await visits.start();
      await (signal.aborted ? visits.settled() : Promise.race([visits.settled(), lookAgain()]));
      const goesOn = visits.count() > 0;
      if (!goesOn) lease.end();
      const result = visits.takeResult();
      const run: JobRun = {
        id: newId("run"),
        job_id: job.id,
        trigger,
        outcome: result.error === null ? "ok" : "failed",
        started_at: toInstant(startedMs),
        finished_at: toInstant(clock.now()),
        now: toInstant(nowMs ?? startedMs),
        ...result,
      };
      await report(run, { goesOn });
      if (!goesOn) return run;
    }
  } finally {
    lease.end();
  }
}

function keepLease(
  { leases, log }: { readonly leases: Leases; readonly log: Log },
  jobId: string,
): { readonly lost: AbortSignal; end(): void } {
  const lost = new AbortController();
  const renew = async (): Promise<void> => {
    try {
      if (!(await leases.renew(jobId))) lost.abort();
    } catch (err) {
      // The lease outlasts two failed renewals.
      log.warn({ err, job: jobId }, "failed to renew the lease");
    }
  };
  const timer = setInterval(() => void renew(), LEASE_MS / 3).unref();
  return {
    lost: lost.signal,
    end() {
      clearInterval(timer);
      lost.abort();
    },
  };
}
