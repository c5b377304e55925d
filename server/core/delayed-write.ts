import type { Log } from "./log.ts";

export interface DelayedWrite {
  /** There is something to write: it is written after the delay. */
  readonly arm: () => void;
  /** Writes at once; one write follows the other. */
  readonly flush: () => Promise<void>;
  /** Ends the delay without a write. */
  readonly stop: () => void;
}

/** Writes what was gathered in memory some time after the first of it; a write that failed is tried again. */
export function createDelayedWrite(deps: {
  readonly write: () => Promise<void>;
  readonly delayMs: number;
  readonly log: Log;
  /** Logged when a write failed. */
  readonly failure: string;
}): DelayedWrite {
  let writing: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;

  function stop(): void {
    clearTimeout(timer);
    timer = undefined;
  }

  function flush(): Promise<void> {
    stop();
    writing = writing.catch(() => undefined).then(deps.write);
    return writing;
  }

  function arm(): void {
    // A timer only while there is something to write, and none that keeps the process alive.
    timer ??= setTimeout(() => {
      flush().catch((err: unknown) => {
        deps.log.warn({ err }, deps.failure);
        arm();
      });
    }, deps.delayMs).unref();
  }

  return { arm, flush, stop };
}
