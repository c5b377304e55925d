import type { Observation } from "../http/principal.ts";

/** What is remembered of a request in memory. */
export type Remembered = Omit<Observation, "rate" | "isPublic">;

export interface RingWatcher {
  /** Something waits to be taken. */
  readonly wake: () => void;
  /** The process ends its streams. */
  readonly close: () => void;
}

/** Requests as they finish, for streams. Places are `<boot id>-<number>`: those of another process fit nothing. */
export interface RingFeed {
  /** Place behind the latest request. */
  place(): string;
  /** Requests after a place, oldest first, and whether some of them are forgotten; null for another process's place. */
  since(
    place: string,
  ): { readonly seen: readonly Remembered[]; readonly missed: number; readonly place: string } | null;
  /** Tells a watcher of every request until the returned function is called. */
  watch(watcher: RingWatcher): () => void;
  /** Ends every stream, now and from now on. */
  close(): void;
}

/** The latest `size` requests of this process. */
export function createRing(size: number, bootId: string) {
  const slots: Slot[] = [];
  const watchers = new Set<RingWatcher>();
  let latest = 0;
  let isClosed = false;

  const newest = (): Slot[] => {
    const kept = Math.min(size, latest);
    return Array.from({ length: kept }, (_, back) => slots[(latest - back) % size]).filter(
      (slot) => slot !== undefined,
    );
  };
  const placeAt = (number: number): string => `${bootId}-${number}`;

  return {
    push(seen: Observation): void {
      if (size > 0) {
        latest += 1;
        fill((slots[latest % size] ??= { ...seen, refusal: null }), seen);
      }
      if (watchers.size > 0) for (const watcher of watchers) watcher.wake();
    },
    newest,
    find: (requestId: string): Slot | undefined => newest().find((slot) => slot.requestId === requestId),
    place: () => placeAt(latest),
    since(place: string) {
      const [boot, number = ""] = place.split("-", 2);
      if (boot !== bootId || !/^\d{1,15}$/.test(number) || Number(number) > latest) return null;
      const wanted = latest - Number(number);
      const seen = newest().slice(0, wanted).toReversed();
      return {
        seen: seen.map((slot) => ({ ...slot })),
        missed: wanted - seen.length,
        place: placeAt(latest),
      };
    },
    watch(watcher: RingWatcher) {
      if (isClosed) watcher.close();
      else watchers.add(watcher);
      return () => void watchers.delete(watcher);
    },
    close(): void {
      isClosed = true;
      for (const watcher of watchers) watcher.close();
      watchers.clear();
    },
  };
}

/**
 * A place of the ring, filled anew instead of replaced: every entry outlives a collection of young garbage, so one object
 * per request would be copied twice for a log that is hardly ever read.
 */
type Slot = { -readonly [member in keyof Remembered]: Remembered[member] };

function fill(slot: Slot, seen: Observation): void {
  slot.now = seen.now;
  slot.requestId = seen.requestId;
  slot.principal = seen.principal;
  slot.routeId = seen.routeId;
  slot.method = seen.method;
  slot.status = seen.status;
  slot.durationMs = seen.durationMs;
  slot.target = seen.target;
  slot.refusal = seen.refusal;
}
