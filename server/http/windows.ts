export interface WindowLimits {
  /** Events of one key in a window. */
  readonly max: number;
  readonly windowMs: number;
  /** Keys that are remembered at once. */
  readonly keysMax: number;
}

/** Counts of events by key, in the memory of this process: for what protects the process itself. */
export interface Windows {
  /** Counts an event. Returns the milliseconds to wait where there were too many, null below that. */
  take(key: string, now: number): number | null;
  /** Keys that are remembered. */
  size(): number;
}

interface Window {
  readonly endsAtMs: number;
  count: number;
}

/**
 * A fixed window per key, begun by its first event. Bounded: when there are too many keys, the one whose window began first is
 * forgotten, so that a flood from everywhere costs no more than it does without the limit.
 */
export function createWindows({ max, windowMs, keysMax }: WindowLimits): Windows {
  // In the order in which the windows began, and so in the order in which they end.
  const byKey = new Map<string, Window>();

  function begin(key: string, now: number): void {
    byKey.delete(key);
    for (const [oldest, { endsAtMs }] of byKey) {
      if (now < endsAtMs && byKey.size < keysMax) break;
      byKey.delete(oldest);
    }
    byKey.set(key, { endsAtMs: now + windowMs, count: 1 });
  }

  return {
    take(key, now) {
      const window = byKey.get(key);
      const left = window === undefined ? 0 : window.endsAtMs - now;
      // More than a window is left where the clock was set back.
      if (window === undefined || left <= 0 || left > windowMs) {
        begin(key, now);
        return null;
      }
      if (window.count >= max) return left;
      window.count += 1;
      return null;
    },
    size: () => byKey.size,
  };
}
