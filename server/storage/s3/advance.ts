import type { Random } from "../../core/ids.ts";
import { StoreError } from "../contract.ts";
import { encodeHead, nextHead, wasWrittenBy, withChanges } from "./head.ts";
import type { NextHead, StoredHead } from "./head.ts";
import type { Objects } from "./objects.ts";
import { headKey } from "./partition.ts";
import type { Partition } from "./partition.ts";

/** Replaces a head by the next one. Resolves with null when another writer was faster: then nothing happened. */
export type Advance = (partition: Partition, head: StoredHead, next: NextHead) => Promise<StoredHead | null>;

/** How often a head without an answer is written again, which is safe while its predecessor is current. */
const WRITES_MAX = 3;

/**
 * This is the moment of a commit. When the answer is lost, or says that the condition does not hold (also because an
 * earlier try took effect), the head itself shows it: it lists its writers. Throws StoreError UNKNOWN_OUTCOME when that can't
 * be read either, and others when surely nothing happened.
 */
export function createAdvance(objects: Objects, random: Pick<Random, "bytes">): Advance {
  return async (partition, head, change) => {
    const writer = Buffer.from(random.bytes(12)).toString("base64url");
    const next = nextHead(head, writer, change);
    const text = encodeHead(next);
    const take = (etag: string | null): StoredHead => {
      const stored = withChanges(next, etag);
      partition.observe(stored);
      return stored;
    };
    let failure: unknown;
    for (let writes = 1; ; writes++) {
      try {
        const etag = await objects.writeText(headKey(partition.part), text, { etag: head.etag });
        if (etag !== null) return take(etag);
      } catch (error) {
        if (failure !== undefined) throw unknown(partition, error);
        if (!isUnknown(error)) throw error;
        failure = error;
      }
      const now = await partition.refresh().catch((error: unknown) => {
        throw unknown(partition, error);
      });
      if (now.rev >= next.rev) {
        const own = wasWrittenBy(now, next.rev, writer);
        if (own === null) throw unknown(partition, failure);
        return own ? (now.rev === next.rev ? now : withChanges(next, null)) : null;
      }
      if (writes === WRITES_MAX) throw unknown(partition, failure);
    }
  };
}

const isUnknown = (error: unknown): boolean =>
  error instanceof StoreError && error.code === "UNKNOWN_OUTCOME";

function unknown({ part }: Partition, cause: unknown): StoreError {
  return new StoreError("UNKNOWN_OUTCOME", `a commit of partition ${part} may or may not have happened`, {
    cause,
  });
}
