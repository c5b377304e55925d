import { requestBatches, tally } from "../../server/observability/request-store.ts";
import { keyUses, usageDays } from "../../server/accounts/usage/usage.ts";
import type { StoreDriver } from "../../server/storage/contract.ts";
import { PAGE_LIMIT_MAX } from "../../server/storage/contract.ts";

/** Books about requests are kept for every request, refused ones too, and written some time later. */
const BOOKS = [usageDays.name, keyUses.name, requestBatches.name, tally.name];

/** A store that counts the commits, of all partitions or of one, which change anything but those books. */
export function createWatchedStore(inner: StoreDriver): {
  readonly store: StoreDriver;
  readonly changes: (part?: string) => number;
} {
  const counts = new Map<string, number>();
  return {
    changes: (part) =>
      part === undefined
        ? [...counts.values()].reduce((sum, count) => sum + count, 0)
        : (counts.get(part) ?? 0),
    store: {
      ...inner,
      async commit(part, ops, checks) {
        const done = await inner.commit(part, ops, checks);
        const keys = ops.map((op) => ("put" in op ? op.put : op.del));
        if (done.ok && keys.some((key) => !BOOKS.some((book) => key.includes(book))))
          counts.set(part, (counts.get(part) ?? 0) + 1);
        return done;
      },
    },
  };
}

/** Every document of the store by key, with its version. */
export async function dumpStore(store: StoreDriver): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (const part of await store.partitions()) {
    for (const { name } of await store.collections(part)) {
      if (BOOKS.some((book) => name.includes(book))) continue;
      let after: string | undefined;
      do {
        const page = await store.page(part, name, {
          limit: PAGE_LIMIT_MAX,
          ...(after === undefined ? {} : { after }),
        });
        for (const doc of page.items) found.set(doc.key, `${doc.version} ${doc.value}`);
        after = page.next;
      } while (after !== undefined);
    }
  }
  return found;
}
