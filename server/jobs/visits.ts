import type { Budgets, Payer } from "../core/budgets.ts";
import type { Clock } from "../core/clock.ts";
import type { ScheduledJob } from "../core/engine.ts";
import type { NewId } from "../core/ids.ts";
import type { Log } from "../core/log.ts";
import type { Ports } from "../core/ports.ts";
import { readTestClock } from "../core/test-clock.ts";
import type { RunTx } from "../core/tx.ts";
import { createFairSlots, inPlace } from "../lib/fair-slots.ts";
import type { FairSlots } from "../lib/fair-slots.ts";
import { MINUTE_MS, toInstant } from "../lib/instant.ts";
import { atWork, giveWay } from "../lib/slices.ts";
import type { StoreDriver } from "../storage/contract.ts";
import { OWN_PART } from "../storage/own.ts";
import type { Mark, Marks } from "./marks.ts";
import { JOBS_PART } from "./state.ts";
import type { JobRun } from "./state.ts";
import { SLOW_TURN_MS, startTurn } from "./turn.ts";

export interface VisitDeps {
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
  /** Places of stores that are worked on at the same time, shared by all jobs of a node. */
  readonly turns: FairSlots;
}

/** All visits of a process share the time that its event loop has for long work: most find nothing to do, and wait for nothing. */
const TURN_KEY = "jobs";

/**
 * Stores that a job works on at the same time where it looks through all of them, which it does at the same minute: some have tens of
 * megabytes in memory then, and all stores that wait would have the turns of other jobs.
 */
const LOOKED_AT_ONCE = { max: 4, perKey: 1 };

interface VisitOptions {
  readonly nowMs: number | undefined;
  readonly signal: AbortSignal;
  /** An operator asked for the run: every store is looked at, whatever its budget, until nothing is left. */
  readonly isAsked: boolean;
}

interface Visits {
  /** Begins with every store that has work and is not being worked on. */
  start(): Promise<void>;
  /** Stores that are worked on or wait for their turn. */
  count(): number;
  settled(): Promise<unknown>;
  /** What came of the turns that ended since the last call. */
  takeResult(): Result;
}

type Result = Pick<JobRun, "partitions" | "counts"> & { error: string | null };

interface Place {
  readonly part: string;
  /** What led there; null where everything is looked at. */
  readonly mark: Mark | null;
}

