import type { Collection } from "../../../core/collection.ts";
import { mapPage } from "../../../core/map-page.ts";
import type { MappedPage } from "../../../core/map-page.ts";
import type { PageQuery, Tx } from "../../../core/tx.ts";

/** Pages of the index that one answer reads at most before it gives out what it has. */
const ROUNDS_MAX = 8;

/**
 * One page of what a function makes of the documents that an index lists; those of which it makes null are left out. Each round reads as
 * many documents as are still wanted, so the cursor is always after the last one read; where few pass, the page is shorter than `limit`
 * and goes on. Costs at most eight pages, however large the collection is.
 */
export async function filterPage<T, U>(
  tx: Tx,
  collection: Collection<T>,
  query: PageQuery,
  map: (value: T) => Promise<U | null>,
): Promise<MappedPage<U>> {
  const items: U[] = [];
  let { cursor } = query;
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const rest = { ...query, limit: query.limit - items.length, cursor };
    const page = await mapPage(tx, collection, rest, ({ value }) => map(value));
    for (const item of page.items) if (item !== null) items.push(item);
    cursor = page.next ?? undefined;
    if (cursor === undefined || items.length >= query.limit) break;
  }
  return { items, limit: query.limit, next: cursor ?? null };
}
