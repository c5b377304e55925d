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

export interface Watcher {
  /** Something waits to be taken. */
  readonly wake: () => void;
  /** The process ends its streams. */
  readonly close: () => void;
}

export interface Subscription {
  /** What waits, oldest first; takes it. */
  take(): LiveEvent[];
  end(): void;
}

export interface Feed {
  publish(event: Omit<LiveEvent, "seq">): void;
  /** Events after a place; null when some of those are forgotten, or the place is another process's. */
  since(cursor: string): LiveEvent[] | null;
  /** Where a stream that has told everything up to this event can go on. */
  cursorAt(seq: number): string;
  /** Number of the latest event. */
  latest(): number;
  subscribe(watcher: Watcher): Subscription;
  /** Ends every stream, now and from now on. */
  close(): void;
}

/** Events that a stream which lost its connection can still get. */
const EVENTS_KEPT = 2_048;
/** Events that may wait for a slow reader before only the latest of each key are kept. */
const QUEUE_MAX = 1_000;

/** Passes events on to streams, and remembers the latest. `bootId` names this process in places. */
export function createFeed(bootId: string): Feed {
  const ring: Slot[] = [];
  const queues = new Set<Queue>();
  let latest = 0;
  let closed = false;

  return {
    publish(event) {
      latest += 1;
      const slot = (ring[latest % EVENTS_KEPT] ??= { ...event, seq: latest });
      fill(slot, event, latest);
      if (queues.size === 0) return;
      for (const queue of queues) queue.push({ ...slot });
    },
    since(cursor) {
      const after = seqOf(cursor, bootId);
      if (after === null || after > latest || latest - after > EVENTS_KEPT) return null;
      return ring
        .filter(({ seq }) => seq > after)
        .map((slot) => ({ ...slot }))
        .sort(bySeq);
    },
    cursorAt: (seq) => `${bootId}-${seq}`,
    latest: () => latest,
    subscribe(watcher) {
      const queue = createQueue(watcher);
      if (closed) watcher.close();
      else queues.add(queue);
      return { take: () => queue.take(), end: () => void queues.delete(queue) };
    },
    close() {
      closed = true;
      for (const queue of queues) queue.close();
      queues.clear();
    },
  };
}

/**
 * A place of the ring. Filled anew instead of replaced: every event outlives a collection of young garbage, so one object
 * per request would be copied twice for a stream that hardly anybody reads.
 */
type Slot = { -readonly [member in keyof LiveEvent]: LiveEvent[member] };

function fill(slot: Slot, event: Omit<LiveEvent, "seq">, seq: number): void {
  slot.seq = seq;
  slot.type = event.type;
  slot.atMs = event.atMs;
  slot.keyId = event.keyId;
  slot.customerId = event.customerId;
  slot.limit = event.limit;
  slot.remaining = event.remaining;
  slot.resetAtMs = event.resetAtMs;
  slot.route = event.route;
}

type Queue = ReturnType<typeof createQueue>;

function createQueue({ wake, close }: Watcher) {
  let waiting: LiveEvent[] = [];
  /** For a reader that cannot follow: only the latest event of each key and kind, the oldest of them first. */
  let latest: Map<string, LiveEvent> | null = null;

  function keepLatest(of: Map<string, LiveEvent>, event: LiveEvent): void {
    const name = `${event.keyId} ${event.type}`;
    of.delete(name);
    of.set(name, event);
    if (of.size <= QUEUE_MAX) return;
    const oldest = of.keys().next();
    if (oldest.done !== true) of.delete(oldest.value);
  }

  return {
    close,
    push(event: LiveEvent): void {
      if (latest === null && waiting.length >= QUEUE_MAX) {
        latest = new Map();
        for (const earlier of waiting.splice(0)) keepLatest(latest, earlier);
      }
      if (latest === null) waiting.push(event);
      else keepLatest(latest, event);
      wake();
    },
    take(): LiveEvent[] {
      const taken = latest === null ? waiting : [...latest.values()];
      waiting = [];
      latest = null;
      return taken;
    },
  };
}

const bySeq = (one: LiveEvent, other: LiveEvent): number => one.seq - other.seq;

function seqOf(cursor: string, bootId: string): number | null {
  const [boot, seq = ""] = cursor.split("-", 2);
  return boot === bootId && /^\d{1,15}$/.test(seq) ? Number(seq) : null;
}
