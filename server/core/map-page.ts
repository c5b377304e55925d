import { giveWay } from "../lib/slices.ts";
import type { Collection } from "./collection.ts";
import { unreadOf } from "./read-page.ts";
import type { PageQuery, Stored, Tx } from "./tx.ts";

export interface MappedPage<U> {
  readonly items: U[];
  readonly limit: number;
  readonly next: string | null;
}

/**
 * What a caller needs of the documents of one page. They are parsed with pauses, one in memory at a time. Requests that wait for the same
 * page go on in the same turn of the event loop: without pauses, that turn lasts as many times as long as there are requests.
 */
export async function mapPage<T, U>(
  tx: Pick<Tx, "part" | "peekPage">,
  collection: Collection<T>,
  query: PageQuery,
  map: (stored: Stored<T>) => U | Promise<U>,
): Promise<MappedPage<U>> {
  const { unread, limit, next } = unreadOf(await tx.peekPage(collection, query));
  const items: U[] = [];
  for (let stored = unread.pop(); stored !== undefined; stored = unread.pop()) {
    const turn = giveWay(tx.part);
    if (turn !== undefined) await turn;
    items.push(await map(stored));
  }
  return { items, limit, next };
}
