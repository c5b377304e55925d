import type { Outcome } from "./delivery.ts";
import { createFairSlots, inPlace } from "../lib/fair-slots.ts";
import type { FairLimits } from "../lib/fair-slots.ts";

export interface RunOptions {
  /** Take a queued mail before its time. */
  readonly early: boolean;
  /** Whose mail it is: senders take turns. */
  readonly sender: string;
  /** Ends the wait for a free slot; an attempt that has begun goes on. */
  readonly patience?: AbortSignal;
}

type Attempt = (id: string, options: { early: boolean; signal: AbortSignal }) => Promise<Outcome>;

/** Runs attempts: at most one per mail in this process, a bounded number in all, and fewer of one sender. */
export interface Runner {
  /** Whether an attempt for this mail runs or waits for a slot. */
  has(id: string): boolean;
  /** How many of each sender run or wait. */
  senders(): Map<string, number>;
  run(id: string, options: RunOptions): Promise<Outcome>;
  /** Waits for what runs, at most `graceMs`, then cuts it short. */
  drain(graceMs: number): Promise<void>;
}

/** `slowMs`: so long an attempt keeps its place from others. */
export function createRunner(
  attempt: Attempt,
  { slowMs, ...limits }: FairLimits & { readonly slowMs: number },
): Runner {
  const slots = createFairSlots(limits);
  const stopping = new AbortController();
  const running = new Map<string, { readonly sender: string; readonly outcome: Promise<Outcome> }>();

  const start = async (id: string, { early, patience, sender }: RunOptions): Promise<Outcome> =>
    (await inPlace(slots, { key: sender, signal: patience, slowMs }, () =>
      attempt(id, { early, signal: stopping.signal }),
    )) ?? "skipped";

  return {
    has: (id) => running.has(id),
    senders() {
      const counts = new Map<string, number>();
      for (const { sender } of running.values()) counts.set(sender, (counts.get(sender) ?? 0) + 1);
      return counts;
    },
    run(id, options) {
      const known = running.get(id);
      if (known !== undefined) return known.outcome;
      const outcome = start(id, options).finally(() => running.delete(id));
      running.set(id, { sender: options.sender, outcome });
      return outcome;
    },
    async drain(graceMs) {
      const timer = setTimeout(() => stopping.abort(), graceMs);
      await Promise.allSettled([...running.values()].map(({ outcome }) => outcome));
      clearTimeout(timer);
    },
  };
}
