import type { StoreDriver } from "./contract.ts";
import { reachedVersion } from "./backup.ts";
import { OWN_PART } from "./own.ts";

export interface StoreInfo {
  readonly driver: string;
  /** How many processes may serve it. */
  readonly nodes: "one" | "many";
  readonly documents: number;
  readonly partitions: readonly {
    readonly name: string;
    /** Version of its last commit. */
    readonly version: number;
    readonly documents: number;
    readonly collections: readonly { readonly name: string; readonly count: number }[];
  }[];
  readonly stats: Readonly<Record<string, number>>;
}

/** What a store holds, by partition and collection, and the driver's own numbers. */
export async function storeInfo(store: StoreDriver): Promise<StoreInfo> {
  const names = (await store.partitions()).filter((part) => part !== OWN_PART);
  const partitions = await Promise.all(
    names.map(async (name) => {
      const [collections, version] = await Promise.all([
        store.collections(name),
        reachedVersion(store, name),
      ]);
      return { name, version, documents: sum(collections.map(({ count }) => count)), collections };
    }),
  );
  return {
    driver: store.name ?? "unknown",
    nodes: store.caps.nodes,
    documents: sum(partitions.map(({ documents }) => documents)),
    partitions,
    stats: await store.stats(),
  };
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
