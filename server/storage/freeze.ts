import type { Clock } from "../core/clock.ts";
import { StoreError } from "./contract.ts";
import type { Key, StoreDriver } from "./contract.ts";
import { OWN_PART, STATE_COLL } from "./own.ts";
import { toUnstorage } from "./unstorage.ts";

/** Why a store takes no writes. */
export interface Freeze {
  /** Epoch milliseconds; after it the store accepts writes again. Null: until it is thawed. */
  readonly untilMs: number | null;
  /** For the operator: "it is being copied to redis 10.0.0.5:6379". */
  readonly reason: string;
}

const FREEZE_KEY: Key = `${OWN_PART}:${STATE_COLL}:freeze`;

/** A serving process checks the freeze at this interval: this long after `freezeStore` no process starts a write any more. */
export const LOOK_MS = 1000;

/** The freeze that holds now, or null. */
export async function findFreeze(store: Pick<StoreDriver, "get">, nowMs: number): Promise<Freeze | null> {
  const found = await store.get(FREEZE_KEY);
  if (found === null) return null;
  const { untilMs, reason }: Freeze = JSON.parse(found.value);
  return untilMs !== null && untilMs <= nowMs ? null : { untilMs, reason };
}

/** Lets no process write to the store, or renews that. It is a document, so it holds for every node. */
export async function freezeStore(store: Pick<StoreDriver, "commit">, freeze: Freeze): Promise<void> {
  const value = JSON.stringify({ untilMs: freeze.untilMs, reason: freeze.reason });
  await store.commit(OWN_PART, [{ put: FREEZE_KEY, value }]);
}

/** Takes writes again. */
export async function thawStore(store: Pick<StoreDriver, "commit">): Promise<void> {
  await store.commit(OWN_PART, [{ del: FREEZE_KEY }]);
}

/**
 * A store whose commits are refused with UNAVAILABLE while it is frozen; reads and rate limits go on. The document is read
 * again before the first commit after `LOOK_MS`, and no timer runs: a store without writes costs nothing.
 */
export function withFreeze(store: StoreDriver, clock: Clock): StoreDriver {
  let lookedAtMs = Number.NEGATIVE_INFINITY;
  let frozen: Freeze | null = null;
  let looking: Promise<void> | null = null;

  const look = async (nowMs: number): Promise<void> => {
    frozen = await findFreeze(store, nowMs);
    lookedAtMs = nowMs;
  };
  // A clock that was set back must not keep an old view alive.
  const isFresh = (nowMs: number): boolean => Math.abs(nowMs - lookedAtMs) < LOOK_MS;
  const commitOwn: StoreDriver["commit"] = async (...args) => {
    const result = await store.commit(...args);
    // Who freezes or thaws through this very process is obeyed at once.
    lookedAtMs = Number.NEGATIVE_INFINITY;
    return result;
  };
  const commitAfterLook: StoreDriver["commit"] = async (...args) => {
    const nowMs = clock.now();
    if (!isFresh(nowMs)) await (looking ??= look(nowMs).finally(() => (looking = null)));
    if (frozen !== null && args[1].length > 0 && (frozen.untilMs === null || frozen.untilMs > nowMs))
      throw new StoreError("UNAVAILABLE", `writes are frozen: ${frozen.reason}`);
    return store.commit(...args);
  };
  const commit: StoreDriver["commit"] = (...args) => {
    if (args[0] === OWN_PART) return commitOwn(...args);
    return frozen === null && isFresh(clock.now()) ? store.commit(...args) : commitAfterLook(...args);
  };
  return { ...store, commit, ...toUnstorage({ ...store, commit }) };
}
