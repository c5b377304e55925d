import type { Clock } from "../core/clock.ts";
import { StoreError } from "./contract.ts";
import type { Check, RateResult, StoreDriver } from "./contract.ts";
import type { Documents, Linked } from "./documents.ts";
import { assertPart, splitKey } from "./keys.ts";
import type { KeyParts } from "./keys.ts";

/** An open window: how often it was taken, and when it ends. */
export interface CounterWindow {
  readonly counter: string;
  readonly count: number;
  readonly resetAtMs: number;
  readonly windowMs: number;
}

export interface Counters {
  take(counter: string, limit: number, windowMs: number, amount?: number): RateResult;
  peek(counter: string): { readonly count: number; readonly resetAtMs: number } | null;
  reset(counter: string): void;
  /** The windows that are open now. */
  save(): CounterWindow[];
  /** Takes up windows of an earlier process, unless they have ended meanwhile. */
  restore(windows: readonly CounterWindow[]): void;
  readonly size: number;
}

/** The store's face of the counters; `assertOpen` throws once the store is closed. */
export function toLimits(
  counters: Counters,
  assertOpen: () => void,
): Pick<StoreDriver, "take" | "peek" | "resetCounter"> {
  return {
    async take(counter, limit, windowMs, amount) {
      assertOpen();
      return counters.take(counter, limit, windowMs, amount);
    },
    async peek(counter) {
      assertOpen();
      return counters.peek(counter);
    },
    async resetCounter(counter) {
      assertOpen();
      counters.reset(counter);
    },
  };
}

/** What drivers with all counters and keys in memory have in common. */
export const toMemoryReads = (
  documents: Documents<Linked & { readonly version: number }>,
  counters: Counters,
  assertOpen: () => void,
): Pick<
  StoreDriver,
  "take" | "peek" | "resetCounter" | "takeIf" | "partitions" | "collections" | "usage"
> => ({
  ...toLimits(counters, assertOpen),
  takeIf: toTakeIf(counters, documents, assertOpen),
  async partitions() {
    assertOpen();
    return documents.partitions();
  },
  async collections(part) {
    assertOpen();
    return documents.collections(part);
  },
  async usage(part) {
    assertOpen();
    assertPart(part);
    return documents.usage(part);
  },
});

/** Takes from counters if documents have the versions that checks name, where both are in memory. */
function toTakeIf(
  counters: Counters,
  documents: Pick<Documents<Linked & { readonly version: number }>, "get">,
  assertOpen: () => void,
): NonNullable<StoreDriver["takeIf"]> {
  /** The same checks come with every request of a key. */
  const places = new WeakMap<readonly Check[], readonly KeyParts[]>();
  const placesOf = (checks: readonly Check[]): readonly KeyParts[] => {
    const known = places.get(checks);
    if (known !== undefined) return known;
    const parsed = checks.map(({ key }) => splitKey(key));
    places.set(checks, parsed);
    return parsed;
  };
  return async (checks, ...[counter, limit, windowMs, amount]) => {
    assertOpen();
    for (const [index, at] of placesOf(checks).entries())
      if ((documents.get(at)?.version ?? 0) !== checks[index]?.version) return null;
    return counters.take(counter, limit, windowMs, amount);
  };
}

interface Open {
  count: number;
  readonly resetAtMs: number;
  readonly windowMs: number;
}

/** Windows that are looked at whenever one is opened: those that have ended are a third of the open ones at most. */
const LOOKS = 4;
/**
 * Windows beyond which those of a minute, and those of visitors, are forgotten before they end, the oldest first: what strangers use up is
 * counted in them by address and path, and a million of them took 600 MB. Other longer ones hold budgets.
 */
const WINDOWS_MAX = 250_000;
const SHORT_MS = 60_000;
/** With what `http/visitor.ts` begins the names of its counters. */
const OF_VISITORS = "open.";
/** A Map rehashes all entries at once when it grows, 100 ms for half a million windows; each shard does so on its own. */
const SHARDS = 64;

interface Shard {
  readonly windows: Map<string, Open>;
  /** Where the look for windows that have ended goes on. */
  walk: MapIterator<[string, Open]>;
}

function createShard(): Shard {
  const windows = new Map<string, Open>();
  return { windows, walk: windows.entries() };
}

/**
 * Fixed windows in memory, each anchored at its counter's first use. Nothing here awaits, so a take is atomic.
 * Ended windows are removed a few at a time, so memory follows the open ones, and no request waits for all of them.
 */
export function createCounters(clock: Clock): Counters {
  const first = createShard();
  const shards = [first, ...Array.from({ length: SHARDS - 1 }, createShard)];
  const sizeOfAll = (): number => shards.reduce((size, { windows }) => size + windows.size, 0);
  /** By its last characters, which differ most. */
  const shardOf = (counter: string): Shard => {
    const end = counter.length - 1;
    return shards[(counter.charCodeAt(end) * 7 + counter.charCodeAt(end - 1)) % SHARDS] ?? first;
  };
  const openWindow = (counter: string, nowMs: number): Open | undefined => {
    const found = shardOf(counter).windows.get(counter);
    return found !== undefined && isOpen(found, nowMs) ? found : undefined;
  };
  function forgetSome(shard: Shard, nowMs: number): void {
    const isFull = sizeOfAll() > WINDOWS_MAX;
    for (let looks = 0; looks < LOOKS; looks += 1) {
      const { done, value } = shard.walk.next();
      if (done === true) {
        shard.walk = shard.windows.entries();
        return;
      }
      const [counter, window] = value;
      const isBeyond = isFull && (window.windowMs <= SHORT_MS || counter.startsWith(OF_VISITORS));
      if (isBeyond || !isOpen(window, nowMs)) shard.windows.delete(counter);
    }
  }

  return {
    take(counter, limit, windowMs, amount = 1) {
      if (!(windowMs > 0) || !Number.isFinite(windowMs) || Number.isNaN(limit)) {
        throw new StoreError("INVALID", `invalid window: ${limit} in ${windowMs} ms`);
      }
      const nowMs = clock.now();
      let window = openWindow(counter, nowMs);
      if (window === undefined) {
        const shard = shardOf(counter);
        forgetSome(shard, nowMs);
        window = { count: 0, resetAtMs: nowMs + windowMs, windowMs };
        shard.windows.set(counter, window);
      }
      const allowed = window.count + amount <= limit;
      if (allowed) window.count = Math.max(0, window.count + amount);
      if (window.count === 0) shardOf(counter).windows.delete(counter);
      return { allowed, limit, remaining: Math.max(0, limit - window.count), resetAtMs: window.resetAtMs };
    },
    peek(counter) {
      const window = openWindow(counter, clock.now());
      return window === undefined ? null : { count: window.count, resetAtMs: window.resetAtMs };
    },
    reset(counter) {
      shardOf(counter).windows.delete(counter);
    },
    save() {
      const nowMs = clock.now();
      return shards
        .flatMap(({ windows }) => Array.from(windows, ([counter, window]) => ({ counter, ...window })))
        .filter((window) => isOpen(window, nowMs));
    },
    restore(saved) {
      const nowMs = clock.now();
      for (const { counter, count, resetAtMs, windowMs } of saved) {
        const window = { count, resetAtMs, windowMs };
        if (isOpen(window, nowMs)) shardOf(counter).windows.set(counter, window);
      }
    },
    get size() {
      return sizeOfAll();
    },
  };
}

/** A window that ends later than its own length from now was opened before the clock was set back: it counts as ended. */
function isOpen(window: Open, nowMs: number): boolean {
  return nowMs < window.resetAtMs && window.resetAtMs - nowMs <= window.windowMs;
}
