import type { Entry } from "./segment.ts";

/** Values in memory, at most so many bytes; the least recently used go first. */
export interface ValueCache {
  get(entry: Entry): string | null;
  keep(entry: Entry, value: string): void;
  drop(entry: Entry): void;
  /** Hands a value on to the entry of the same document in another place. */
  move(from: Entry, to: Entry): void;
  readonly bytes: number;
  readonly hits: number;
  readonly misses: number;
}

type Cached = NonNullable<Entry["cached"]>;

/** Memory of a cache entry in addition to its text. */
const OVERHEAD_BYTES = 120;

/**
 * Second-chance eviction: a hit only sets a flag on the entry, so a hot read touches no shared structure;
 * an entry with the flag set goes to the back of the queue once more.
 */
export function createValueCache(bytesMax: number): ValueCache {
  const queue = new Set<Cached>();
  // A set keeps the places of what was deleted for a while, and every walk begins by skipping them: so one walk makes
  // room for many.
  const bytesKept = bytesMax * 0.9;
  let bytes = 0;
  let hits = 0;
  let misses = 0;

  const evict = (): void => {
    if (bytes <= bytesMax) return;
    for (const cached of queue) {
      if (bytes <= bytesKept) return;
      queue.delete(cached);
      if (cached.hot) {
        cached.hot = false;
        queue.add(cached);
      } else {
        cached.value = null;
        bytes -= cached.bytes;
      }
    }
  };

  const drop = (entry: Entry): void => {
    const { cached } = entry;
    if (cached !== null && queue.delete(cached)) bytes -= cached.bytes;
    entry.cached = null;
  };

  return {
    get(entry) {
      const value = entry.cached?.value ?? null;
      if (value === null || entry.cached === null) {
        misses++;
        return null;
      }
      hits++;
      entry.cached.hot = true;
      return value;
    },
    keep(entry, value) {
      drop(entry);
      const cached = { value, hot: false, bytes: entry.length + OVERHEAD_BYTES };
      if (cached.bytes > bytesMax) return;
      entry.cached = cached;
      queue.add(cached);
      bytes += cached.bytes;
      evict();
    },
    drop,
    move(from, to) {
      to.cached = from.cached;
      from.cached = null;
    },
    get bytes() {
      return bytes;
    },
    get hits() {
      return hits;
    },
    get misses() {
      return misses;
    },
  };
}
