/** Bytes of incomplete bodies in a process: more than honest clients send at once, and less than a small machine has. */
const BYTES_MAX = 128_000_000;

/** A body that is being received. */
interface Receiving {
  readonly sender: string;
  readonly refuse: () => void;
  bytes: number;
}

interface Held {
  /** So many more bytes are in memory. Calls `refuse` of bodies, maybe this one, where that is too much. */
  add(bytes: number): void;
  /** The body is complete, or nobody waits for it. */
  end(): void;
}

/**
 * Bounds the memory of bodies whose clients do not finish them: a body is read before anything that it is for is looked up, and one client
 * may begin many. Beyond the limit the largest body of the sender with the most bytes is refused: who sends little goes on.
 */
export function createReceivingLimit(limit = BYTES_MAX): (sender: string, refuse: () => void) => Held {
  const all = new Set<Receiving>();
  let total = 0;

  const end = (one: Receiving): void => {
    if (all.delete(one)) total -= one.bytes;
  };
  function refuseBeyondLimit(): void {
    if (total <= limit) return;
    const sums = new Map<string, number>();
    for (const { sender, bytes } of all) sums.set(sender, (sums.get(sender) ?? 0) + bytes);
    const most = Math.max(...sums.values());
    let largest: Receiving | null = null;
    for (const one of all)
      if (sums.get(one.sender) === most && one.bytes > (largest?.bytes ?? 0)) largest = one;
    if (largest === null) return;
    end(largest);
    largest.refuse();
    refuseBeyondLimit();
  }

  return (sender, refuse) => {
    const own: Receiving = { sender, refuse, bytes: 0 };
    all.add(own);
    return {
      add(bytes) {
        if (!all.has(own)) return;
        own.bytes += bytes;
        total += bytes;
        refuseBeyondLimit();
      },
      end: () => end(own),
    };
  };
}
