/** Things in memory, at most so many bytes; the least recently used go first. */
export interface Cache<T> {
  get(key: string): T | undefined;
  set(key: string, thing: T): void;
  readonly state: { readonly bytes: number; readonly hits: number; readonly misses: number };
}

/** Memory of an entry in addition to what it holds. */
const OVERHEAD_BYTES = 200;

/** A Map keeps its entries in the order of their insertion, so one that is used is inserted again. */
export function createCache<T>(bytesMax: number, bytesOf: (thing: T) => number): Cache<T> {
  // A walk begins by skipping the places of what was deleted, so one walk makes room for many.
  const bytesKept = bytesMax * 0.9;
  const entries = new Map<string, { readonly thing: T; readonly bytes: number }>();
  const state = { bytes: 0, hits: 0, misses: 0 };

  const drop = (key: string): void => {
    state.bytes -= entries.get(key)?.bytes ?? 0;
    entries.delete(key);
  };
  const evict = (): void => {
    for (const key of entries.keys()) {
      if (state.bytes <= bytesKept) return;
      drop(key);
    }
  };

  return {
    state,
    get(key) {
      const entry = entries.get(key);
      if (entry === undefined) {
        state.misses++;
        return undefined;
      }
      state.hits++;
      entries.delete(key);
      entries.set(key, entry);
      return entry.thing;
    },
    set(key, thing) {
      drop(key);
      const bytes = OVERHEAD_BYTES + key.length + bytesOf(thing);
      if (bytes > bytesMax) return;
      entries.set(key, { thing, bytes });
      state.bytes += bytes;
      if (state.bytes > bytesMax) evict();
    },
  };
}
