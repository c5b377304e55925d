import type { Collection } from "../../core/collection.ts";
import { domainEvents } from "../../core/events.ts";
import type { RunTx, Tx } from "../../core/tx.ts";
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
/** Of events that wait until the budget of their customer renews: as of deliveries that nobody accepts. */
const EVENTS_SHARE = 0.75;
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
  let removed = 0;
  for (const { share, isPendingKept } of STEPS)
    removed += await trimTo(deps, part, share, (tx, { cursor, excess }) =>
      removeOldest(tx, deliveries, {
        excess,
        page: { index: "age", cursor },
        isKept: ({ next_at: nextAt }) => isPendingKept && nextAt !== null,
      }),
    );
  return removed;
}

/** The same for events that no deliveries are made of yet. */
export const trimEvents = (deps: TrimDeps, part: string): Promise<number> =>
  trimTo(deps, part, EVENTS_SHARE, (tx, { cursor, excess }) =>
    removeOldest(tx, domainEvents, { excess, page: { index: "time", cursor }, isKept: () => false }),
  );

interface Removed {
  readonly count: number;
  /** Where to go on; null at the end. */
  readonly next: string | null;
}

/** Removes pages of the oldest documents until the platform's own work uses no more than its share of the room for it. */
async function trimTo(
  { quotaOf, runTx, store }: TrimDeps,
  part: string,
  share: number,
  remove: (
    tx: Tx,
    from: { readonly cursor: string | undefined; readonly excess: number },
  ) => Promise<Removed>,
): Promise<number> {
  const room = (await quotaOf(part, false))?.systemBytes ?? Infinity;
  if (room === Infinity) return 0;
  let removed = 0;
  let cursor: string | undefined;
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const excess = (await store.usage(part)).systemBytes - share * room;
    if (excess <= 0) break;
    const { count, next } = await runTx(part, (tx) => remove(tx, { cursor, excess }));
    removed += count;
    if (next === null) break;
    cursor = next;
  }
  return removed;
}

async function removeOldest<T extends { id: string }>(
  tx: Tx,
  collection: Collection<T>,
  {
    excess,
    isKept,
    page,
  }: {
    readonly excess: number;
    readonly page: { readonly index: string; readonly cursor: string | undefined };
    readonly isKept: (value: T) => boolean;
  },
): Promise<Removed> {
  const { items, next } = await tx.peekPage(collection, { ...page, limit: BATCH });
  let [left, count] = [excess, 0];
  for (const { id, value } of items) {
    if (left <= 0) break;
    if (isKept(value)) continue;
    const stored = await tx.get(collection, id);
    if (stored === null) continue;
    tx.remove(collection, stored);
    left -= stored.members.length;
    count += 1;
  }
  return { count, next };
}
