/** Time for which long work keeps the event loop from other requests, apart from one item. */
const SLICE_MS = 4;

/** Keys with work that waits, the next one first: a key moves to the end after its turn. */
const waiting = new Map<string, (() => void)[]>();

/**
 * Resolves when it is the turn of this work: in each turn of the event loop one piece of all long work of this process goes on,
 * and keys take turns. A pause by `setImmediate` alone would let all of them go on in every turn, and a request that asks the
 * store several times waits several turns.
 */
function waitForTurn(key: string): Promise<void> {
  return new Promise((resolve) => {
    if (waiting.size === 0) setImmediate(startNext);
    const own = waiting.get(key);
    if (own === undefined) waiting.set(key, [resolve]);
    else own.push(resolve);
  });
}

function startNext(): void {
  const [next] = waiting;
  if (next === undefined) return;
  const [key, [start, ...rest]] = next;
  waiting.delete(key);
  if (rest.length > 0) waiting.set(key, rest);
  if (waiting.size > 0) setImmediate(startNext);
  start?.();
}

/** Items with pauses in which other requests are answered. `key`: for whom the work is. */
export async function* inSlices<T>(items: Iterable<T>, key: string): AsyncGenerator<T, void, undefined> {
  let since = Number.NEGATIVE_INFINITY;
  for (const item of items) {
    if (performance.now() - since > SLICE_MS) {
      await waitForTurn(key);
      since = performance.now();
    }
    yield item;
  }
}
