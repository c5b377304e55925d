import type { Clock } from "../core/clock.ts";

const KEPT_MS = 120_000;
const KEPT_MAX = 200;

/** Remembers the latest results by key for two minutes, also while they are being made; failures are not kept. */
export function createRecent<R>(clock: Clock): (key: string, make: () => Promise<R>) => Promise<R> {
  const kept = new Map<string, { readonly made: Promise<R>; readonly at: number }>();
  return (key, make) => {
    const now = clock.now();
    for (const [old, { at }] of kept) {
      if (now - at < KEPT_MS && kept.size <= KEPT_MAX) break;
      kept.delete(old);
    }
    const before = kept.get(key);
    if (before !== undefined) return before.made;
    const made = make();
    kept.set(key, { made, at: now });
    made.catch(() => kept.delete(key));
    return made;
  };
}
