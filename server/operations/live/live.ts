import type { Observation, Principal } from "../../http/principal.ts";
import type { Clock } from "../../core/clock.ts";
import type { RateResult, StoreDriver } from "../../storage/contract.ts";
import { createFeed } from "./live-feed.ts";
import type { Feed } from "./live-feed.ts";

/** A key that made a request lately, and what its requests said. */
export interface SeenKey {
  readonly keyId: string;
  readonly customerId: string;
  readonly limit: number;
  /** Route of its latest request. */
  readonly route: string | null;
  /** Requests refused with 429 in this window. */
  readonly rejected: number;
  /** Epoch milliseconds at which its window ends. */
  readonly resetAtMs: number;
}

/** A key's open window, read from the counter itself. */
export interface LiveWindow extends SeenKey {
  readonly used: number;
  readonly remaining: number;
}

/**
 * What happens to limits in this process. The counters can be read by key but not listed, so the keys that were seen
 * are remembered here, and the latest events for streams that come back.
 */
export interface Live {
  observe(observation: Observation): void;
  /** Tells watchers that an operator forgot a key's window. */
  reset(key: { readonly keyId: string; readonly customerId: string; readonly limit: number }): void;
  /** The open windows of the keys seen, by key id. */
  windows(isWanted?: (key: SeenKey) => boolean): Promise<LiveWindow[]>;
  find(keyId: string): SeenKey | null;
  readonly feed: Feed;
}

export function createLive(deps: {
  readonly clock: Clock;
  readonly store: Pick<StoreDriver, "peek">;
  /** Names this process in the places of streams, so that another one's are recognised. */
  readonly bootId: string;
}): Live {
  const { clock, store } = deps;
  const seen = createSeenKeys();
  const feed = createFeed(deps.bootId);

  return {
    feed,
    find: (keyId) => seen.get(keyId),
    observe({ now, principal, rate, routeId, status }) {
      if (principal === null || rate === null) return;
      const isRejected = !rate.allowed && status === 429;
      const { keyId, customerId } = principal;
      const { limit, remaining, resetAtMs } = rate;
      const key = seen.note(principal, rate, now);
      key.route = routeId;
      if (isRejected) key.rejected += 1;
      const type = isRejected ? "rejected" : "update";
      feed.publish({ type, atMs: now, keyId, customerId, limit, remaining, resetAtMs, route: routeId });
    },
    reset(key) {
      const { limit } = key;
      feed.publish({
        ...key,
        type: "reset",
        atMs: clock.now(),
        remaining: limit,
        resetAtMs: null,
        route: null,
      });
    },
    async windows(isWanted = () => true) {
      const wanted = seen.all().filter((key) => key.resetAtMs > clock.now() && isWanted(key));
      const windows = await Promise.all(
        wanted.map(async (key) => toWindow(key, await store.peek(key.keyId))),
      );
      return windows.filter((window) => window !== null).sort((a, b) => (a.keyId < b.keyId ? -1 : 1));
    },
  };
}

const toWindow = (key: SeenKey, open: { count: number; resetAtMs: number } | null): LiveWindow | null =>
  open === null
    ? null
    : {
        ...key,
        used: open.count,
        remaining: Math.max(0, key.limit - open.count),
        resetAtMs: open.resetAtMs,
      };

type Noted = { -readonly [member in keyof SeenKey]: SeenKey[member] };

const KEYS_MAX = 50_000;
const SWEEP_FLOOR = 1_024;

/** At most `KEYS_MAX` keys; those whose window has ended are swept when their number may have doubled. */
function createSeenKeys() {
  const keys = new Map<string, Noted>();
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
    get(id: string): SeenKey | null {
      const key = keys.get(id);
      return key === undefined ? null : { ...key };
    },
    all: (): SeenKey[] => Array.from(keys.values(), (key) => ({ ...key })),
    /** The key's entry for its window, to be completed in place: this is done for every request. */
    note({ keyId, customerId }: Principal, { limit, resetAtMs }: RateResult, nowMs: number): Noted {
      const before = keys.get(keyId);
      if (before?.resetAtMs === resetAtMs) {
        before.limit = limit;
        return before;
      }
      if (before === undefined && keys.size >= sweepAt) sweep(nowMs);
      const noted = { keyId, customerId, limit, route: null, rejected: 0, resetAtMs };
      keys.set(keyId, noted);
      return noted;
    },
  };
}
