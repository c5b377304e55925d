/** A bounded number of places, shared fairly between keys (stores, customers). */
export interface FairSlots {
  /** Whether there is no place for this key now. */
  isFull(key: string): boolean;
  /** Waits for a place. Resolves to false, without one, when `signal` aborts first. */
  take(key: string, signal?: AbortSignal): Promise<boolean>;
  /** Gives the place of one that takes long to another, beyond `max`; its key keeps it. False where too many are lent already. */
  lend(): boolean;
  /** Returns a place that was taken under this key. */
  release(key: string, isLent?: boolean): void;
}

export interface FairLimits {
  /** Places in all. */
  readonly max: number;
  /** Places of one key. */
  readonly perKey: number;
  /** Places that may be lent. Default: none. */
  readonly lent?: number;
}

/** What the choice of the next key rests on. */
export interface Share {
  /** Places that the key has now. */
  readonly held: number;
  /** Number of its latest turn, or of the latest of all when it came. */
  readonly lastTurn: number;
  readonly waiting: readonly unknown[];
}

/**
 * The key that gets a free place: of those that wait and are below their own limit the one with the fewest places, then the one
 * whose latest turn is the longest ago, then the one that came first. Null when there is none.
 */
export function nextShare<S extends Share>(shares: Iterable<S>, perKey: number): S | null {
  let best: S | null = null;
  for (const share of shares) {
    if (share.waiting.length === 0 || share.held >= perKey) continue;
    if (best === null || share.held < best.held) best = share;
    else if (share.held === best.held && share.lastTurn < best.lastTurn) best = share;
  }
  return best;
}

interface Queue extends Share {
  readonly key: string;
  held: number;
  lastTurn: number;
  readonly waiting: (() => void)[];
}

/** At most `max` places in all and `perKey` under one key. Keys take turns; within a key the order of arrival holds. */
export function createFairSlots({ max, perKey, lent: lentMax = 0 }: FairLimits): FairSlots {
  let free = max;
  let lent = 0;
  let turn = 0;
  /** Keys that hold a place or wait for one, in order of arrival. */
  const queues = new Map<string, Queue>();

  function serve(): void {
    while (free > 0) {
      const queue = nextShare(queues.values(), perKey);
      const enter = queue?.waiting.shift();
      if (queue === null || enter === undefined) return;
      free -= 1;
      queue.held += 1;
      turn += 1;
      queue.lastTurn = turn;
      enter();
    }
  }

  function forgetIdle(queue: Queue): void {
    if (queue.held === 0 && queue.waiting.length === 0) queues.delete(queue.key);
  }

  return {
    isFull: (key) => free === 0 || (queues.get(key)?.held ?? 0) >= perKey,
    take(key, signal) {
      if (signal?.aborted === true) return Promise.resolve(false);
      const queue = queues.get(key) ?? { key, held: 0, lastTurn: turn, waiting: [] };
      queues.set(key, queue);
      return new Promise((resolve) => {
        const leave = (): void => {
          queue.waiting.splice(queue.waiting.indexOf(enter), 1);
          forgetIdle(queue);
          resolve(false);
        };
        const enter = (): void => {
          signal?.removeEventListener("abort", leave);
          resolve(true);
        };
        queue.waiting.push(enter);
        signal?.addEventListener("abort", leave, { once: true });
        serve();
      });
    },
    lend() {
      if (lent >= lentMax) return false;
      lent += 1;
      free += 1;
      serve();
      return true;
    },
    release(key, isLent = false) {
      const queue = queues.get(key);
      if (queue === undefined || queue.held === 0) throw new Error(`No place is taken under ${key}.`);
      queue.held -= 1;
      if (isLent) lent -= 1;
      else free += 1;
      forgetIdle(queue);
      serve();
    },
  };
}

/**
 * Runs work in a place. Work that takes longer than `slowMs`, mostly because it waits for others, gives its place away and goes on.
 * Undefined, and nothing is done, where `signal` aborts before there is a place.
 */
export async function inPlace<R>(
  slots: FairSlots,
  {
    key,
    signal,
    slowMs,
  }: { readonly key: string; readonly signal?: AbortSignal | undefined; readonly slowMs: number },
  work: () => Promise<R>,
): Promise<R | undefined> {
  if (!(await slots.take(key, signal))) return undefined;
  let isLent = false;
  const slow = setTimeout(() => {
    isLent = slots.lend();
  }, slowMs);
  try {
    return await work();
  } finally {
    clearTimeout(slow);
    slots.release(key, isLent);
  }
}
