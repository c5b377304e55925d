import type { Doc, StoreDriver } from "../../server/storage/contract.ts";
import { eachDoc } from "../../server/storage/walk.ts";

type Listed = Pick<StoreDriver, "page" | "partitions" | "collections">;

/** Every document of the store, by partition, collection and id. What is committed meanwhile may or may not be in it. */
export async function* eachDocOfStore(store: Listed): AsyncGenerator<Doc, void, undefined> {
  for (const part of await store.partitions()) {
    for (const { name } of await store.collections(part)) yield* eachDoc(store, part, { coll: name });
  }
}
