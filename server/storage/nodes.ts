import { COMMIT_OPS_MAX } from "./contract.ts";
import type { Key, StoreDriver } from "./contract.ts";
import { NODES_COLL, OWN_PART } from "./own.ts";
import { eachDoc } from "./walk.ts";

/**
 * A process that serves a store, as it says of itself. Who serves writes this document when it starts and again every
 * `HEARTBEAT_MS`, and removes it when it ends; one that was killed is forgotten after `SILENT_MS`.
 */
export interface StoreNode {
  readonly id: string;
  readonly host: string;
  readonly pid: number;
  /** RFC 3339. */
  readonly started_at: string;
  /** Epoch milliseconds of the last sign of life, by the clock of that node. */
  readonly seen_ms: number;
}

export const HEARTBEAT_MS = 5_000;
/** Longer than a few heartbeats and than the difference of two clocks that are kept well. */
export const SILENT_MS = 30_000;
/** What has been silent for so long is not a process that was halted. */
const GONE_MS = 86_400_000;

/** What people call a process that serves a store. */
export const nodeName = ({ host, pid }: Pick<StoreNode, "host" | "pid">): string => `${host}:${pid}`;

export const nodeKey = (id: string): Key => `${OWN_PART}:${NODES_COLL}:${id}`;

/** The processes that serve this store now, as far as they said so. */
export async function liveNodes(store: Pick<StoreDriver, "page">, nowMs: number): Promise<StoreNode[]> {
  const nodes: StoreNode[] = [];
  for await (const { value } of eachDoc(store, OWN_PART, { coll: NODES_COLL })) {
    const node: StoreNode = JSON.parse(value);
    if (nowMs - node.seen_ms < SILENT_MS) nodes.push(node);
  }
  return nodes;
}

/** Removes the documents of processes that were killed, the oldest of them, which have the lowest ids. */
export async function removeGone(store: Pick<StoreDriver, "page" | "commit">, nowMs: number): Promise<void> {
  const { items } = await store.page(OWN_PART, NODES_COLL, { limit: COMMIT_OPS_MAX });
  const gone = items.filter(({ value }) => {
    const { seen_ms }: StoreNode = JSON.parse(value);
    return nowMs - seen_ms > GONE_MS;
  });
  if (gone.length === 0) return;
  const ops = gone.map(({ key }) => ({ del: key }));
  await store.commit(OWN_PART, ops, gone);
}