/** Works on stores side by side, in bounded turns; a failure in one does not keep the others waiting. */
export function createVisits(deps: VisitDeps, job: ScheduledJob, options: VisitOptions): Visits {
  const { turns, log, marks } = deps;
  const { signal, isAsked } = options;
  const running = new Map<string, Promise<void>>();
  const places = createFairSlots(LOOKED_AT_ONCE);
  let result = noResult();

  async function start(): Promise<void> {
    try {
      for (const place of await placesOf(deps, job, isAsked)) {
        await giveWay(TURN_KEY);
        if (signal.aborted) return;
        if (running.has(place.part)) continue;
        const payer = (await deps.findOwner?.(place.part)) ?? null;
        const visit = turnsOf(place, payer).finally(() => running.delete(place.part));
        running.set(place.part, visit);
      }
    } catch (err) {
      noteFailure(err);
    }
  }

  function noteFailure(err: unknown, part?: string): void {
    log.error({ err, job: job.id, part }, "job failed");
    const detail = err instanceof Error ? err.message : String(err);
    result.error ??= part === undefined ? detail : `${part}: ${detail}`;
  }

  /** One turn of a store after the other until nothing is left; those of others come in between. */
  async function turnsOf(place: Place, payer: Payer | null): Promise<void> {
    const key = payer?.customerId ?? place.part;
    // The platform's own work does not wait for that of stores.
    const isOwn = place.part === JOBS_PART;
    const turn = async (): Promise<boolean> => {
      await giveWay(TURN_KEY);
      if (signal.aborted) return false;
      try {
        return await takeTurn(place, job.on === "stores" ? payer : null);
      } catch (err) {
        noteFailure(err, place.part);
        if (place.mark !== null) await marks?.retry(place.mark).catch(noteFailure);
        return false;
      }
    };
    // Without the signal: thousands of stores that listen to it take the time of their number squared.
    const inTurn = () => inPlace(turns, { key, slowMs: SLOW_TURN_MS }, turn);
    const looked = () => inPlace(places, { key, slowMs: SLOW_TURN_MS }, inTurn);
    const next = isOwn ? turn : job.watches === undefined ? looked : inTurn;
    while ((await next()) === true);
  }

  /** True when work is left for another turn. */
  async function takeTurn({ part, mark }: Place, payer: Payer | null): Promise<boolean> {
    if (payer !== null && !isAsked && (await isOutOfBudget(payer, mark))) return false;
    const startedMs = performance.now();
    const turn = startTurn(deps.clock, { signal, isBounded: !isAsked });
    atWork.jobs += 1;
    try {
      const counts = await run(part, turn.hasTime);
      for (const [name, count] of Object.entries(counts)) {
        result.counts[name] = (result.counts[name] ?? 0) + count;
      }
      if (mark !== null && !signal.aborted && !turn.isCut()) await marks?.settle(job, mark);
      return turn.isCut();
    } finally {
      atWork.jobs -= 1;
      if (!turn.isCut()) result.partitions += 1;
      if (payer !== null) {
        const spentMs = Math.ceil(performance.now() - startedMs);
        await deps.budgets?.charge(payer.customerId, "background", spentMs);
      }
    }
  }

  async function run(part: string, hasTime: () => boolean): Promise<Readonly<Record<string, number>>> {
    const { runTx, newId } = deps;
    // Test data may live in a time of their own, for the engines alone: the platform keeps house by the real one.
    const own = job.on === "stores" ? await runTx(part, readTestClock) : null;
    const now = own ?? options.nowMs ?? deps.clock.now();
    const ports = deps.portsOf?.(part) ?? deps.ports;
    return job.run({ now, nowAt: toInstant(now), part, runTx, newId, log, signal, hasTime, ports });
  }

  /** The work stays due until the budget renews, or is raised. */
  async function isOutOfBudget(payer: Payer, mark: Mark | null): Promise<boolean> {
    const state = await deps.budgets?.look(payer, "background");
    if (state === undefined || state.remaining !== 0) return false;
    const soonMs = deps.clock.now() + MINUTE_MS;
    if (mark !== null) await marks?.putOff(mark, Math.min(soonMs, state.renewsAtMs ?? soonMs));
    return true;
  }

  return {
    start,
    count: () => running.size,
    settled: () => Promise.all(running.values()),
    takeResult() {
      const taken = result;
      result = noResult();
      return taken;
    },
  };
}

const noResult = (): { partitions: number; counts: Record<string, number>; error: string | null } => ({
  partitions: 0,
  counts: {},
  error: null,
});

/** True for a job that is led to its stores. */
export const isLed = ({ watches }: ScheduledJob, marks: Marks | undefined): marks is Marks =>
  watches !== undefined && marks !== undefined;

/** An operator who asks for a run has every store looked at. */
async function placesOf({ store, marks }: VisitDeps, job: ScheduledJob, isAsked: boolean): Promise<Place[]> {
  if (isAsked || !isLed(job, marks))
    return (await partitionsOf(job, store)).map((part) => ({ part, mark: null }));
  const led = (await marks.due(job.id)).map((mark) => ({ part: mark.part, mark }));
  return job.on === "everywhere" ? [{ part: JOBS_PART, mark: null }, ...led] : led;
}

async function partitionsOf({ on }: ScheduledJob, store: VisitDeps["store"]): Promise<string[]> {
  if (on === "platform") return ["platform"];
  const all = (await store.partitions()).filter((part) => part !== OWN_PART);
  return on === "everywhere" ? all : all.filter((part) => part !== "platform");
}
