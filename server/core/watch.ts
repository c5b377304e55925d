import { fromInstant } from "../lib/instant.ts";
import type { Collection } from "./collection.ts";
import type { Tx } from "./tx.ts";

/**
 * Where a job finds its work. What is written there makes the store be visited at the job's next time; afterwards, and for
 * stores into which nothing is written, `next` says when that is worthwhile again.
 */
export interface Watch {
  /** Stored collections or indexes (`ix.<collection>.<index>`) whose every new document may be work. */
  readonly places: readonly string[];
  /** When there is something to do, in epoch milliseconds of the store's own time: 0 for now, null for nothing at all. */
  next(tx: Tx): Promise<number | null>;
}

interface Listed<T> {
  /** Index that lists what is to be done. Default: `new`. */
  readonly index?: string;
  /** Value of the index. Default: "". */
  readonly value?: string;
  /** When a document is due; the index must list the earliest first. Left out: what is listed is to be done now. */
  readonly due?: (value: T, part: string) => string | null;
}

/** Watches an index that lists nothing but work to be done. */
export function watch<T>(
  collection: Collection<T>,
  { index = "new", value = "", due }: Listed<T> = {},
): Watch {
  return {
    places: [`ix.${collection.name}.${index}`],
    async next(tx) {
      const [first] = (await tx.peekPage(collection, { index, value, limit: 1 })).items;
      if (first === undefined) return null;
      const at = due?.(first.value, tx.part) ?? null;
      return at === null ? 0 : fromInstant(at);
    },
  };
}
