import { PAGE_LIMIT_MAX } from "./contract.ts";
import type { Doc, StoreDriver } from "./contract.ts";

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
