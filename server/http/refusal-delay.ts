import type { Exchange } from "./exchange.ts";
import { createWindows } from "./windows.ts";

/** Refusals of one client that are answered at once in a minute. */
export const AT_ONCE = { max: 30, windowMs: 60_000, keysMax: 10_000 };
export const DELAY_MS = 250;
/** What each refusal that a client already waits for adds, and the longest delay. */
export const EACH = { ms: 15, maxMs: 10_000 };
/** Refusals that wait in one process, as many as it has connections; more are answered at once. */
const WAITING_MAX = 10_000;

/**
 * Delays the answer to a client that goes on although it is refused, on however many connections: it is refused some sixty times a
 * second instead of as often as the processor permits. Nothing of the request is read meanwhile. A client is a key, or what else is counted
 * together; null is never delayed.
 */
export function createRefusalDelay(): (client: string | null, refused: Refused) => Promise<void> {
  const refusals = createWindows(AT_ONCE);
  const waiting = new Map<string, number>();
  let total = 0;
  return async (key, { now, req }) => {
    if (key === null || refusals.take(key, now) === null || total >= WAITING_MAX) return;
    const before = waiting.get(key) ?? 0;
    waiting.set(key, before + 1);
    total += 1;
    await delay(Math.min(Math.max(DELAY_MS, before * EACH.ms), EACH.maxMs), req.signal());
    total -= 1;
    const left = (waiting.get(key) ?? 1) - 1;
    if (left === 0) waiting.delete(key);
    else waiting.set(key, left);
  };
}

type Refused = Pick<Exchange, "now"> & { readonly req: Pick<Exchange["req"], "signal"> };

/** A client that is gone is not waited for: who opens the next connection would fill the memory with them. */
function delay(ms: number, gone: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      gone.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    gone.addEventListener("abort", end, { once: true });
    if (gone.aborted) end();
  });
}
