/** Events of other nodes come this much later, and a little more under load. */
const HOLD_MS = 200;
/** Beyond this number nothing is held back. */
const HELD_MAX = 10_000;

interface Held<T> {
  readonly value: T;
  readonly node: string;
  readonly order: number;
  readonly round: number;
}

/**
 * Merges the events of several nodes into one order: what comes is held back for one to two rounds of `HOLD_MS`, then passed on by time, and
 * by node within a millisecond. What comes later than that is passed on late rather than dropped.
 */
export function createMerge<T>(pass: (value: T) => void, { isImmediate }: { readonly isImmediate: boolean }) {
  let held: Held<T>[] = [];
  let round = 0;
  let timer: NodeJS.Timeout | undefined;

  function release(isRipe: (one: Held<T>) => boolean): void {
    const ripe = held.filter(isRipe).sort(compare);
    held = held.filter((one) => !isRipe(one));
    for (const { value } of ripe) pass(value);
  }

  function tick(): void {
    const until = held.reduce(
      (latest, one) => (one.round < round ? Math.max(latest, one.order) : latest),
      -Infinity,
    );
    release(({ order }) => order <= until);
    round += 1;
    if (held.length > 0) return;
    clearInterval(timer);
    timer = undefined;
  }

  /** Passes everything on. */
  function flush(): void {
    release(() => true);
    clearInterval(timer);
    timer = undefined;
  }

  const lastOf = (node: string): number => held.findLast((one) => one.node === node)?.order ?? -Infinity;
  return {
    flush,
    /** `order` null: after the earlier events of this node. */
    add(value: T, node: string, order: number | null): void {
      if (isImmediate) return pass(value);
      held.push({ value, node, order: order ?? lastOf(node), round });
      if (held.length > HELD_MAX) flush();
      else timer ??= setInterval(tick, HOLD_MS).unref();
    },
  };
}

const compare = (one: Held<unknown>, other: Held<unknown>): number =>
  one.order - other.order || (one.node < other.node ? -1 : one.node > other.node ? 1 : 0);
