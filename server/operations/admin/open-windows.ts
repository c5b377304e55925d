import { MINUTE_MS, toInstant } from "../../lib/instant.ts";
import type { Tx } from "../../core/tx.ts";
import type { StoreDriver } from "../../storage/contract.ts";
import { customers, keys } from "../../accounts/collections.ts";
import type { Key } from "../../accounts/collections.ts";
import type { OperationsCtx } from "../context.ts";
import type { SeenKey } from "../live/live.ts";
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

/** A key's open window, read from the counter itself. */
export interface LiveWindow extends SeenKey {
  readonly used: number;
  readonly remaining: number;
}

interface Keys {
  readonly key_id?: string | undefined;
  readonly customer_id?: string | undefined;
}

/**
 * The open windows, of all nodes: the counters can be read by key but not listed, so the keys that any node has in memory are joined
 * by those whose use a node has written down in the last minute: it may have ended since.
 */
export async function openWindows(
  ctx: Pick<OperationsCtx, "deps" | "tx" | "now">,
  { key_id, customer_id }: Keys,
): Promise<LiveWindow[]> {
  const { live, store, nodes } = ctx.deps;
  const isWanted = ({ keyId, customerId }: Pick<SeenKey, "keyId" | "customerId">): boolean =>
    (key_id ?? keyId) === keyId && (customer_id ?? customerId) === customerId;
  const { answers } = await nodes.keysElsewhere({ keyId: key_id, customerId: customer_id });
  const seen = joinKeys([live.keys(isWanted), ...answers.map(({ answer }) => answer.keys)]);
  const windows = await Promise.all(Array.from(seen.values(), (keys) => windowOf(store, keys)));
  const others = store.caps.nodes === "one" ? [] : await keysInUse(ctx);
  const unseen = others.filter((key) => !seen.has(key.keyId) && isWanted(key));
  const found = await Promise.all(unseen.map((key) => unseenWindow(ctx, key)));
  return [...windows, ...found]
    .filter((window) => window !== null)
    .sort((a, b) => (a.keyId < b.keyId ? -1 : 1));
}

/** What each node has seen of a key. */
function joinKeys(lists: readonly (readonly SeenKey[])[]): Map<string, SeenKey[]> {
  const joined = new Map<string, SeenKey[]>();
  for (const key of lists.flat()) joined.set(key.keyId, [...(joined.get(key.keyId) ?? []), key]);
  return joined;
}

async function windowOf(
  store: Pick<StoreDriver, "peek">,
  keys: readonly SeenKey[],
): Promise<LiveWindow | null> {
  const [first] = keys;
  const open = first === undefined ? null : await store.peek(first.keyId);
  if (open === null || first === undefined) return null;
  const { count: used, resetAtMs } = open;
  const rejected = keys.reduce((sum, key) => sum + (key.resetAtMs === resetAtMs ? key.rejected : 0), 0);
  const route = keys.find((key) => key.route !== null)?.route ?? null;
  return { ...first, used, remaining: Math.max(0, first.limit - used), resetAtMs, rejected, route };
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

/** The open window of a key that no node has in memory; null when it has none. */
export async function unseenWindow(
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
