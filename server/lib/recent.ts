/** Values in memory by name, of which those that were used last are kept. */
export interface Recent<T> {
  get(name: string): T | undefined;
  /** Adds or replaces a value; `size` counts towards the capacity. */
  keep(name: string, value: T, size?: number): void;
}

/** Keeps values that were used last, of so much size in total, and the latest one whatever its size. */
export function createRecent<T>(sizeMax: number): Recent<T> {
  /** A Map keeps insertion order: its first entry is the one that was used least recently. */
  const entries = new Map<string, { readonly value: T; readonly size: number }>();
  let total = 0;
  let latest = "";

  return {
    get(name) {
      const entry = entries.get(name);
      if (entry === undefined) return undefined;
      if (name !== latest) {
        entries.delete(name);
        entries.set(name, entry);
        latest = name;
      }
      return entry.value;
    },
    keep(name, value, size = 1) {
      total += size - (entries.get(name)?.size ?? 0);
      entries.delete(name);
      entries.set(name, { value, size });
      latest = name;
      for (const [oldest, other] of entries) {
        if (total <= sizeMax || oldest === name) return;
        entries.delete(oldest);
        total -= other.size;
      }
    },
  };
}
