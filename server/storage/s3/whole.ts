import { StoreError } from "../contract.ts";
import type { Doc } from "../contract.ts";
import { mapSome } from "../../lib/map-some.ts";
import { createLister } from "./lister.ts";
import type { Objects, Stored } from "./objects.ts";
import { assertKnown, docKey, resolve } from "./partition.ts";
import type { Partition } from "./partition.ts";
import { toDoc } from "./page.ts";
import { together } from "./reads.ts";

/** Reading of a partition as a whole; costs a LIST for every thousand objects in it. */
export interface Whole {
  snapshot(partition: Partition): AsyncGenerator<Doc, void, undefined>;
  collections(partition: Partition): Promise<{ readonly name: string; readonly count: number }[]>;
  /** Whether it holds a document. */
  isLive(partition: Partition): Promise<boolean>;
}

/** A snapshot that is overtaken by heads it can't see so many times is given up. */
const PASSES = 8;
const ROUNDS = 4;
/** Names that usually hold one that is live. */
const SOME = 50;

export function createWhole(objects: Objects): Whole {
  const listerOf = (partition: Partition) =>
    createLister(objects, { folder: docKey(partition.part, ""), tombstoneMs: Infinity });
  /** Every document's name with its ETag. */
  const listAll = async (partition: Partition): Promise<Map<string, string>> => {
    const lister = listerOf(partition);
    while (!lister.done) await lister.more();
    return new Map(lister.names.map((name) => [name, lister.etag(name) ?? ""]));
  };
  const fill = async (partition: Partition, have: Map<string, Stored>): Promise<void> => {
    const listed = await listAll(partition);
    for (const name of have.keys()) if (!listed.has(name)) have.delete(name);
    for (const [name, etag] of listed) {
      const seen = partition.lastSeen(name);
      if (seen?.etag === etag) have.set(name, seen);
    }
    const changed = [...listed].filter(([name, etag]) => have.get(name)?.etag !== etag);
    await mapSome(changed, async ([name]) =>
      have.set(name, await objects.read(docKey(partition.part, name))),
    );
  };

  return {
    async *snapshot(partition) {
      const have = new Map<string, Stored>();
      for (let pass = 1; pass <= PASSES; pass++) {
        const follow = await partition.follow();
        try {
          await watching(partition, fill(partition, have));
          for (const { version } of have.values()) assertKnown(partition, follow, version);
          if (follow.broken) continue;
          for (const change of follow.changes()) {
            const object = have.get(change.name);
            have.set(change.name, { etag: undefined, ...resolve(object, change) });
          }
        } finally {
          follow.end();
        }
        for (const [name, stored] of have) {
          const doc = toDoc(partition.part, name, stored);
          if (doc !== null) yield doc;
        }
        return;
      }
      throw new StoreError(
        "UNAVAILABLE",
        `too many concurrent writes to partition ${partition.part} for a consistent read. Try again later`,
      );
    },
    collections: (partition) =>
      together(partition, ROUNDS, async (follow) => {
        const names = new Set((await watching(partition, listAll(partition))).keys());
        for (const { name, value } of follow.changes()) {
          if (value === null) names.delete(name);
          else names.add(name);
        }
        return count(names);
      }),
    isLive: (partition) =>
      together(partition, ROUNDS, async (follow) => {
        const lister = listerOf(partition);
        const remains = (name: string): boolean => follow.change(name)?.value !== null;
        for (let limit = SOME; ; limit = Infinity) {
          await partition.refresh();
          if (follow.changes().some(({ value }) => value !== null)) return true;
          if (lister.names.some(remains)) return true;
          if (lister.done) return false;
          await lister.more(limit);
        }
      }),
  };
}

/** Looks at the head all the while a longer work goes on, so as to miss none, and once more when it is done. */
async function watching<T>(partition: Partition, work: Promise<T>): Promise<T> {
  const state = { done: false };
  const watch = async (): Promise<void> => {
    while (!state.done) await partition.refresh();
  };
  const [result] = await Promise.all([work.finally(() => (state.done = true)), watch()]);
  await partition.refresh();
  return result;
}

function count(names: ReadonlySet<string>): { readonly name: string; readonly count: number }[] {
  const counts = new Map<string, number>();
  for (const name of names) {
    const coll = name.slice(0, name.indexOf("/"));
    counts.set(coll, (counts.get(coll) ?? 0) + 1);
  }
  return [...counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, number]) => ({ name, count: number }));
}
