import type { GatewayDeps } from "./deps.ts";
import { tooManyRequests } from "../lib/errors.ts";
import type { Exchange } from "./exchange.ts";
import { publicBlock } from "./visitor.ts";
import type { Windows } from "./windows.ts";

/** Refusals (401) that one address receives in a minute; further failures are answered with 429. */
export const FAILED_AUTH = { max: 30, windowMs: 60_000, keysMax: 10_000 };

/**
 * Throws 429 for a request that failed to authenticate, where its address failed too often. A caller with a valid key
 * never comes here, so that others behind the same address are not locked out.
 */
export function limitFailedAuth(deps: GatewayDeps, failures: Windows, { now, req }: Exchange): void {
  const block = publicBlock(deps, req);
  const left = block === null ? null : failures.take(block, now);
  if (left === null) return;
  throw tooManyRequests(
    `Too many requests without a valid API key from this IP address: at most ${FAILED_AUTH.max} per minute. Requests with a valid key are not affected.`,
    left,
  );
}
