import type { RunTx } from "../../core/tx.ts";
import type { Quota, StoreDriver } from "../../storage/contract.ts";
import { deliveries } from "./collections.ts";

/**
 * Shares of the room for the platform's own work beyond which the oldest deliveries are deleted: first those that are finished,
 * then any. The rest of the room is for what requests write (stored responses, events, messages), so that deliveries, which no
 * request can delete, never make a quota refuse requests.
 */
const STEPS = [
  { share: 0.5, isPendingKept: true },
  { share: 0.75, isPendingKept: false },
] as const;
const BATCH = 25;
/** Pages of deliveries that are looked through for finished ones. */
const PAGES_MAX = 20;

export interface TrimDeps {
  readonly store: Pick<StoreDriver, "usage">;
  readonly runTx: RunTx;
  readonly quotaOf: (part: string, refresh: boolean) => Promise<Quota | undefined>;
}

/** Deletes deliveries that exceed their share of the quota; resolves to their number. */
export async function trimDeliveries(deps: TrimDeps, part: string): Promise<number> {
  const room = (await deps.quotaOf(part, false))?.systemBytes ?? Infinity;
  if (room === Infinity) return 0;
  let removed = 0;
  for (const { share, isPendingKept } of STEPS) {
    let cursor: string | undefined;
    for (let page = 0; page < PAGES_MAX; page += 1) {
      const { systemBytes } = await deps.store.usage(part);
      if (systemBytes <= share * room) break;
      const excess = systemBytes - share * room;
      const { count, next } = await removeOldest(deps.runTx, part, { excess, isPendingKept, cursor });
      removed += count;
      if (next === null) break;
      cursor = next;
    }
  }
  return removed;
}

const removeOldest = (
  runTx: RunTx,
  part: string,
  { excess, isPendingKept, cursor }: { excess: number; isPendingKept: boolean; cursor: string | undefined },
) =>
  runTx(part, async (tx) => {
    const { items, next } = await tx.peekPage(deliveries, { index: "age", limit: BATCH, cursor });
    let [left, count] = [excess, 0];
    for (const { id, value } of items) {
      if (left <= 0) break;
      if (isPendingKept && value.next_at !== null) continue;
      const stored = await tx.get(deliveries, id);
      if (stored === null) continue;
      tx.remove(deliveries, stored);
      left -= stored.members.length;
      count += 1;
    }
    return { count, next };
  });
