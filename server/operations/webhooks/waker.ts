import type { Clock } from "../../core/clock.ts";
import type { Log } from "../../core/log.ts";
import { startTurn } from "../../jobs/turn.ts";

/** What is due later than this is left to the job that looks through all partitions. */
const TIMER_MAX_MS = 10 * 60_000;
const TIMER_MIN_MS = 10;
const SOON_MS = 100;
const STOP_GRACE_MS = 10_000;

/** Has work done in a partition as soon as there is some, so that partitions need not be polled. */
export interface Waker {
  /** Something is to be done in a partition, now. Costs nothing while the service does not run (`start`). */
  wake(part: string): void;
  /** The same in a moment: for a change that is about to be committed. */
  wakeSoon(part: string): void;
  /** From now on what happens is sent at once; before, only by the job. */
  start(): void;
  /** Takes nothing more on, and waits for what is being sent. */
  stop(options?: { readonly graceMs?: number }): Promise<void>;
}

interface Working {
  again: boolean;
  timer: NodeJS.Timeout | undefined;
  running: Promise<void> | null;
}

/**
 * One worker for each partition in which something is due; it works in turns. `nextDueMs` is when, in epoch milliseconds, the
 * next thing of a partition is due; null when nothing is.
 */
export function createWaker(deps: {
  readonly work: (
    part: string,
    options: { readonly signal: AbortSignal; readonly hasTime: () => boolean },
  ) => Promise<unknown>;
  readonly nextDueMs: (part: string) => Promise<number | null>;
  readonly clock: Clock;
  readonly log: Log;
}): Waker {
  const stopping = new AbortController();
  const parts = new Map<string, Working>();
  let isStarted = false;

  function wake(part: string): void {
    if (!isStarted || stopping.signal.aborted) return;
    const state = parts.get(part) ?? { again: false, timer: undefined, running: null };
    parts.set(part, state);
    clearTimeout(state.timer);
    if (state.running === null) state.running = runUntilIdle(part, state);
    else state.again = true;
  }

  async function runUntilIdle(part: string, state: Working): Promise<void> {
    let dueMs: number | null = null;
    try {
      do {
        state.again = false;
        const turn = startTurn(deps.clock, { signal: stopping.signal, isBounded: true });
        await deps.work(part, { signal: stopping.signal, hasTime: turn.hasTime });
        dueMs = turn.isCut() ? deps.clock.now() : await deps.nextDueMs(part);
      } while (state.again && !stopping.signal.aborted);
    } catch (err) {
      // The job looks again within a minute.
      deps.log.warn({ err, part }, "failed to send webhooks, retrying later");
    }
    state.running = null;
    const waitMs = dueMs === null ? Infinity : dueMs - deps.clock.now();
    if (waitMs > TIMER_MAX_MS || stopping.signal.aborted) parts.delete(part);
    else state.timer = setTimeout(() => wake(part), Math.max(TIMER_MIN_MS, waitMs)).unref();
  }

  return {
    wake,
    wakeSoon(part) {
      if (isStarted) setTimeout(() => wake(part), SOON_MS).unref();
    },
    start() {
      isStarted = true;
    },
    async stop({ graceMs = STOP_GRACE_MS } = {}) {
      stopping.abort();
      for (const { timer } of parts.values()) clearTimeout(timer);
      const working = [...parts.values()].flatMap(({ running }) => running ?? []);
      let timer: NodeJS.Timeout | undefined;
      const patience = new Promise((resolve) => {
        timer = setTimeout(resolve, graceMs);
      });
      await Promise.race([Promise.allSettled(working), patience]);
      clearTimeout(timer);
    },
  };
}
