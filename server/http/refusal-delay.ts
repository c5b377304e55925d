import type { GatewayDeps } from "./deps.ts";
import type { Exchange } from "./exchange.ts";
import { publicBlock } from "./visitor.ts";
import { createWindows } from "./windows.ts";

/** Refusals (429) of one key, or of one address without a key, that are answered at once in a minute. */
export const AT_ONCE = { max: 30, windowMs: 60_000, keysMax: 10_000 };
export const DELAY_MS = 250;
/** Refusals that wait in one process; more are answered at once. */
const WAITING_MAX = 1_000;

/**
 * Delays the answer to a client that goes on although it is refused: each of its connections is then refused four times a
 * second instead of as often as the processor permits. Nothing of the request is read meanwhile.
 */
export function createRefusalDelay(): (deps: GatewayDeps, exchange: Exchange) => Promise<void> {
  const refusals = createWindows(AT_ONCE);
  let waiting = 0;
  return async (deps, { now, principal, req }) => {
    // A publishable key belongs to all visitors of a shop: one of them must not delay the others.
    const key = principal?.isPublic === false ? principal.keyId : publicBlock(deps, req);
    if (key === null || refusals.take(key, now) === null || waiting >= WAITING_MAX) return;
    waiting += 1;
    await new Promise((resolve) => setTimeout(resolve, DELAY_MS));
    waiting -= 1;
  };
}
