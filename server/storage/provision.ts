import { StoreError } from "./contract.ts";
import type { Key, StoreDriver } from "./contract.ts";
import type { StoreConfig } from "./open.ts";
import { OWN_PART, STATE_COLL } from "./own.ts";

/** Makes what a driver does not make by itself when it is opened. Returns what was made, in words. */
export async function provisionStore(config: StoreConfig): Promise<string[]> {
  if (config.driver !== "fs") return [];
  const { nodeIo } = await import("./fs/io.ts");
  if ((await nodeIo.stat(config.base)) !== null) return [];
  await nodeIo.mkdir(config.base);
  return [`the folder ${config.base}, yours alone`];
}

/**
 * Writes, reads and removes a document of this name, which nobody else may use, and proves that a write on a wrong version
 * is refused. Also on a frozen store. Throws StoreError.
 */
export async function tryStore(store: StoreDriver, name: string): Promise<void> {
  const key: Key = `${OWN_PART}:${STATE_COLL}:${name}`;
  const value = JSON.stringify({ text: "ü€𝄞" });
  const made = await store.commit(OWN_PART, [{ put: key, value }], [{ key, version: 0 }]);
  const read = await store.get(key);
  const again = await store.commit(OWN_PART, [{ put: key, value: "{}" }], [{ key, version: 0 }]);
  const { items } = await store.page(OWN_PART, STATE_COLL, { limit: 1, prefix: name });
  await store.commit(OWN_PART, [{ del: key }]);
  const gone = await store.get(key);
  if (again.ok) throw new StoreError("CORRUPT", "a write on a wrong version was not refused");
  if (!made.ok || read?.value !== value || items[0]?.value !== value || gone !== null)
    throw new StoreError("CORRUPT", "what was written was not what was read");
}
