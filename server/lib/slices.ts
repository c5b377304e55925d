/** Time for which long work keeps the event loop from other requests, apart from one item. */
const SLICE_MS = 3;
/** Time after a slice in which the event loop belongs to other requests: one that asks the store several times needs several turns. */
const REST_MS = 1;

/** Keys with work that waits, the next one first: a key moves to the end after its turn. */
const waiting = new Map<string, (() => void)[]>();
let isBusy = false;

/**
 * Resolves when it is the turn of this work: one piece of all long work of this process goes on at a time, and keys take turns. A
 * pause by `setImmediate` alone would let all of them go on in every turn of the event loop.
 */
function waitForTurn(key: string): Promise<void> {
  return new Promise((resolve) => {
    const own = waiting.get(key);
    if (own === undefined) waiting.set(key, [resolve]);
    else own.push(resolve);
    if (isBusy) return;
    isBusy = true;
    setImmediate(startNext);
  });
}

function startNext(): void {
  const [next] = waiting;
  if (next === undefined) {
    isBusy = false;
    return;
  }
  const [key, [start, ...rest]] = next;
  waiting.delete(key);
  if (rest.length > 0) waiting.set(key, rest);
  start?.();
  // The slice is over when the event loop goes on; the rest begins then.
  setImmediate(() => setTimeout(startNext, REST_MS));
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
