import { MINUTE_MS, toInstant } from "../../lib/instant.ts";
import type { Tx } from "../../core/tx.ts";
import { liveNodes } from "../../storage/nodes.ts";
import { customers, keys } from "../../accounts/collections.ts";
import type { Key } from "../../accounts/collections.ts";
import type { OperationsCtx } from "../context.ts";
import type { LiveWindow, SeenKey } from "../live/live.ts";
import { findPlan, standingOf } from "../../accounts/plans/plans.ts";
import { usageDays } from "../../accounts/usage/usage.ts";

/** Requests per minute that a key has now: its own tier's, or those of the plan its customer is on. */
export async function limitOf(
  { deps, now }: Pick<OperationsCtx, "deps" | "now">,
  tx: Tx,
  key: Key,
): Promise<number> {
  const { plans } = deps.config;
  const own = key.tier === null ? undefined : findPlan(plans, key.tier);
  if (own !== undefined) return own.requestsPerMinute;
  const { value: customer } = await tx.require(customers, key.customer_id);
  return standingOf(customer, plans, now).plan.requestsPerMinute;
}

/** Keys that are looked at for windows which other nodes opened. */
const KEYS_MAX = 5_000;
/** How much later than a request its count may be stored. */
const FLUSH_MS = 5_000;

/**
 * The open windows, of all nodes: the counters can be read by key but not listed, so the keys that this process served are
 * joined by those whose use other nodes have written down in the last minute.
 */
export async function openWindows(
  ctx: Pick<OperationsCtx, "deps" | "tx" | "now">,
  isWanted: (key: Pick<SeenKey, "keyId" | "customerId">) => boolean,
): Promise<LiveWindow[]> {
  const { live, store } = ctx.deps;
  const own = await live.windows(isWanted);
  if (store.caps.nodes === "one") return own;
  const known = new Set(own.map(({ keyId }) => keyId));
  const others = (await keysInUse(ctx)).filter((key) => !known.has(key.keyId) && isWanted(key));
  const found = await Promise.all(others.map((key) => windowOf(ctx, key)));
  return [...own, ...found.filter((window) => window !== null)];
}

/** Processes that serve this store. */
export async function countNodes({ deps, now }: Pick<OperationsCtx, "deps" | "now">): Promise<number> {
  return deps.store.caps.nodes === "one" ? 1 : Math.max(1, (await liveNodes(deps.store, now)).length);
}

type InUse = Pick<SeenKey, "keyId" | "customerId">;

async function keysInUse({ tx, now }: Pick<OperationsCtx, "tx" | "now">): Promise<InUse[]> {
  const since = toInstant(now - MINUTE_MS - FLUSH_MS);
  // A window may have been opened before midnight.
  const days = new Set([since.slice(0, 10), toInstant(now).slice(0, 10)]);
  const found = new Map<string, InUse>();
  for (const day of days) {
    let cursor: string | undefined;
    do {
      const page = await tx.peekPage(usageDays, { index: "day", value: day, limit: 500, cursor });
      for (const { value } of page.items) {
        if (value.last_used_at < since || found.size >= KEYS_MAX) continue;
        found.set(value.key_id, { keyId: value.key_id, customerId: value.customer_id });
      }
      cursor = page.next ?? undefined;
    } while (cursor !== undefined);
  }
  return [...found.values()];
}

async function windowOf(
  ctx: Pick<OperationsCtx, "deps" | "tx" | "now">,
  { keyId, customerId }: InUse,
): Promise<LiveWindow | null> {
  const open = await ctx.deps.store.peek(keyId);
  const key = open === null ? null : await ctx.tx.get(keys, keyId);
  if (open === null || key === null) return null;
  const limit = await limitOf(ctx, ctx.tx, key.value);
  const { count: used, resetAtMs } = open;
  const remaining = Math.max(0, limit - used);
  return { keyId, customerId, limit, used, remaining, resetAtMs, rejected: 0, route: null };
}
