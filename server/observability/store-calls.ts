import type { StoreDriver } from "../storage/contract.ts";

/** Runs one call to the store; `target` is the collection it is about, or the partition of a commit. */
type Watch = <R>(operation: string, target: string, work: () => Promise<R>) => Promise<R>;

/** The same store, with every call of a request watched. What tools do with a whole store is not. */
export function watchCalls(store: StoreDriver, watch: Watch): StoreDriver {
  const takeIf = store.takeIf?.bind(store);
  return {
    ...store,
    get: (key) => watch("get", collectionOf(key), () => store.get(key)),
    getMany: (keys) => watch("getMany", collectionOf(keys[0] ?? ""), () => store.getMany(keys)),
    page: (part, coll, options) => watch("page", coll, () => store.page(part, coll, options)),
    commit: (part, ...rest) => watch("commit", part, () => store.commit(part, ...rest)),
    take: (...args) => watch("take", "", () => store.take(...args)),
    ...(takeIf === undefined
      ? {}
      : {
          takeIf: (...args: Parameters<typeof takeIf>) => watch("takeIf", "", () => takeIf(...args)),
        }),
    peek: (counter) => watch("peek", "", () => store.peek(counter)),
  };
}

const collectionOf = (key: string): string => key.split(":", 2)[1] ?? "";
