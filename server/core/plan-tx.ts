import type { CursorCodec } from "./cursor.ts";
import { openTx } from "./tx.ts";
import type { PlannedCommit, Stored, Tx } from "./tx.ts";

/** A document as it is sent to another thread, whose value is parsed there. */
export interface SentDoc {
  readonly id: string;
  readonly version: number;
  /** See `Stored`. */
  readonly members: string;
}

export const sendDoc = ({ id, version, members }: SentDoc): SentDoc => ({ id, version, members });

export const receiveDoc = <T>({ id, version, members }: SentDoc): Stored<T> => ({
  id,
  version,
  members,
  value: JSON.parse(`{${members}`),
});

/**
 * Runs work without a store, as in another thread, and returns what it would commit: stage it with `tx.stage` and `tx.emit`. It
 * reads the documents that it adopts; any other is absent, which the commit checks.
 */
export async function planTx<R>(
  part: string,
  work: (tx: Tx) => Promise<R>,
): Promise<{ readonly result: R } & PlannedCommit> {
  const store = {
    get: async () => null,
    getMany: async (keys: readonly string[]) => keys.map(() => null),
    page: unsupported,
    commit: unsupported,
  };
  const cursors: CursorCodec = { sign: unsupported, open: unsupported };
  const { tx, planned } = openTx({ store, cursors, signed: new WeakMap() }, { part });
  const result = await work(tx);
  return { result, ...planned() };
}

const unsupported = (): never => {
  throw new Error("A planned transaction reads documents by their ids only.");
};
