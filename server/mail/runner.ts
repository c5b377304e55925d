import type { Outcome } from "./delivery.ts";
import { createFairSlots } from "../lib/fair-slots.ts";

export interface RunOptions {
  /** Take a queued mail before its time. */
  readonly early: boolean;
  /** Ends the wait for a free slot; an attempt that has begun goes on. */
  readonly patience?: AbortSignal;
}

/** All mail leaves by one mail server, in order of arrival. */
const MAILS = "mails";

type Attempt = (id: string, options: { early: boolean; signal: AbortSignal }) => Promise<Outcome>;

/** Runs attempts: at most one per mail in this process, a bounded number in all. */
export interface Runner {
  run(id: string, options: RunOptions): Promise<Outcome>;
  /** Waits for what runs, at most `graceMs`, then cuts it short. */
  drain(graceMs: number): Promise<void>;
}

export function createRunner(attempt: Attempt, concurrency: number): Runner {
  const slots = createFairSlots({ max: concurrency, perKey: concurrency });
  const stopping = new AbortController();
  const running = new Map<string, Promise<Outcome>>();

  async function start(id: string, { early, patience }: RunOptions): Promise<Outcome> {
    if (!(await slots.take(MAILS, patience))) return "skipped";
    try {
      return await attempt(id, { early, signal: stopping.signal });
    } finally {
      slots.release(MAILS);
    }
  }

  return {
    run(id, options) {
      const known = running.get(id);
      if (known !== undefined) return known;
      const started = start(id, options).finally(() => running.delete(id));
      running.set(id, started);
      return started;
    },
    async drain(graceMs) {
      const timer = setTimeout(() => stopping.abort(), graceMs);
      await Promise.allSettled(running.values());
      clearTimeout(timer);
    },
  };
}
