import { z } from "zod";

import type { Observation, Principal } from "../../http/principal.ts";
import type { Clock } from "../../core/clock.ts";
import type { RateResult } from "../../storage/contract.ts";
import { createRing } from "../../observability/ring.ts";
import type { Feed } from "../../observability/ring.ts";

/** A change of a key's window, as the stream of limits reports it. */
export const LiveEvent = z.object({
  type: z.enum(["update", "rejected", "reset"]),
  atMs: z.number(),
  keyId: z.string(),
  customerId: z.string(),
  limit: z.number(),
  remaining: z.number(),
  /** Epoch milliseconds; null when no window is open. */
  resetAtMs: z.number().nullable(),
  /** Route id; null for a request that reached none. */
  route: z.string().nullable(),
});
export type LiveEvent = Readonly<z.output<typeof LiveEvent>>;

/** A key that made a request lately, and what its requests said. */
export const SeenKey = z.object({
  keyId: z.string(),
  customerId: z.string(),
  limit: z.number(),
  /** Route of its latest request. */
  route: z.string().nullable(),
  /** Requests refused with 429 in this window. */
  rejected: z.number(),
  /** Epoch milliseconds at which its window ends. */
  resetAtMs: z.number(),
});
export type SeenKey = Readonly<z.output<typeof SeenKey>>;

/**
 * What happens to limits in this process. The counters can be read by key but not listed, so the keys that were seen
 * are remembered here, and the latest events for streams that come back.
 */
export interface Live {
  observe(observation: Observation): void;
  /** Notifies watchers that an operator reset a key's window. */
  reset(key: { readonly keyId: string; readonly customerId: string; readonly limit: number }): void;
  /** The keys seen whose window is open. */
  keys(isWanted?: (key: SeenKey) => boolean): SeenKey[];
  readonly feed: Feed<LiveEvent>;
}

export function createLive({ clock }: { readonly clock: Clock }): Live {
  const seen = createSeenKeys();
  const feed = createRing<LiveEvent>(EVENTS_KEPT, fillSlot);

  return {
    feed,
    observe({ now, principal, rate, routeId, status }) {
      if (principal === null || rate === null) return;
      const isRejected = !rate.allowed && status === 429;
      const { keyId, customerId } = principal;
      const { limit, remaining, resetAtMs } = rate;
      const key = seen.note(principal, rate, now);
      key.route = routeId;
      if (isRejected) key.rejected += 1;
      const type = isRejected ? "rejected" : "update";
      feed.push({ type, atMs: now, keyId, customerId, limit, remaining, resetAtMs, route: routeId });
    },
    reset(key) {
      const { limit } = key;
      feed.push({
        ...key,
        type: "reset",
        atMs: clock.now(),
        remaining: limit,
        resetAtMs: null,
        route: null,
      });
    },
    keys: (isWanted = () => true) => seen.all().filter((key) => key.resetAtMs > clock.now() && isWanted(key)),
  };
}

/** Events of this process that a stream which lost its connection can still get. */
const EVENTS_KEPT = 2_048;

function fillSlot(
  slot: { -readonly [member in keyof LiveEvent]: LiveEvent[member] },
  event: LiveEvent,
): void {
  slot.type = event.type;
  slot.atMs = event.atMs;
  slot.keyId = event.keyId;
  slot.customerId = event.customerId;
  slot.limit = event.limit;
  slot.remaining = event.remaining;
  slot.resetAtMs = event.resetAtMs;
  slot.route = event.route;
}

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
