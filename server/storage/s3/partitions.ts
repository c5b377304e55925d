import type { Cache } from "./cache.ts";
import { mapSome } from "../../lib/map-some.ts";
import type { Objects } from "./objects.ts";
import { createPartition, headKey } from "./partition.ts";
import type { Cached, Partition } from "./partition.ts";
import type { Whole } from "./whole.ts";

/** The partitions that this process knows something of. */
export interface Partitions {
  of(part: string): Partition;
  /** Names of all partitions of the bucket that hold a document, ascending. */
  list(whole: Whole): Promise<string[]>;
  /** Names of all partitions of the bucket, also of those that have no document any more. */
  all(): Promise<string[]>;
  /** Resolves when no write of this process is under way. */
  idle(): Promise<void>;
}

/** More than that are forgotten, if they are idle: what is known of one may be as long as its last commits. */
const KNOWN_MAX = 2000;

export function createPartitions(objects: Objects, cache: Cache<Cached>): Partitions {
  const known = new Map<string, Partition>();
  /** Whether a partition held a document under the head of this ETag. While it is unchanged, nothing below it changes. */
  const lives = new Map<string, { readonly etag: string; readonly live: boolean }>();
  let epochs = 0;
  const nextEpoch = (): number => ++epochs;

  const of = (part: string): Partition => {
    const found = known.get(part);
    if (found !== undefined) {
      known.delete(part);
      known.set(part, found);
      return found;
    }
    if (known.size >= KNOWN_MAX) forgetOldest(known);
    const made = createPartition({ part, objects, cache, nextEpoch });
    known.set(part, made);
    return made;
  };
  const isLive = async ({ part, etag }: HeadEntry, whole: Whole): Promise<boolean> => {
    const remembered = lives.get(part);
    if (remembered?.etag === etag) return remembered.live;
    const partition = of(part);
    const live = await whole.isLive(partition);
    if (partition.known?.etag === etag) lives.set(part, { etag, live });
    return live;
  };
  const listHeads = async (): Promise<HeadEntry[]> => {
    const prefix = headKey("");
    const heads: HeadEntry[] = [];
    let token: string | undefined;
    do {
      const listing = await objects.list({ prefix, token });
      for (const { key, etag } of listing.entries) heads.push({ part: key.slice(prefix.length), etag });
      ({ token } = listing);
    } while (token !== undefined);
    return heads;
  };

  return {
    of,
    async list(whole) {
      const heads = await listHeads();
      const live = await mapSome(heads, (head) => isLive(head, whole));
      return heads.flatMap(({ part }, i) => (live[i] === true ? [part] : [])).sort();
    },
    all: async () => (await listHeads()).map(({ part }) => part),
    async idle() {
      await Promise.all([...known.values()].map((partition) => partition.writes.idle()));
    },
  };
}

interface HeadEntry {
  readonly part: string;
  readonly etag: string;
}

function forgetOldest(known: Map<string, Partition>): void {
  for (const [part, partition] of known) {
    if (partition.busy) continue;
    known.delete(part);
    return;
  }
}
