import type { Clock } from "../../core/clock.ts";
import type { Advance } from "./advance.ts";
import type { Apply } from "./apply.ts";
import { standing } from "./head.ts";
import type { Fence } from "./head.ts";
import { mapSome } from "../../lib/map-some.ts";
import { createLister } from "./lister.ts";
import { TOMBSTONE_BYTES } from "./objects.ts";
import type { Objects } from "./objects.ts";
import { docKey } from "./partition.ts";
import type { Partition } from "./partition.ts";

/**
 * How long a tombstone stays. It keeps a late write of an older commit from bringing its document back, so it must outlive
 * every write that may still be under way: a minute (`apply.ts`) and the quarter of an hour for which a signature is good.
 */
export const TOMBSTONE_MS = 3_600_000;
/**
 * No server promises that a DELETE which got no answer will not be carried out later. So names are fenced off before they
 * are deleted, and around those whose answer is missing the fence stays up: until its signature has expired, by any clock.
 */
const FENCE_MS = 2_700_000;
const NAMES_MAX = 500;
const LOWER_TRIES = 10;

export interface SweepOptions {
  readonly objects: Objects;
  readonly advance: Advance;
  readonly apply: Apply;
  readonly wallClock: Clock;
  readonly tombstoneMs: number;
}

export interface Swept {
  /** Bytes of all objects that were looked at, and of those that were deleted. */
  readonly bytes: number;
  readonly bytesSwept: number;
}

/** Deletes the old tombstones of a partition, or those of one collection of it when `prefix` is `coll/`. */
export type Sweep = (partition: Partition, prefix: string) => Promise<Swept>;

export function createSweep(options: SweepOptions): Sweep {
  return async (partition, prefix) => {
    const lister = createLister(options.objects, {
      folder: docKey(partition.part, ""),
      prefix,
      tombstoneMs: options.tombstoneMs,
    });
    while (!lister.done) await lister.more();
    const tombstones = [...lister.sweepable];
    let swept = 0;
    for (let from = 0; from < tombstones.length; from += NAMES_MAX) {
      const some = new Map(tombstones.slice(from, from + NAMES_MAX));
      swept += await partition.writes.run(() => sweepSome(options, partition, some));
    }
    return { bytes: lister.bytes, bytesSwept: swept * TOMBSTONE_BYTES };
  };
}

/**
 * Raises the fence, deletes behind it what is still the same tombstone, and lowers it. Returns how many were deleted; none
 * when another node is sweeping, or writing to this partition just now.
 */
async function sweepSome(
  options: SweepOptions,
  partition: Partition,
  tombstones: ReadonlyMap<string, string>,
): Promise<number> {
  const { objects, advance, apply, wallClock } = options;
  const head = await partition.refresh();
  if (standing(head.fence, wallClock) !== null) return 0;
  await apply(partition, head);
  const fence = { names: [...tombstones.keys()], untilMs: wallClock.now() + FENCE_MS };
  if ((await advance(partition, head, { fence })) === null) return 0;
  const unanswered: string[] = [];
  let swept = 0;
  await mapSome([...tombstones], async ([name, etag]) => {
    const key = docKey(partition.part, name);
    const found = await objects.read(key).catch(() => null);
    if (found === null || found.value !== null || found.etag !== etag) return;
    // One try: of two, the first might be carried out long after the answer to the second.
    await objects.remove(key).then(
      () => (swept += 1),
      () => unanswered.push(name),
    );
  });
  await lowerFence(options, partition, unanswered.length === 0 ? null : { ...fence, names: unanswered });
  return swept;
}

/** A fence is only raised where there is none, so the present one is ours. What is left of it expires by itself. */
async function lowerFence(
  { advance, apply, wallClock }: SweepOptions,
  partition: Partition,
  left: Fence | null,
): Promise<void> {
  for (let tries = 0; tries < LOWER_TRIES; tries++) {
    const head = await partition.refresh();
    if (standing(head.fence, wallClock) === null) return;
    await apply(partition, head);
    if ((await advance(partition, head, { fence: left })) !== null) return;
  }
}
