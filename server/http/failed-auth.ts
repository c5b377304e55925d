import { isPublicAddress } from "../lib/addresses.ts";
import type { GatewayDeps } from "./deps.ts";
import { tooManyRequests } from "../lib/errors.ts";
import { addressBlock } from "./client-address.ts";
import type { Exchange } from "./exchange.ts";
import { clientOf } from "./visitor.ts";

interface Limits {
  readonly max: number;
  readonly windowMs: number;
  /** Addresses that are remembered at once. */
  readonly addressesMax: number;
}

/** Refusals (401) that one address receives in a minute; further failures are answered with 429. */
export const FAILED_AUTH: Limits = { max: 30, windowMs: 60_000, addressesMax: 10_000 };

/** Counts of requests that failed to authenticate, by address, in the memory of this process. */
export interface FailedAuth {
  /** Counts a failure. Returns the milliseconds to wait where there were too many, null below that. */
  take(block: string, now: number): number | null;
  /** Addresses that are remembered. */
  size(): number;
}

interface Window {
  readonly endsAtMs: number;
  count: number;
}

/**
 * A fixed window per address, begun by its first failure. Bounded: when there are too many addresses, the one whose
 * window began first is forgotten, so that a flood from everywhere costs no more than it does without the limit.
 */
export function createFailedAuth({ max, windowMs, addressesMax } = FAILED_AUTH): FailedAuth {
  // In the order in which the windows began, and so in the order in which they end.
  const byBlock = new Map<string, Window>();

  function begin(block: string, now: number): void {
    byBlock.delete(block);
    for (const [oldest, { endsAtMs }] of byBlock) {
      if (now < endsAtMs && byBlock.size < addressesMax) break;
      byBlock.delete(oldest);
    }
    byBlock.set(block, { endsAtMs: now + windowMs, count: 1 });
  }

  return {
    take(block, now) {
      const window = byBlock.get(block);
      const left = window === undefined ? 0 : window.endsAtMs - now;
      // More than a window is left where the clock was set back.
      if (window === undefined || left <= 0 || left > windowMs) {
        begin(block, now);
        return null;
      }
      if (window.count >= max) return left;
      window.count += 1;
      return null;
    },
    size: () => byBlock.size,
  };
}

/**
 * Throws 429 for a request that failed to authenticate, where its address failed too often. A caller with a valid key is never
 * comes here, so that others behind the same address are not locked out. Addresses of private networks and of this machine are not counted: there
 * is an undeclared proxy, or the operator's own network, and not the caller.
 */
export function limitFailedAuth(deps: GatewayDeps, failures: FailedAuth, { now, req }: Exchange): void {
  const address = clientOf(deps, req);
  if (address === null || !isPublicAddress(address)) return;
  const left = failures.take(addressBlock(address), now);
  if (left === null) return;
  throw tooManyRequests(
    "Too many requests without a valid API key from this IP address; requests with a valid key are not affected.",
    left,
  );
}
