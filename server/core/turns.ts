import { randomInt } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";

import { fail } from "../lib/errors.ts";
import type { Key } from "../storage/contract.ts";

/** One run of a transaction: what it returned, or the key of the document that another one changed first. */
export type Attempt<R> = { readonly done: R } | { readonly lost: Key };

/** Queues of one process by contended document. */
export interface Turns {
  isEmpty(): boolean;
  has(key: Key): boolean;
  /**
   * Waits for the turns before, then attempts until one succeeds: other processes may still win, so the delay between two is
   * random. Throws 503 with the code `contention` when the time is over. `next` lets the next turn begin before this one ends.
   */
  take<R>(key: Key, attempt: (next: () => void) => Promise<Attempt<R>>): Promise<R>;
}

const DELAY_MAX_MS = 64;

export function createTurns(retryMs: number): Turns {
  const queues = new Map<Key, Promise<unknown>>();

  async function repeat<R>(attempt: (next: () => void) => Promise<Attempt<R>>, next: () => void): Promise<R> {
    const deadline = performance.now() + retryMs;
    for (let run = 0; ; run += 1) {
      const result = await attempt(next);
      if ("done" in result) return result.done;
      if (performance.now() >= deadline) throw contention();
      await sleep(randomInt(Math.min(DELAY_MAX_MS, 2 ** run) + 1));
    }
  }

  return {
    isEmpty: () => queues.size === 0,
    has: (key) => queues.has(key),
    take(key, attempt) {
      let next = (): void => {};
      const over = new Promise<void>((resolve) => (next = resolve));
      const turn = within(queues.get(key), retryMs).then(() => repeat(attempt, next));
      queues.set(key, over);
      const end = (): void => {
        next();
        if (queues.get(key) === over) queues.delete(key);
      };
      void turn.then(end, end);
      return turn;
    },
  };
}

const contention = () =>
  fail("service_unavailable", "Too many requests are changing the same resource. Retry the request.", {
    code: "contention",
    headers: { "Retry-After": "1" },
  });

/** Resolves when the turns before have ended, at the latest after some time: a run must not wait for one that waits for it. */
async function within(before: Promise<unknown> | undefined, waitMs: number): Promise<void> {
  if (before === undefined) return;
  const ended = new AbortController();
  const late = sleep(waitMs, undefined, { signal: ended.signal, ref: false }).catch(() => undefined);
  await Promise.race([before, late]);
  ended.abort();
}
