import type { RunTx } from "../../server/core/tx.ts";

/** Transactions that cannot read one document. */
export const failingAt =
  (runTx: RunTx, id: string): RunTx =>
  (part, work, options) =>
    runTx(
      part,
      (tx) =>
        work({
          ...tx,
          get(collection, wanted) {
            if (wanted === id) throw new Error("The document cannot be read.");
            return tx.get(collection, wanted);
          },
        }),
      options,
    );
