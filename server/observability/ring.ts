export interface Watcher {
  /** New entries can be read. */
  readonly wake: () => void;
  /** The process ends its streams. */
  readonly close: () => void;
}

/** The latest entries of a log in memory, numbered from 1. */
export interface Feed<T> {
  /** Number of the latest entry; 0 before the first. */
  latest(): number;
  /** Entries after a number, oldest first, and how many of those are no longer in memory. */
  after(number: number): { readonly entries: T[]; readonly missed: number };
  /** Calls a watcher for every entry until the returned function is called. */
  watch(watcher: Watcher): () => void;
  /** Ends every stream, now and from now on. */
  close(): void;
}

export interface Ring<T> extends Feed<T> {
  push(value: T): void;
  /** Everything in memory, newest first. */
  newest(): T[];
}

/**
 * The latest `size` values. A slot is filled again instead of replaced: every value outlives a collection of young garbage, so
 * one object per request would be copied twice for a log that is hardly ever read.
 */
export function createRing<T extends object>(
  size: number,
  fill: (slot: T, value: T) => void = Object.assign,
): Ring<T> {
  const slots: T[] = [];
  const watchers = new Set<Watcher>();
  let latest = 0;
  let isClosed = false;

  const take = (count: number): T[] =>
    Array.from({ length: Math.min(count, size, latest) }, (_, back) => slots[(latest - back) % size])
      .filter((slot) => slot !== undefined)
      .map((slot) => ({ ...slot }));

  return {
    push(value) {
      latest += 1;
      const slot = slots[latest % size];
      if (slot === undefined) slots[latest % size] = { ...value };
      else fill(slot, value);
      if (watchers.size > 0) for (const watcher of watchers) watcher.wake();
    },
    newest: () => take(size),
    latest: () => latest,
    after(number) {
      const wanted = Math.max(0, latest - number);
      const entries = take(wanted).toReversed();
      return { entries, missed: wanted - entries.length };
    },
    watch(watcher) {
      if (isClosed) watcher.close();
      else watchers.add(watcher);
      return () => void watchers.delete(watcher);
    },
    close() {
      isClosed = true;
      for (const watcher of watchers) watcher.close();
      watchers.clear();
    },
  };
}
