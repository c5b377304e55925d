import { HELD_SUFFIX } from "../contract.ts";
import type { Key, StoreDriver } from "../contract.ts";
import { eachDoc } from "../walk.ts";

/** Keys of the documents of a partition that represent files. */
export async function heldKeys(
  store: Pick<StoreDriver, "collections" | "page">,
  part: string,
): Promise<Key[]> {
  const keys: Key[] = [];
  for (const { name } of await store.collections(part)) {
    if (!name.endsWith(HELD_SUFFIX)) continue;
    for await (const { key } of eachDoc(store, part, { coll: name })) keys.push(key);
  }
  return keys;
}
