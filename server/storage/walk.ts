import { PAGE_LIMIT_MAX } from "./contract.ts";
import type { Doc, StoreDriver } from "./contract.ts";

type Listed = Pick<StoreDriver, "page" | "partitions" | "collections">;

/** Walks a collection page by page, so that the memory it needs is that of one page. */
export async function* eachDoc(
  store: Pick<StoreDriver, "page">,
  part: string,
  { coll, prefix = "" }: { readonly coll: string; readonly prefix?: string },
): AsyncGenerator<Doc, void, undefined> {
  let after: string | undefined;
  do {
    const page = await store.page(part, coll, {
      limit: PAGE_LIMIT_MAX,
      prefix,
      ...(after === undefined ? {} : { after }),
    });
    yield* page.items;
    after = page.next;
  } while (after !== undefined);
}

/** Every document of the store, by partition, collection and id. What is committed meanwhile may or may not be in it. */
export async function* eachDocOfStore(store: Listed): AsyncGenerator<Doc, void, undefined> {
  for (const part of await store.partitions()) {
    for (const { name } of await store.collections(part)) yield* eachDoc(store, part, { coll: name });
  }
}
