import type { Observation } from "../http/principal.ts";
import type { Clock } from "../kernel/clock.ts";
import type { StoreDriver } from "../storage/contract.ts";

/** A change of a key's window, as the stream of limits tells it. */
export interface LiveEvent {
  /** Ascending within one process. */
  readonly seq: number;
  readonly type: "update" | "rejected" | "reset";
  readonly atMs: number;
  readonly keyId: string;
  readonly customerId: string;
  readonly limit: number;
  readonly remaining: number;
  /** Epoch milliseconds; null when no window is open. */
  readonly resetAtMs: number | null;
  /** Route id; null for a request that reached none. */
  readonly route: string | null;
}

/** A key that made a request lately, and what its requests said. */
export interface SeenKey {
  readonly keyId: string;
  readonly customerId: string;
  readonly storeId: string;
  readonly tier: string;
  readonly limit: number;
  readonly route: string | null;
  /** Requests refused with 429 in this window. */
  readonly rejected: number;
  readonly resetAtMs: number;
}

/** A key's open window, read from the counter itself. */
export interface LiveWindow extends SeenKey {
  readonly used: number;
  readonly remaining: number;
}

export interface Subscription {
  /** What waits, oldest first; takes it. */
  take(): LiveEvent[];
  end(): void;
}

/**
 * What happens to limits in this process: the counters themselves can be read by key but not listed, so the keys that
 * were seen are remembered here, and the latest events for streams that come back.
 */
export interface Live {
  observe(observation: Observation): void;
  /** Tells watchers that an operator forgot a key's window. */
  reset(key: { readonly keyId: string; readonly customerId: string; readonly limit: number }): void;
  /** The open windows of the keys seen, by key id. */
  windows(isWanted?: (key: SeenKey) => boolean): Promise<LiveWindow[]>;
  find(keyId: string): SeenKey | null;
  /** Events after `after`; null when some of those are forgotten or it is another process's number. */
  since(cursor: string): LiveEvent[] | null;
  /** Where a stream that stops after this event can go on. */
  cursorOf(event: Pick<LiveEvent, "seq">): string;
  /** Number of the latest event. */
  readonly seq: number;
  /** `wake` is called when something waits, `close` when the process ends its streams. */
  subscribe(watcher: { wake(): void; close(): void }): Subscription;
  /** Ends every stream, now and from now on. */
  close(): void;
}

/** Events that a stream which lost its connection can still get. */
const EVENTS_KEPT = 2_048;
/** Events that may wait for a slow reader before only the latest of each key are kept. */
const QUEUE_MAX = 1_000;
const KEYS_MAX = 50_000;
const SWEEP_FLOOR = 1_024;

