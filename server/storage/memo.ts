/** Values in memory by name, at most so many characters. */
export interface Memo<T> {
  get(name: string): T | undefined;
  /** Replaces the value with this name. A value that is larger than the capacity is not kept. */
  keep(name: string, value: T, chars: number): void;
}

interface Kept<T> {
  readonly value: T;
  readonly chars: number;
  /** Read since it last came up to go. */
  hot: boolean;
}

/** At most `charsMax` characters are kept; of the oldest values, those that were not read again are evicted first. */
export function createMemo<T>(charsMax: number): Memo<T> {
  const values = new Map<string, Kept<T>>();
  let chars = 0;

  const drop = (name: string, kept: Kept<T>): void => {
    values.delete(name);
    chars -= kept.chars;
  };

  return {
    get(name) {
      const kept = values.get(name);
      if (kept === undefined) return undefined;
      kept.hot = true;
      return kept.value;
    },
    keep(name, value, size) {
      const before = values.get(name);
      if (before !== undefined) drop(name, before);
      if (size > charsMax) return;
      values.set(name, { value, chars: size, hot: false });
      chars += size;
      for (const [oldest, other] of values) {
        if (chars <= charsMax) break;
        drop(oldest, other);
        if (!other.hot) continue;
        // A hit only sets the flag, so a hot read moves nothing; an entry with the flag set goes to the back once more.
        other.hot = false;
        values.set(oldest, other);
        chars += other.chars;
      }
    },
  };
}
