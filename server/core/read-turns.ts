import { fail } from "../lib/errors.ts";
import { createFairSlots } from "../lib/fair-slots.ts";
import { waitForTurn } from "../lib/slices.ts";
import type { Doc, StoreDriver } from "../storage/contract.ts";

/** Characters that any number of transactions of a customer may read: in memory, documents take several times as much. */
const FREE_CHARS = 1_000_000;
/** How many may read more at the same time. */
const PLACES = 2;
/** Characters of a document that takes long to parse: many transactions can have waited for the same one. */
const LARGE_CHARS = 65_536;
/** One that waits for another which waits for it would wait for good. */
const WAIT_MS = 30_000;

const places = createFairSlots({ max: Infinity, perKey: PLACES });

interface Reader {
  /** Whose places it takes. */
  readonly key: string;
  /** As in `Tx`. */
  readonly signal?: (() => AbortSignal) | undefined;
}

type Reads = Pick<StoreDriver, "get" | "getMany" | "page">;

interface Metered {
  readonly store: Reads;
  /** Another transaction gets the place; what is read later is not counted. */
  readonly end: () => void;
}

/**
 * Counts what a transaction reads: those of a key that read much take turns, so that what one
 * customer requests at the same time does not fill the memory of a node. A transaction goes on with a large document when it is its turn: all
 * that asked for it would parse it in one turn of the event loop. Reads throw 503 where the client is gone meanwhile.
 */
export function meterReads(store: Reads, { key, signal }: Reader): Metered {
  let chars = 0;
  let taken: Promise<void> | undefined;
  let hasPlace = false;
  let isOver = false;

  async function take(): Promise<void> {
    const gone = signal?.();
    const late = AbortSignal.timeout(WAIT_MS);
    const isIn = await places.take(key, gone === undefined ? late : AbortSignal.any([gone, late]));
    if (!isIn && gone?.aborted === true)
      throw fail("service_unavailable", "The client closed the connection.");
    if (isIn && isOver) places.release(key);
    else hasPlace = isIn;
  }

  /** Documents that were read, once they may be looked at. */
  async function counted<R>(read: Promise<R>, docsOf: (found: R) => readonly (Doc | null)[]): Promise<R> {
    const found = await read;
    let isLarge = false;
    for (const doc of docsOf(found)) {
      const length = doc?.value.length ?? 0;
      chars += length;
      isLarge ||= length > LARGE_CHARS;
    }
    // A response that is read while it is sent keeps nothing of it.
    if (chars > FREE_CHARS && !isOver) await (taken ??= take());
    if (isLarge) await waitForTurn(key);
    return found;
  }

  return {
    store: {
      get: (wanted) => counted(store.get(wanted), (doc) => [doc]),
      getMany: (keys) => counted(store.getMany(keys), (docs) => docs),
      page: (...asked) => counted(store.page(...asked), ({ items }) => items),
    },
    end: () => {
      isOver = true;
      if (hasPlace) places.release(key);
    },
  };
}
