import { fail, tooManyRequests } from "./errors.ts";

export interface FairQueueLimits {
  /** Tasks that run at once. */
  readonly running: number;
  /** Tasks of one key that run at once. */
  readonly runningPerKey: number;
  /** Tasks that wait. */
  readonly queued: number;
  /** Tasks of one key that wait. */
  readonly queuedPerKey: number;
}

export interface FairQueue {
  /**
   * Runs a task when it is the turn of its key: keys take turns, whatever number of tasks each has. Throws 429 where the
   * key has too many tasks waiting, 503 where all keys together have. A task whose `signal` aborts first is not run.
   */
  run<R>(key: string, work: () => Promise<R>, signal?: AbortSignal): Promise<R>;
  /** Tasks that wait now. */
  queued(): number;
  /** Resolves when no task runs or waits. */
  idle(): Promise<void>;
}

/** Seconds after which a refused client may retry: several tasks are done by then. */
const RETRY_SECONDS = 5;

/** The response that a client which is gone does not read. */
const clientGone = (): Error => fail("service_unavailable", "The client closed the connection.");

/** A bounded queue with round robin over its keys. */
export function createFairQueue(limits: FairQueueLimits): FairQueue {
  /** Keys with waiting tasks, the next one first: a key moves to the end after its turn. */
  const waiting = new Map<string, (() => void)[]>();
  const running = new Map<string, number>();
  const idleListeners: (() => void)[] = [];
  let active = 0;
  let queued = 0;

  function startNext(): void {
    while (active < limits.running) {
      const next = [...waiting].find(([key]) => (running.get(key) ?? 0) < limits.runningPerKey);
      if (next === undefined) break;
      const [key, [start, ...rest]] = next;
      waiting.delete(key);
      if (rest.length > 0) waiting.set(key, rest);
      queued -= 1;
      active += 1;
      running.set(key, (running.get(key) ?? 0) + 1);
      start?.();
    }
    if (active === 0 && queued === 0) for (const listener of idleListeners.splice(0)) listener();
  }

  function end(key: string): void {
    active -= 1;
    const left = (running.get(key) ?? 1) - 1;
    if (left === 0) running.delete(key);
    else running.set(key, left);
    startNext();
  }

  /** Waits for the turn of a key; rejects where `signal` aborts first. */
  const wait = (key: string, signal: AbortSignal | undefined): Promise<void> =>
    new Promise((resolve, reject) => {
      if (signal?.aborted === true) return reject(clientGone());
      const start = (): void => {
        signal?.removeEventListener("abort", leave);
        resolve();
      };
      const leave = (): void => {
        const left = (waiting.get(key) ?? []).filter((one) => one !== start);
        if (left.length === 0) waiting.delete(key);
        else waiting.set(key, left);
        queued -= 1;
        reject(clientGone());
        startNext();
      };
      signal?.addEventListener("abort", leave, { once: true });
      waiting.set(key, [...(waiting.get(key) ?? []), start]);
      queued += 1;
      startNext();
    });

  return {
    async run(key, work, signal) {
      const own = waiting.get(key) ?? [];
      if (own.length >= limits.queuedPerKey) {
        throw tooManyRequests(
          `This account already has ${own.length} requests waiting to be processed.`,
          RETRY_SECONDS * 1_000,
        );
      }
      if (queued >= limits.queued) {
        throw fail(
          "service_unavailable",
          `The server is busy processing requests. Retry in ${RETRY_SECONDS} seconds.`,
          {
            code: "workers_busy",
            headers: { "Retry-After": String(RETRY_SECONDS) },
          },
        );
      }
      await wait(key, signal);
      try {
        return await work();
      } finally {
        end(key);
      }
    },
    queued: () => queued,
    idle: () =>
      active === 0 && queued === 0
        ? Promise.resolve()
        : new Promise((resolve) => {
            idleListeners.push(resolve);
          }),
  };
}
