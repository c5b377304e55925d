import { giveWay } from "../lib/slices.ts";
import type { RunTx, Tx } from "./tx.ts";

/** Transactions of one commit, where they fit. */
const PER_COMMIT = 50;

interface Waiting {
  /** Runs it in a shared transaction; what it resolves to is called when that is committed. */
  readonly join: (tx: Tx) => Promise<() => void>;
  /** Runs it in a transaction of its own. */
  readonly runAlone: () => Promise<void>;
}

/**
 * A `runTx` on one partition whose transactions of the same turn of the event loop share a commit, for work on several documents side by
 * side. Where one of them fails, or the commit does, each runs by itself. A transaction must not depend on pages of what the
 * others write: they do not have it yet.
 */
export function shareCommits(runTx: RunTx, part: string): RunTx {
  let waiting: Waiting[] = [];

  async function flush(): Promise<void> {
    const all = waiting;
    waiting = [];
    while (all.length > 0) all.splice(0, await commitSome(all.slice(0, PER_COMMIT)));
  }

  /** Returns how many of the first are done. */
  async function commitSome(some: readonly Waiting[]): Promise<number> {
    if (some.length > 1) {
      try {
        const done = await runTx(part, (tx) => joinSome(tx, some));
        for (const settle of done) settle();
        return done.length;
      } catch {
        // Each shows for itself what fails.
      }
    }
    for (const { runAlone } of some) {
      await giveWay(part);
      await runAlone();
    }
    return some.length;
  }

  return (asked, work, options) => {
    if (asked !== part || options !== undefined) return runTx(asked, work, options);
    return new Promise((resolve, reject) => {
      if (waiting.length === 0) setImmediate(() => void flush());
      waiting.push({
        async join(tx) {
          const result = await work(tx);
          return () => resolve(result);
        },
        runAlone: () => runTx(part, work).then(resolve, reject),
      });
    });
  };
}

/** Their operations are much the same, and their events take as much room again. */
const ROOM_PER_TX = 2;

/** As many as fit into the commit, at least the first, with pauses: each may read and write a large document. */
async function joinSome(tx: Tx, some: readonly Waiting[]): Promise<(() => void)[]> {
  const done: (() => void)[] = [];
  let most = 0;
  for (const { join } of some) {
    const room = tx.room();
    if (done.length > 0 && room < ROOM_PER_TX * most) break;
    await giveWay(tx.part);
    done.push(await join(tx));
    most = Math.max(most, room - tx.room());
  }
  return done;
}