export function createLive(deps: {
  readonly clock: Clock;
  readonly store: Pick<StoreDriver, "peek">;
  /** Names this process in cursors, so that another one's are recognised. */
  readonly bootId: string;
}): Live {
  const { clock, store, bootId } = deps;
  const seen = createSeenKeys();
  const ring: LiveEvent[] = [];
  const watchers = new Set<{ wake(): void; close(): void; push(event: LiveEvent): void }>();
  let seq = 0;
  let closed = false;

  function publish(event: Omit<LiveEvent, "seq">): void {
    seq += 1;
    const numbered = { ...event, seq };
    ring[seq % EVENTS_KEPT] = numbered;
    for (const watcher of watchers) {
      watcher.push(numbered);
      watcher.wake();
    }
  }

  return {
    observe({ now, principal, rate, routeId, status }) {
      if (principal === null || rate === null) return;
      const isRejected = !rate.allowed && status === 429;
      const { keyId, customerId } = principal;
      seen.note(now, {
        keyId,
        customerId,
        storeId: principal.store.id,
        tier: principal.tier,
        limit: rate.limit,
        route: routeId,
        rejected: isRejected ? 1 : 0,
        resetAtMs: rate.resetAtMs,
      });
      const { limit, remaining, resetAtMs } = rate;
      const type = isRejected ? "rejected" : "update";
      publish({ type, atMs: now, keyId, customerId, limit, remaining, resetAtMs, route: routeId });
    },
    reset({ keyId, customerId, limit }) {
      const atMs = clock.now();
      publish({
        type: "reset",
        atMs,
        keyId,
        customerId,
        limit,
        remaining: limit,
        resetAtMs: null,
        route: null,
      });
    },
    async windows(isWanted = () => true) {
      const wanted = seen.all().filter(isWanted);
      const peeked = await Promise.all(wanted.map(async (key) => toWindow(key, await store.peek(key.keyId))));
      return peeked
        .filter((window) => window !== null)
        .sort((one, other) => (one.keyId < other.keyId ? -1 : 1));
    },
    find: (keyId) => seen.get(keyId),
    since(cursor) {
      const after = seqOf(cursor, bootId);
      if (after === null || after > seq || seq - after > EVENTS_KEPT) return null;
      const missed: LiveEvent[] = [];
      for (let number = after + 1; number <= seq; number += 1) {
        const event = ring[number % EVENTS_KEPT];
        if (event !== undefined) missed.push(event);
      }
      return missed;
    },
    cursorOf: (event) => `${bootId}-${event.seq}`,
    get seq() {
      return seq;
    },
    subscribe(watcher) {
      let queue: LiveEvent[] = [];
      const entry = {
        ...watcher,
        push(event: LiveEvent) {
          queue.push(event);
          if (queue.length > QUEUE_MAX) queue = latestOfEach(queue);
        },
      };
      if (closed) watcher.close();
      else watchers.add(entry);
      return {
        take: () => queue.splice(0),
        end: () => void watchers.delete(entry),
      };
    },
    close() {
      closed = true;
      for (const watcher of watchers) watcher.close();
      watchers.clear();
    },
  };
}

/** For a reader that cannot follow: the latest event of each key and kind, in order. */
function latestOfEach(queue: readonly LiveEvent[]): LiveEvent[] {
  const latest = new Map(queue.map((event) => [`${event.keyId} ${event.type}`, event]));
  return [...latest.values()].sort((one, other) => one.seq - other.seq);
}

function seqOf(cursor: string, bootId: string): number | null {
  const [boot, seq = ""] = cursor.split("-", 2);
  return boot === bootId && /^\d{1,15}$/.test(seq) ? Number(seq) : null;
}

const toWindow = (key: SeenKey, open: { count: number; resetAtMs: number } | null): LiveWindow | null =>
  open === null
    ? null
    : { ...key, used: open.count, remaining: Math.max(0, key.limit - open.count), resetAtMs: open.resetAtMs };

/** Keys with a window that is still open, at most `KEYS_MAX`; ended ones are swept when their number may have doubled. */
function createSeenKeys() {
  const keys = new Map<string, SeenKey>();
  let sweepAt = SWEEP_FLOOR;

  const sweep = (nowMs: number): void => {
    for (const [id, key] of keys) if (key.resetAtMs <= nowMs) keys.delete(id);
    for (const id of keys.keys()) {
      if (keys.size < KEYS_MAX) break;
      keys.delete(id);
    }
    sweepAt = Math.min(KEYS_MAX, Math.max(SWEEP_FLOOR, keys.size * 2));
  };
  return {
    get: (id: string): SeenKey | null => keys.get(id) ?? null,
    all: (): SeenKey[] => [...keys.values()],
    note(nowMs: number, key: SeenKey): void {
      const before = keys.get(key.keyId);
      if (before === undefined && keys.size >= sweepAt) sweep(nowMs);
      const isSameWindow = before?.resetAtMs === key.resetAtMs;
      keys.set(key.keyId, isSameWindow ? { ...key, rejected: before.rejected + key.rejected } : key);
    },
  };
}
