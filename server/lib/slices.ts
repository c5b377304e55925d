/** Time for which long work keeps the event loop from other requests, apart from one item. */
const SLICE_MS = 3;
/**
 * Time after a slice in which the event loop belongs to other requests: one that asks the store several times needs several turns. A
 * slice whose last piece was long is followed by a rest as long as what it exceeds, so that long pieces take half of the event loop.
 */
const REST_MS = { min: 3, max: 50 } as const;

/** Keys with work that waits, the next one first: a key moves to the end after its turn. */
const waiting = new Map<string, (() => void)[]>();
/** Whether work waits: what is new waits behind it. */
let isBusy = false;
/** Time that all long work of this process has used in this slice. */
let spentMs = 0;
/** When work was first seen in this turn of the event loop; null in a turn without any. */
let turnSinceMs: number | null = null;

/** What this process works on now, for which long work rests: requests, and jobs with answers that are computed as they are read. */
export const atWork = { requests: 0, jobs: 0 };

/** Whether no request waits, apart from the one that the long work may be of. */
const isAlone = (): boolean => atWork.requests === 0 || (atWork.requests === 1 && atWork.jobs === 0);

/** Whose turns a key shares: those of the customer that a partition belongs to. */
const owners = new Map<string, string>();
/** Keys that are remembered: those of customers that send requests are noted again. */
const OWNERS_MAX = 10_000;

/**
 * Notes that work under a key is work for another key: a customer whose requests wait under its id, and under its partitions of live
 * and of test data, would have as many turns.
 */
export function noteOwner(key: string, owner: string): void {
  if (owners.get(key) === owner) return;
  if (owners.size >= OWNERS_MAX) owners.clear();
  owners.set(key, owner);
}

function beginTurn(): void {
  if (turnSinceMs !== null) return;
  turnSinceMs = performance.now();
  setImmediate(() => (turnSinceMs = null));
}

const turnMs = (): number => (turnSinceMs === null ? 0 : performance.now() - turnSinceMs);

const isSliceOver = (): boolean => spentMs > SLICE_MS || turnMs() > SLICE_MS;

/**
 * Resolves when it is the turn of this work, in a later turn of the event loop: keys take turns, and all long work of this process shares
 * one slice. What follows until the next wait counts towards it.
 */
export function waitForTurn(key: string): Promise<void> {
  return new Promise((resolve) => {
    const owner = owners.get(key) ?? key;
    const own = waiting.get(owner);
    if (own === undefined) waiting.set(owner, [resolve]);
    else own.push(resolve);
    if (isBusy) return;
    isBusy = true;
    rest();
  });
}

function startNext(): void {
  const [next] = waiting;
  if (next === undefined) {
    isBusy = false;
    setImmediate(endTurn);
    return;
  }
  const [key, [start, ...others]] = next;
  waiting.delete(key);
  if (others.length > 0) waiting.set(key, others);
  beginTurn();
  start?.();
  // The next one starts in the same slice if this one, which runs in the microtasks before the tick, used little of it.
  queueMicrotask(() => process.nextTick(() => (isSliceOver() ? rest() : startNext())));
}

/** A new slice begins after a rest, or where nothing else is to be done in a later turn, in which a request may have come. */
function rest(): void {
  const beyondMs = Math.max(spentMs, turnMs()) - SLICE_MS;
  const restMs = Math.min(Math.max(beyondMs, REST_MS.min), REST_MS.max);
  const goOn = (): void => {
    spentMs = 0;
    startNext();
  };
  // A timer alone could already be due at the end of the slice.
  setImmediate(() => (isAlone() ? goOn() : setTimeout(goOn, restMs)));
}

function spend(ms: number): void {
  if (spentMs === 0) setImmediate(endTurn);
  spentMs += ms;
}

/** Without work that waits, each turn of the event loop has a slice of its own. */
function endTurn(): void {
  if (!isBusy) spentMs = 0;
}

/**
 * Items with pauses in which other requests are answered. Short work is not delayed while the event loop has time for it. `key`:
 * for whom the work is.
 */
export async function* inSlices<T>(items: Iterable<T>, key: string): AsyncGenerator<T, void, undefined> {
  let isNew = true;
  for (const item of items) {
    if (spentMs > SLICE_MS || (isNew && isBusy)) await waitForTurn(key);
    isNew = false;
    const since = performance.now();
    try {
      yield item;
    } finally {
      spend(performance.now() - since);
    }
  }
}

/** The results for all items, computed with pauses in which other requests are answered. */
export async function mapInSlices<T, U>(items: Iterable<T>, key: string, map: (item: T) => U): Promise<U[]> {
  const results: U[] = [];
  for await (const item of inSlices(items, key)) results.push(map(item));
  return results;
}

/** Runs one piece of long work when it is its turn. */
export async function inTurn<T>(key: string, work: () => T): Promise<T> {
  if (isBusy || spentMs > SLICE_MS) await waitForTurn(key);
  const since = performance.now();
  try {
    return work();
  } finally {
    spend(performance.now() - since);
  }
}

/**
 * Waits where this turn of the event loop has lasted for a slice, undefined where it has not: for work of many short pieces, which all
 * go on in one turn while what they wait for is in memory.
 */
export function giveWay(key: string): Promise<void> | undefined {
  beginTurn();
  return isSliceOver() ? waitForTurn(key) : undefined;
}

/**
 * The result of work that is written in short steps, with pauses between them in which other requests are answered. `key`: for whom the
 * work is.
 */
export async function runInSlices<T>(steps: Generator<undefined, T>, key: string): Promise<T> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    const turn = giveWay(key);
    if (turn !== undefined) await turn;
  }
}

/** The result of the same work in one piece. */
export function runAtOnce<T>(steps: Generator<undefined, T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** The results for all items, one step each. */
export function* mapSteps<T, U>(items: Iterable<T>, map: (item: T) => U): Generator<undefined, U[]> {
  const results: U[] = [];
  for (const item of items) {
    results.push(map(item));
    yield;
  }
  return results;
}
