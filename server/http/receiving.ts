/** Bytes of bodies in a process that are incomplete or wait: more than honest clients send at once, and less than a small machine has. */
const BYTES_MAX = 128_000_000;

/** A body that is being received, or whose request waits for its turn. */
interface Receiving {
  readonly sender: string;
  readonly refuse: () => void;
  bytes: number;
}

/** Bytes in memory of one sender up to which its bodies are read as fast as they come. */
const QUICK_BYTES = 4_000_000;
/** Beyond them, bytes per millisecond for all bodies of a sender. */
const PACE = 5_000;

interface Held {
  /**
   * So many more bytes are in memory. Calls `refuse` of bodies, maybe this one, where that is too much. Returns the milliseconds to wait
   * before more is read.
   */
  add(bytes: number): number;
  /** The body is complete, or nobody waits for it. */
  end(): void;
}

/**
 * Bounds the memory of bodies whose clients do not finish them, or whose requests wait: a body is read before anything that it is for is
 * looked up, and one client may begin many. Beyond the limit the largest body of the sender with the most bytes is refused: who sends little goes on. Large bodies
 * are read at a pace: read as fast as the network brings them, their buffers have all garbage of the process collected again and again.
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

  /** Each of a sender's bodies waits for the others. */
  function waitOf(sender: string, bytes: number): number {
    let [sum, bodies] = [0, 0];
    for (const one of all) {
      if (one.sender !== sender) continue;
      sum += one.bytes;
      bodies += 1;
    }
    return sum > QUICK_BYTES ? Math.ceil((bytes * bodies) / PACE) : 0;
  }

  return (sender, refuse) => {
    const own: Receiving = { sender, refuse, bytes: 0 };
    all.add(own);
    return {
      add(bytes) {
        if (!all.has(own)) return 0;
        own.bytes += bytes;
        total += bytes;
        refuseBeyondLimit();
        return all.has(own) ? waitOf(sender, bytes) : 0;
      },
      end: () => end(own),
    };
  };
}
