import type { Reply } from "../core/reply.ts";
import { values } from "../core/reply.ts";
import type { Stored, StoredPage } from "../core/tx.ts";

/** One page of documents, each shown through a view; `keep` leaves some out, so that a page may be short. */
export async function toViews<T, V>(
  page: StoredPage<T>,
  view: (stored: Stored<T>) => V | Promise<V>,
  keep: (shown: V) => boolean = () => true,
): Promise<Reply<V[]>> {
  const shown = await Promise.all(page.items.map(view));
  return values(shown.filter(keep), { limit: page.limit, next: page.next });
}
