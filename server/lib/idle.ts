import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";

const WINDOW_MS = 50;
const BUSY = 0.5;
const WINDOWS_MAX = 40;

/**
 * Resolves when the event loop was mostly idle for 50 ms, or after two seconds of work, or when the signal aborts. Does not keep the
 * process alive.
 */
export async function untilIdle(signal: AbortSignal): Promise<void> {
  for (let windows = 0; windows < WINDOWS_MAX && !signal.aborted; windows += 1) {
    const before = performance.eventLoopUtilization();
    await sleep(WINDOW_MS, undefined, { ref: false, signal }).catch(() => undefined);
    if (performance.eventLoopUtilization(before).utilization < BUSY) return;
  }
}
