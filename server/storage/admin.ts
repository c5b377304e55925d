import { mkdir, readdir, writeFile } from "node:fs/promises";

import { StoreError } from "./contract.ts";
import type { Doc, StoreDriver } from "./contract.ts";
import { reachedVersion } from "./backup.ts";
import { splitKey } from "./keys.ts";
import { OWN_PART } from "./own.ts";
import { eachDocOfStore } from "./walk.ts";

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

const FILES_AT_ONCE = 32;

/**
 * Writes one file `<part>/<coll>/<id>.json` a document, for people and other tools, readable by this user only.
 * Throws StoreError INVALID when the folder holds anything. Returns how many files it wrote.
 */
export async function exportFiles(store: StoreDriver, dir: string): Promise<number> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  if ((await readdir(dir)).length > 0) throw new StoreError("INVALID", `${dir} is not empty`);
  const made = new Set<string>();
  let waiting: Doc[] = [];
  let count = 0;
  const flush = async (): Promise<void> => {
    await Promise.all(waiting.map((doc) => writeDocument(dir, doc, made)));
    count += waiting.length;
    waiting = [];
  };
  for await (const doc of eachDocOfStore(store)) {
    waiting.push(doc);
    if (waiting.length === FILES_AT_ONCE) await flush();
  }
  await flush();
  return count;
}

async function writeDocument(dir: string, { key, value }: Doc, made: Set<string>): Promise<void> {
  const { part, coll, id } = splitKey(key);
  const folder = `${dir}/${part}/${coll}`;
  if (!made.has(folder)) {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    made.add(folder);
  }
  // "wx": on a file system that ignores case, two ids may ask for one name; that must not pass in silence.
  await writeFile(`${folder}/${id}.json`, `${value}\n`, { mode: 0o600, flag: "wx" });
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
