import type { Clock } from "../../core/clock.ts";
import { StoreError } from "../contract.ts";
import type { Change, StoredHead } from "./head.ts";
import { mapSome } from "../../lib/map-some.ts";
import type { Objects, Stored } from "./objects.ts";
import { docKey } from "./partition.ts";
import type { Partition } from "./partition.ts";

/**
 * A head's redo is written within this time after the head was seen, and a request is refused by the server a quarter of
 * an hour after it was signed. So a process that was halted meanwhile can't create a deleted document again, and
 * its tombstone swept (`TOMBSTONE_MS`), in between. Every other late write fails on its ETag.
 */
const APPLY_MS = 60_000;
const LOOKS_MAX = 20;
const WRITES_AT_ONCE = 32;

/**
 * Writes what a head's commits write, to their documents. Doing it twice, or by two nodes at once, is doing it once.
 * `guess` is the ETag that an object probably has, null for none; undefined makes it look first.
 */
export type Apply = (partition: Partition, head: StoredHead, guess?: Guess) => Promise<void>;
export type Guess = (name: string) => string | null | undefined;

export function createApply(objects: Objects, wallClock: Clock): Apply {
  // A process that finishes the head of another looks first: most likely its writer is done with it, or about to be.
  return async (partition, head, guess = () => undefined) => {
    if (partition.applied >= head.rev) return;
    const notAfterMs = wallClock.now() + APPLY_MS;
    const write = async (change: Change): Promise<void> => {
      const { name, version, value } = change;
      const etag = await applyChange({ objects, partition, head, notAfterMs }, change, guess(name));
      if (partition.current(name)?.version === version) partition.keep(name, { version, value, etag });
    };
    await mapSome(head.redo, write, WRITES_AT_ONCE);
    partition.applied = Math.max(partition.applied, head.rev);
  };
}

interface Applying {
  readonly objects: Objects;
  readonly partition: Partition;
  readonly head: StoredHead;
  readonly notAfterMs: number;
}

/**
 * Brings one document up to a change: only over an object that is older, and only if it is still the one that was seen.
 * `guess` is the ETag that it probably has. Returns the ETag that it has in the end; undefined when that is not known.
 */
async function applyChange(
  { objects, partition, head, notAfterMs }: Applying,
  change: Change,
  guess: string | null | undefined,
): Promise<string | null | undefined> {
  const key = docKey(partition.part, change.name);
  let expected = change.value === null && guess === null ? undefined : guess;
  for (let looks = 0; looks < LOOKS_MAX; looks++) {
    if (expected !== undefined) {
      const etag = await objects.write(key, change, { etag: expected, notAfterMs });
      if (etag !== null) return etag;
    }
    const found: Stored = await objects.read(key);
    if (found.version >= change.version) return found.version === change.version ? found.etag : undefined;
    if (found.etag === null) {
      if (change.value === null) return null;
      // Nothing there, or nothing any more: only while the head is unchanged is the first certain.
      if ((await partition.refresh()).rev !== head.rev) return undefined;
    }
    expected = found.etag;
  }
  throw new StoreError("UNAVAILABLE", `too many concurrent changes to ${key}`);
}
