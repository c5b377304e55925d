import type { Collection } from "../../../core/collection.ts";
import type { PageQuery, Stored, Tx } from "../../../core/tx.ts";
import { inSlices } from "../../../lib/slices.ts";

/** Pages of the index that one answer reads at most before it gives out what it has. */
const ROUNDS_MAX = 8;

/**
 * One page of what an index lists and a test lets through. Each round reads as many documents as are still wanted, so
 * the cursor is always after the last one read; where few pass, the page is shorter than `limit` and goes on.
 * Costs at most eight pages, however large the collection is.
 */
export async function filterPage<T>(
  tx: Tx,
  collection: Collection<T>,
  query: PageQuery,
  isWanted: (value: T) => boolean,
): Promise<{ items: Stored<T>[]; limit: number; next: string | null }> {
  const items: Stored<T>[] = [];
  let { cursor } = query;
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const page = await tx.peekPage(collection, { ...query, limit: query.limit - items.length, cursor });
    for await (const stored of inSlices(page.items, tx.part)) if (isWanted(stored.value)) items.push(stored);
    cursor = page.next ?? undefined;
    if (cursor === undefined || items.length >= query.limit) break;
  }
  return { items, limit: query.limit, next: cursor ?? null };
}
