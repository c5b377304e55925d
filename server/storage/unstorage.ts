import type { Driver } from "unstorage";

import { COMMIT_OPS_MAX, StoreError } from "./contract.ts";
import type { Key, Op, StoreDriver } from "./contract.ts";
import { assertKey, splitKey } from "./keys.ts";
import { eachDoc } from "./walk.ts";

type Store = Pick<StoreDriver, "get" | "page" | "commit" | "partitions" | "collections" | "close">;
type Shape = Required<
  Pick<Driver, "hasItem" | "getItem" | "setItem" | "removeItem" | "getKeys" | "clear" | "dispose">
>;

/**
 * The unstorage face of a store: the same documents by their keys, so that `createStorage({ driver })` works for tools.
 * A key outside of the grammar throws INVALID, and `clear` demands a prefix: without one it would empty every tenant.
 */
export function toUnstorage(store: Store): Shape {
  const read = async (key: string): Promise<string | null> => {
    assertKey(key);
    return (await store.get(key))?.value ?? null;
  };
  const write = async (key: string, op: (key: Key) => Op): Promise<void> => {
    assertKey(key);
    await store.commit(splitKey(key).part, [op(key)]);
  };
  return {
    hasItem: async (key) => (await read(key)) !== null,
    getItem: read,
    setItem: (key, value) => write(key, (put) => ({ put, value })),
    removeItem: (key) => write(key, (del) => ({ del })),
    getKeys: (base: string | undefined) => listKeys(store, base ?? ""),
    async clear(base: string | undefined) {
      if (base === undefined || base === "")
        throw new StoreError("INVALID", "clear requires a prefix, because it would remove all data");
      for (const part of await store.partitions()) {
        const keys = (await listKeys(store, base)).filter((key) => key.startsWith(`${part}:`));
        for (let i = 0; i < keys.length; i += COMMIT_OPS_MAX) {
          await store.commit(
            part,
            keys.slice(i, i + COMMIT_OPS_MAX).map((del) => ({ del })),
          );
        }
      }
    },
    dispose: () => store.close(),
  };
}

/** Every key of a store that begins with `base`, in key order; "" lists all. */
async function listKeys(store: Store, base: string): Promise<Key[]> {
  const keys: Key[] = [];
  for (const part of await store.partitions()) {
    for (const { name } of await store.collections(part)) {
      const root = `${part}:${name}:`;
      if (!root.startsWith(base) && !base.startsWith(root)) continue;
      const prefix = base.startsWith(root) ? base.slice(root.length) : "";
      for await (const doc of eachDoc(store, part, { coll: name, prefix })) keys.push(doc.key);
    }
  }
  return keys;
}
