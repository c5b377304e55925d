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
   * Runs a task when it is the turn of its key: keys take turns, whatever number of tasks each has, and those whose tasks took less time
   * lately come first. Those whose tasks took long leave one place to the others. Throws 429 where the key has too many tasks waiting. Where all keys together have, the last task of the key with the
   * most is refused with 503: many keys with many tasks must not have one with few refused. A task whose `signal` aborts first is not run.
   */
  run<R>(key: string, work: () => Promise<R>, signal?: AbortSignal): Promise<R>;
  /** Tasks that wait now. */
  queued(): number;
  /** Resolves when no task runs or waits. */
  idle(): Promise<void>;
}

/** Seconds after which a refused client may retry: several tasks are done by then. */
const RETRY_SECONDS = 5;

const busy = (): Error =>
  fail("service_unavailable", `The server is busy processing requests. Retry in ${RETRY_SECONDS} seconds.`, {
    code: "workers_busy",
    headers: { "Retry-After": String(RETRY_SECONDS) },
  });

/** The response that a client which is gone does not read. */
const clientGone = (): Error => fail("service_unavailable", "The client closed the connection.");

interface Waiting {
  readonly start: () => void;
  readonly leave: (reason: Error) => void;
}

/** Time of tasks that is forgotten by half after so long, and that is no difference. */
const USED_HALF_MS = 60_000;
const USED_STEP_MS = 100;
/** Keys whose tasks took more than this have all places but one. */
const LONG_MS = 5_000;
const KEYS_MAX = 10_000;

/** What the tasks of each key took lately, in steps: few customers with long tasks would otherwise have all others wait for one of each. */
function createUsed() {
  const used = new Map<string, { readonly ms: number; readonly atMs: number }>();
  const look = (key: string, nowMs: number): number => {
    const { ms, atMs } = used.get(key) ?? { ms: 0, atMs: nowMs };
    return ms * 0.5 ** ((nowMs - atMs) / USED_HALF_MS);
  };
  const stepsOf = (key: string, nowMs: number): number => Math.floor(look(key, nowMs) / USED_STEP_MS);
  return {
    isLong: (key: string): boolean => look(key, performance.now()) > LONG_MS,
    /** The first of these keys whose tasks took least. */
    least(keys: readonly string[]): string | undefined {
      const nowMs = performance.now();
      const steps = keys.map((key) => stepsOf(key, nowMs));
      return keys[steps.indexOf(Math.min(...steps))];
    },
    add(key: string, ms: number): void {
      const atMs = performance.now();
      const sum = { ms: look(key, atMs) + ms, atMs };
      used.delete(key);
      used.set(key, sum);
      const [oldest] = used.keys();
      if (used.size > KEYS_MAX && oldest !== undefined) used.delete(oldest);
    },
  };
}

/** Whether a task of a key may start: two keys with tasks of many seconds would have all others wait for them. */
function hasPlace(
  key: string,
  limits: FairQueueLimits,
  running: ReadonlyMap<string, number>,
  used: Pick<ReturnType<typeof createUsed>, "isLong">,
): boolean {
  if ((running.get(key) ?? 0) >= limits.runningPerKey) return false;
  if (!used.isLong(key)) return true;
  const long = [...running].reduce((sum, [other, count]) => sum + (used.isLong(other) ? count : 0), 0);
  return long < Math.max(1, limits.running - 1);
}

/** A bounded queue with round robin over its keys. */
export function createFairQueue(limits: FairQueueLimits): FairQueue {
  /** Keys with waiting tasks, the next one first: a key moves to the end after its turn. */
  const waiting = new Map<string, Waiting[]>();
  const used = createUsed();
  const running = new Map<string, number>();
  const idleListeners: (() => void)[] = [];
  let active = 0;
  let queued = 0;

  /** Makes room for a task of a key that has so many waiting; false where no key has more than one more. */
  function makeRoom(own: number): boolean {
    const most = Math.max(...Array.from(waiting.values(), ({ length }) => length));
    if (most <= own + 1) return false;
    const largest = [...waiting.values()].find(({ length }) => length === most);
    largest?.at(-1)?.leave(busy());
    return true;
  }

  function startNext(): void {
    while (active < limits.running) {
      const free = [...waiting.keys()].filter((key) => hasPlace(key, limits, running, used));
      const key = used.least(free);
      if (key === undefined) break;
      const [first, ...rest] = waiting.get(key) ?? [];
      waiting.delete(key);
      if (rest.length > 0) waiting.set(key, rest);
      queued -= 1;
      active += 1;
      running.set(key, (running.get(key) ?? 0) + 1);
      first?.start();
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

  /** Waits for the turn of a key; rejects where `signal` aborts first, or where it has to make room. */
  const wait = (key: string, signal: AbortSignal | undefined): Promise<void> =>
    new Promise((resolve, reject) => {
      if (signal?.aborted === true) return reject(clientGone());
      const own: Waiting = {
        start() {
          signal?.removeEventListener("abort", onGone);
          resolve();
        },
        leave(reason) {
          signal?.removeEventListener("abort", onGone);
          const left = (waiting.get(key) ?? []).filter((one) => one !== own);
          if (left.length === 0) waiting.delete(key);
          else waiting.set(key, left);
          queued -= 1;
          reject(reason);
          startNext();
        },
      };
      const onGone = (): void => own.leave(clientGone());
      signal?.addEventListener("abort", onGone, { once: true });
      waiting.set(key, [...(waiting.get(key) ?? []), own]);
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
      if (queued >= limits.queued && !makeRoom(own.length)) throw busy();
      await wait(key, signal);
      const startedMs = performance.now();
      try {
        return await work();
      } finally {
        used.add(key, performance.now() - startedMs);
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
