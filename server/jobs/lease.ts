import { fromInstant, HOUR_MS, toInstant } from "../lib/instant.ts";
import type { Clock } from "../core/clock.ts";
import type { RunTx, Stored, Tx } from "../core/tx.ts";
import { jobRuns, jobStates, JOBS_PART, RUNS_KEPT } from "./state.ts";
import type { JobRun, JobState } from "./state.ts";

/** How long a job stays with a runner that gives no sign of life. */
export const LEASE_MS = 60_000;
/** The longest time until a scheduled run is repeated that never ended. */
const REPEAT_MAX_MS = HOUR_MS;

export interface Leases {
  /** The state of a job; one that never ran has an empty one. */
  read(jobId: string): Promise<JobState>;
  /** Takes the job unless another runner has it. False: leave it alone. */
  claim(jobId: string): Promise<boolean>;
  /**
   * The same for a scheduled run, which must be due; notes when it is, the first time. `atOnce`: it is due the first time as well,
   * since something waits for it.
   */
  claimDue(jobId: string, nextAt: NextAt, options?: { readonly atOnce?: boolean }): Promise<boolean>;
  /** A sign of life; false when the job was taken over. */
  renew(jobId: string): Promise<boolean>;
  /** Gives the job back with what became of it, unless the run goes on, and keeps the run in the history if asked to. */
  release(
    run: JobRun,
    options: { readonly nextAt: NextAt; readonly keep: boolean; readonly goesOn: boolean },
  ): Promise<void>;
}

/** The next time after an instant; null for a job that has none. */
export type NextAt = (afterMs: number) => number | null;

/**
 * Claims of jobs. Every claim reads the state in a transaction and writes it, so of two runners that try at once one
 * sees the other's claim.
 */
export function createLeases(deps: {
  readonly runTx: RunTx;
  readonly clock: Clock;
  readonly holder: string;
}): Leases {
  const { runTx, clock, holder } = deps;
  const leaseEnd = (): string => toInstant(clock.now() + LEASE_MS);

  return {
    read: (jobId) => runTx(JOBS_PART, async (tx) => (await tx.get(jobStates, jobId))?.value ?? fresh(jobId)),
    claim: (jobId) =>
      runTx(JOBS_PART, async (tx) => {
        const found = await tx.get(jobStates, jobId);
        return take(tx, found, found?.value ?? fresh(jobId));
      }),
    claimDue(jobId, nextAt, { atOnce = false } = {}) {
      return runTx(JOBS_PART, async (tx) => {
        const found = await tx.get(jobStates, jobId);
        const state = found?.value ?? fresh(jobId);
        const now = clock.now();
        const isDue = state.next_at === null ? atOnce : fromInstant(state.next_at) <= now;
        if (isDue) return take(tx, found, { ...state, next_at: repeatAt(state, now) });
        // The time at which a run is repeated is not that of its schedule.
        if (state.holder !== null) return false;
        // Seen for the first time, or its schedule became denser: the time is written down.
        const next = nextAt(now);
        const next_at = next === null ? null : toInstant(next);
        if (next_at !== null && (state.next_at === null || next_at < state.next_at)) {
          write(tx, found, { ...state, next_at });
        }
        return false;
      });
    },
    renew(jobId) {
      return runTx(JOBS_PART, async (tx) => {
        const found = await tx.get(jobStates, jobId);
        if (found?.value.holder !== holder) return false;
        write(tx, found, { ...found.value, lease_until: leaseEnd() });
        return true;
      });
    },
    release(run, { nextAt, keep, goesOn }) {
      return runTx(JOBS_PART, async (tx) => {
        const found = await tx.get(jobStates, run.job_id);
        if (found?.value.holder === holder) {
          // Only now is it due later: had this process died meanwhile, another would have taken the run over.
          const next = run.trigger === "schedule" ? nextAt(clock.now()) : null;
          write(tx, found, {
            ...found.value,
            ...(run.trigger === "schedule" ? { next_at: next === null ? null : toInstant(next) } : {}),
            ...(goesOn ? {} : { holder: null, lease_until: null }),
            last_finished_at: run.finished_at,
            last_outcome: run.outcome,
          });
        }
        if (keep) await keepRun(tx, run);
      });
    },
  };

  function take(tx: Tx, found: Stored<JobState> | null, state: JobState): boolean {
    const now = clock.now();
    if (isHeld(state, now)) return false;
    write(tx, found, { ...state, holder, lease_until: leaseEnd(), last_started_at: toInstant(now) });
    return true;
  }
}

/**
 * When it is due if this run does not end either: the time since the last start, doubled. A run that ends its process every time
 * would end those that restart it every minute.
 */
function repeatAt({ holder, next_at, last_started_at: startedAt }: JobState, now: number): string | null {
  if (holder === null || startedAt === null) return next_at;
  return toInstant(now + Math.min(2 * (now - fromInstant(startedAt)), REPEAT_MAX_MS));
}

const isHeld = (state: JobState, now: number): boolean =>
  state.holder !== null && state.lease_until !== null && fromInstant(state.lease_until) > now;

function write(tx: Tx, before: Stored<JobState> | null, state: JobState): void {
  tx.save(jobStates, before, state);
}

/** Adds a run and drops the oldest beyond `RUNS_KEPT`. */
async function keepRun(tx: Tx, run: JobRun): Promise<void> {
  const { items } = await tx.peekPage(jobRuns, { index: "job", value: run.job_id, limit: RUNS_KEPT + 10 });
  tx.create(jobRuns, run);
  for (const old of items.slice(RUNS_KEPT - 1)) tx.remove(jobRuns, old);
}

const fresh = (id: string): JobState => ({
  id,
  next_at: null,
  holder: null,
  lease_until: null,
  last_started_at: null,
  last_finished_at: null,
  last_outcome: null,
});
