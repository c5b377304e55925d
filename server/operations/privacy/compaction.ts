import type { Ports } from "../../core/ports.ts";
import type { StoreDriver } from "../../storage/contract.ts";

/** Time between two compactions: each rewrites files of all stores. */
export const COMPACTION_PAUSE_MS = 600_000;

/** A job records the time at which its turn began: what it erased is in the files at most so much later. */
const TURN_MS = 60_000;

/**
 * Compacts the files of a log, in which erased data is until then. One compaction is for all erasures before it. `erasedAtMs`: when the
 * job erased. Resolves with false where it has to wait.
 */
export type Compact = (erasedAtMs: number) => Promise<boolean>;

/** At most one compaction of this process in `COMPACTION_PAUSE_MS`. */
export function createCompact({
  store,
  ports,
}: {
  readonly store: Pick<StoreDriver, "compact">;
  readonly ports: Pick<Ports, "realNow">;
}): Compact {
  let triedAtMs = -Infinity;
  /** What was erased before is in no file any more. */
  let cleanUntilMs = -Infinity;
  return async (erasedAtMs) => {
    const now = ports.realNow();
    // What was clean at a time of a clock that was set back since says nothing.
    if (now < triedAtMs) triedAtMs = cleanUntilMs = -Infinity;
    if (store.compact === undefined || erasedAtMs + TURN_MS <= cleanUntilMs) return true;
    if (now < triedAtMs + COMPACTION_PAUSE_MS) return false;
    triedAtMs = now;
    await store.compact();
    cleanUntilMs = now;
    return true;
  };
}
