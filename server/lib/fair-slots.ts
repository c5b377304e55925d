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

interface Queue {
  readonly key: string;
  held: number;
  readonly waiting: (() => void)[];
}

const TAKEN = Promise.resolve(true);

/**
 * At most `max` places in all and `perKey` under one key. A free place goes to the key with the fewest places; keys with as many take
 * turns, and within a key the order of arrival holds.
 */
export function createFairSlots({ max, perKey, lent: lentMax = 0 }: FairLimits): FairSlots {
  let free = max;
  let lent = 0;
  /** Keys that hold a place or wait for one. */
  const queues = new Map<string, Queue>();
  /**
   * Keys that may get a place, by the number that they hold, the next one first: thousands of stores wait for their jobs at the same
   * time, and looking through all of them for each place kept the event loop for seconds.
   */
  const ready: (Set<Queue> | undefined)[] = [];

  /** Notes that a key holds more or fewer places. */
  function hold(queue: Queue, change: number): void {
    ready[queue.held]?.delete(queue);
    queue.held += change;
    if (queue.held === 0 && queue.waiting.length === 0) queues.delete(queue.key);
    else if (queue.waiting.length > 0 && queue.held < perKey) (ready[queue.held] ??= new Set()).add(queue);
  }

  function nextQueue(): Queue | undefined {
    for (const some of ready) {
      const [first] = some ?? [];
      if (first !== undefined) return first;
    }
    return undefined;
  }

  function serve(): void {
    while (free > 0) {
      const queue = nextQueue();
      const enter = queue?.waiting.shift();
      if (queue === undefined || enter === undefined) return;
      free -= 1;
      hold(queue, 1);
      enter();
    }
  }

  return {
    isFull: (key) => free === 0 || (queues.get(key)?.held ?? 0) >= perKey,
    take(key, signal) {
      if (signal?.aborted === true) return Promise.resolve(false);
      const queue = queues.get(key) ?? { key, held: 0, waiting: [] };
      queues.set(key, queue);
      // Where one is free, no other key waits for it: most requests never do.
      if (free > 0 && queue.held < perKey) {
        free -= 1;
        queue.held += 1;
        return TAKEN;
      }
      return new Promise((resolve) => {
        const leave = (): void => {
          queue.waiting.splice(queue.waiting.indexOf(enter), 1);
          if (queue.waiting.length === 0) hold(queue, 0);
          resolve(false);
        };
        const enter = (): void => {
          signal?.removeEventListener("abort", leave);
          resolve(true);
        };
        queue.waiting.push(enter);
        // One that waits already has its place in the order.
        if (queue.waiting.length === 1) hold(queue, 0);
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
      hold(queue, -1);
      if (isLent) lent -= 1;
      else free += 1;
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
