import type { Cache } from "./cache.ts";
import { mapSome } from "./limiter.ts";
import type { Objects } from "./objects.ts";
import { createPartition, headKey } from "./partition.ts";
import type { Cached, Partition } from "./partition.ts";
import type { Whole } from "./whole.ts";

/** The partitions that this process knows something of. */
export interface Partitions {
  of(part: string): Partition;
  /** Names of all partitions of the bucket that hold a document, ascending. */
  list(whole: Whole): Promise<string[]>;
  /** Every partition of the bucket, also one that has no document any more. */
  all(): Promise<Partition[]>;
  /** Resolves when no write of this process is under way. */
  idle(): Promise<void>;
}

/** More than that are forgotten, if they are idle: what is known of one may be as long as its last commits. */
const KNOWN_MAX = 2000;

export function createPartitions(objects: Objects, cache: Cache<Cached>): Partitions {
  const known = new Map<string, Partition>();
  /** Whether a partition held a document when its head had this `rev`. */
  const lives = new WeakMap<Partition, { readonly rev: number; readonly live: boolean }>();
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
  const isLive = async (partition: Partition, headEtag: string, whole: Whole): Promise<boolean> => {
    const remembered = lives.get(partition);
    const { known } = partition;
    // As long as a head stands, nothing below it changes.
    if (known?.etag === headEtag && remembered?.rev === known.rev) return remembered.live;
    const before = known?.rev;
    const live = await whole.isLive(partition);
    const rev = partition.known?.rev;
    if (rev !== undefined && rev === before) lives.set(partition, { rev, live });
    return live;
  };
  const heads = async (): Promise<{ readonly partition: Partition; readonly etag: string }[]> => {
    const prefix = headKey("");
    const found: { partition: Partition; etag: string }[] = [];
    let token: string | undefined;
    do {
      const listing = await objects.list({ prefix, token });
      for (const { key, etag } of listing.entries)
        found.push({ partition: of(key.slice(prefix.length)), etag });
      token = listing.token;
    } while (token !== undefined);
    return found;
  };

  return {
    of,
    async list(whole) {
      const found = await heads();
      const live = await mapSome(found, ({ partition, etag }) => isLive(partition, etag, whole));
      return found.flatMap(({ partition }, i) => (live[i] === true ? [partition.part] : [])).sort();
    },
    all: async () => (await heads()).map(({ partition }) => partition),
    async idle() {
      await Promise.all([...known.values()].map((partition) => partition.writes.idle()));
    },
  };
}

function forgetOldest(known: Map<string, Partition>): void {
  for (const [part, partition] of known) {
    if (partition.busy) continue;
    known.delete(part);
    return;
  }
}
