import type { Budgets, Payer } from "../core/budgets.ts";
import { toInstant } from "../lib/instant.ts";
import type { Clock } from "../core/clock.ts";
import type { ScheduledJob } from "../core/engine.ts";
import type { NewId } from "../core/ids.ts";
import type { Log } from "../core/log.ts";
import type { Ports } from "../core/ports.ts";
import { readTestClock } from "../core/test-clock.ts";
import type { RunTx } from "../core/tx.ts";
import type { StoreDriver } from "../storage/contract.ts";
import { OWN_PART } from "../storage/own.ts";
import { LEASE_MS } from "./lease.ts";
import type { Leases } from "./lease.ts";
import type { Mark, Marks } from "./marks.ts";
import { JOBS_PART } from "./state.ts";
import type { JobRun } from "./state.ts";

export interface ExecuteDeps {
  readonly store: Pick<StoreDriver, "partitions" | "caps">;
  readonly runTx: RunTx;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly log: Log;
  readonly ports: Ports;
  /** Where jobs that say what they watch find their stores; without it they look through all of them. */
  readonly marks?: Marks;
  /** Whose budgets the work for a store uses up; without it none are counted. */
  readonly findOwner?: (part: string) => Promise<Payer | null>;
  readonly budgets?: Budgets;
  readonly portsOf?: (part: string) => Ports;
}

/**
 * Runs a job that was claimed, with its lease renewed meanwhile. The job is told to end when the lease is lost or
 * `stopping` aborts. `nowMs` is the time it goes by, if not the clock's.
 */
export async function executeJob(
  deps: ExecuteDeps & { readonly leases: Leases; readonly stopping: AbortSignal },
  job: ScheduledJob,
  { trigger, nowMs }: { readonly trigger: JobRun["trigger"]; readonly nowMs?: number | undefined },
): Promise<JobRun> {
  const { clock, newId } = deps;
  const startedMs = clock.now();
  const lease = keepLease(deps, job.id);
  const signal = AbortSignal.any([lease.lost, deps.stopping]);
  const result = await workThrough(deps, job, {
    nowMs: nowMs ?? startedMs,
    signal,
    isAsked: trigger === "manual",
  });
  lease.end();
  return {
    id: newId("run"),
    job_id: job.id,
    trigger,
    outcome: result.error === null ? "ok" : "failed",
    started_at: toInstant(startedMs),
    finished_at: toInstant(clock.now()),
    now: toInstant(nowMs ?? startedMs),
    ...result,
  };
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
  return { lost: lost.signal, end: () => clearInterval(timer) };
}

/** Runs a job on its partitions, one after the other; a failure in one does not keep the others waiting. */
async function workThrough(
  deps: ExecuteDeps,
  job: ScheduledJob,
  { nowMs, signal, isAsked }: { nowMs: number; signal: AbortSignal; isAsked: boolean },
): Promise<Pick<JobRun, "partitions" | "counts" | "error">> {
  const { runTx, newId, log, marks } = deps;
  const portsOf = deps.portsOf ?? (() => deps.ports);
  const counts: Record<string, number> = {};
  let error: string | null = null;
  let partitions = 0;
  for (const { part, mark } of await placesOf(deps, job, isAsked)) {
    if (signal.aborted) break;
    const payer = job.on === "stores" ? await deps.findOwner?.(part) : null;
    // Its work stays due until the budget renews; an operator may run it all the same.
    if (payer && !isAsked && (await deps.budgets?.look(payer, "background"))?.remaining === 0) continue;
    const startedMs = performance.now();
    partitions += 1;
    try {
      // Test data may live in a time of their own, for the engines alone: the platform keeps house by the real one.
      const now = (job.on === "stores" ? await runTx(part, readTestClock) : null) ?? nowMs;
      const work = { now, nowAt: toInstant(now), part, runTx, newId, log, signal, ports: portsOf(part) };
      const counted = await job.run(work);
      for (const [name, count] of Object.entries(counted)) counts[name] = (counts[name] ?? 0) + count;
      if (mark !== null && !signal.aborted) await marks?.settle(job, mark);
    } catch (err) {
      log.error({ err, job: job.id, part }, "job failed");
      error ??= `${part}: ${err instanceof Error ? err.message : String(err)}`;
    }
    if (payer)
      await deps.budgets?.charge(payer.customerId, "background", Math.ceil(performance.now() - startedMs));
  }
  return { partitions, counts, error };
}

interface Place {
  readonly part: string;
  /** What led there; null where everything is looked at. */
  readonly mark: Mark | null;
}

/** True for a job that is led to its stores. */
export const isLed = ({ watches }: ScheduledJob, marks: Marks | undefined): marks is Marks =>
  watches !== undefined && marks !== undefined;

/** An operator who asks for a run has every store looked at. */
async function placesOf(
  { store, marks }: ExecuteDeps,
  job: ScheduledJob,
  isAsked: boolean,
): Promise<Place[]> {
  if (isAsked || !isLed(job, marks))
    return (await partitionsOf(job, store)).map((part) => ({ part, mark: null }));
  const led = (await marks.due(job.id)).map((mark) => ({ part: mark.part, mark }));
  return job.on === "everywhere" ? [{ part: JOBS_PART, mark: null }, ...led] : led;
}

async function partitionsOf({ on }: ScheduledJob, store: ExecuteDeps["store"]): Promise<string[]> {
  if (on === "platform") return ["platform"];
  const all = (await store.partitions()).filter((part) => part !== OWN_PART);
  return on === "everywhere" ? all : all.filter((part) => part !== "platform");
}
