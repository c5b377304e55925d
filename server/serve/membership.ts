import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";

import type { LoadedConfig } from "../config/load.ts";
import type { Clock } from "../core/clock.ts";
import { toInstant } from "../lib/instant.ts";
import type { Log } from "../core/log.ts";
import { StoreError } from "../storage/contract.ts";
import { demandSameClock } from "../storage/diagnose.ts";
import type { StoreDriver } from "../storage/contract.ts";
import { HEARTBEAT_MS, liveNodes, nodeKey, removeGone, SILENT_MS } from "../storage/nodes.ts";
import type { StoreNode } from "../storage/nodes.ts";
import { OWN_PART } from "../storage/own.ts";

export interface MembershipDeps {
  readonly store: Pick<StoreDriver, "commit" | "page" | "caps">;
  readonly clock: Clock;
  readonly log: Log;
  /** Names this process; ascending by time, so that the eldest of two is known. */
  readonly id: string;
  /** `storage.driver` of the configuration. */
  readonly driver: string;
}

/** Where several processes may serve one store they know of each other; a folder has a lock, memory has one owner. */
export async function joinStore(
  { loaded, ...deps }: Omit<MembershipDeps, "id" | "driver"> & { readonly loaded: LoadedConfig },
  id: string,
): Promise<{ readonly leave: () => Promise<void>; readonly warnings: readonly string[] }> {
  const { storage, limits } = loaded.config;
  if (storage.driver === "fs" || storage.driver === "memory")
    return { leave: async () => undefined, warnings: [] };
  const warnings = await demandSameClock(storage, { clock: deps.clock, limitsUrl: limits.url });
  return { leave: await joinNodes({ ...deps, id, driver: storage.driver }), warnings };
}

/**
 * Writes down that this process serves the store, and again every few seconds, until the function it resolves to is
 * called. A store that can serve one node only (S3 without shared limits) refuses a second one: throws StoreError LOCKED
 * when another process gives signs of life. One that was killed is waited for until it has been silent long enough.
 */
async function joinNodes(deps: MembershipDeps): Promise<() => Promise<void>> {
  const { store, clock, log, id } = deps;
  const started_at = toInstant(clock.now());
  const beat = async (): Promise<void> => {
    const node: StoreNode = { id, host: hostname(), pid: process.pid, started_at, seen_ms: clock.now() };
    await store.commit(OWN_PART, [{ put: nodeKey(id), value: JSON.stringify(node) }]);
  };
  await beat();
  // Where this fails, the next process that starts does it.
  await removeGone(store, clock.now()).catch((err: unknown) =>
    log.warn({ err }, "failed to remove old nodes"),
  );
  const timer = setInterval(() => {
    beat().catch((err: unknown) => log.warn({ err }, "failed to write the heartbeat"));
  }, HEARTBEAT_MS).unref();
  const leave = async (): Promise<void> => {
    clearInterval(timer);
    // Who cannot say goodbye is forgotten after a while.
    await store.commit(OWN_PART, [{ del: nodeKey(id) }]).catch(() => undefined);
  };
  try {
    if (store.caps.nodes === "one") await demandAlone(deps);
  } catch (error) {
    await leave();
    throw error;
  }
  return leave;
}

const LOOK_MS = 500;

/** Of two that start together the elder stays. */
async function demandAlone({ store, clock, log, id, driver }: MembershipDeps): Promise<void> {
  const seen = new Map<string, number>();
  for (let isLogged = false; ; isLogged = true) {
    const elders = (await liveNodes(store, clock.now())).filter((node) => node.id < id && !hasDied(node));
    if (elders.length === 0) return;
    const alive = elders.find((node) => (seen.get(node.id) ?? node.seen_ms) < node.seen_ms);
    if (alive !== undefined) throw new StoreError("LOCKED", refusalOf(alive, driver));
    for (const { id: other, seen_ms } of elders) seen.set(other, seen_ms);
    if (!isLogged) {
      const seconds = Math.ceil(SILENT_MS / 1000);
      log.warn({ nodes: elders }, `waiting up to ${seconds} s for a node that did not shut down cleanly`);
    }
    await sleep(LOOK_MS);
  }
}

const refusalOf = ({ host, pid }: StoreNode, driver: string): string =>
  driver === "s3"
    ? `process ${pid} on ${host} already uses this bucket and counts rate limits in memory. ` +
      "Set limits.url to a Redis that counts for all nodes, or stop that process"
    : `process ${pid} on ${host} already serves this store, and the driver ${driver} supports one process. Stop that process`;

/** True for a process of this machine that has ended: it need not be waited for. */
function hasDied({ host, pid }: StoreNode): boolean {
  if (host !== hostname()) return false;
  try {
    process.kill(pid, 0);
    return pid === process.pid;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "ESRCH";
  }
}
