import { personalCollections } from "../../core/collection.ts";
import type { StoreDriver } from "../../storage/contract.ts";
import { isTestPart } from "../../core/test-clock.ts";
import type { Progress } from "./schema.ts";

/** Partitions that a request is about: a store's live data and its test data, or its test data alone. */
export const partsOf = (part: string): string[] => (isTestPart(part) ? [part] : [part, `${part}_test`]);

/** Where to go on after a collection: the next one that holds something about people; null at the end. */
export async function nextPlace(
  store: Pick<StoreDriver, "collections">,
  parts: readonly string[],
  { part, collection }: Pick<Progress, "part" | "collection">,
): Promise<Pick<Progress, "part" | "collection"> | null> {
  for (const one of parts) {
    if (one < part) continue;
    const names = (await store.collections(one)).map(({ name }) => name);
    const next = names.find((name) => personalCollections.has(name) && (one > part || name > collection));
    if (next !== undefined) return { part: one, collection: next };
  }
  return null;
}
