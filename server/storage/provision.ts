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

const PROBE_KEY: Key = `${OWN_PART}:${STATE_COLL}:probe`;

/** Writes, reads and removes a document and proves that a write on a wrong version is refused. Throws StoreError. */
export async function tryStore(store: StoreDriver): Promise<void> {
  const before = await store.get(PROBE_KEY);
  const value = JSON.stringify({ text: "ü€𝄞" });
  const made = await store.commit(
    OWN_PART,
    [{ put: PROBE_KEY, value }],
    [{ key: PROBE_KEY, version: before?.version ?? 0 }],
  );
  const read = await store.get(PROBE_KEY);
  const again = await store.commit(OWN_PART, [{ put: PROBE_KEY, value }], [{ key: PROBE_KEY, version: 0 }]);
  const { items } = await store.page(OWN_PART, STATE_COLL, { limit: 1, prefix: "probe" });
  await store.commit(OWN_PART, [{ del: PROBE_KEY }]);
  const gone = await store.get(PROBE_KEY);
  const isRight = made.ok && read?.value === value && items[0]?.value === value && gone === null;
  if (!isRight) throw new StoreError("CORRUPT", "what was written was not what was read");
  if (again.ok) throw new StoreError("CORRUPT", "a write on a wrong version was not refused");
}
