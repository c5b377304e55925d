import { giveWay } from "../lib/slices.ts";
import { LIMITS } from "./limits.ts";
import { toVisitors } from "./quota.ts";
import { readFilter } from "./stage-events.ts";
import { openTx } from "./tx.ts";
import type { Caller, RunTx, Tx, TxDeps, TxParts } from "./tx.ts";
import { createTurns } from "./turns.ts";
import type { Attempt } from "./turns.ts";

/**
 * Makes `runTx(part, work)`: runs `work`, commits what it staged, and runs it again when a document that it read changed
 * meanwhile. After a lost race the runs of one process queue by the contended key, and those that arrive later join the
 * queue before they commit: a crowd on one document is served one by one. Against other processes a run is repeated after
 * a random delay. Throws 503 with the code `contention` after `retryMs`; whatever `work` throws ends it with nothing written.
 */
export function createRunTx(base: TxDeps): RunTx {
  const { quotaOf, ...freed } = base;
  const signed: TxParts["signed"] = new WeakMap();
  const limited: TxParts = { giveWay, ...base, signed };
  const unlimited: TxParts = { giveWay, ...freed, signed };
  const visiting: TxParts = {
    ...limited,
    quotaOf: async (part, refresh) => {
      const quota = await quotaOf?.(part, refresh);
      return quota && toVisitors(quota);
    },
  };
  const turns = createTurns(base.retryMs ?? LIMITS.transactionRetryMs);

  async function attempt<R>(
    deps: TxParts,
    given: Caller,
    work: (tx: Tx) => Promise<R>,
    { writes, next }: { readonly writes: boolean; readonly next?: () => void },
  ): Promise<Attempt<R>> {
    const ahead = writes ? deps.store.ahead : undefined;
    // With the first documents that it reads: on Redis, a reading of its own would be a round trip of its own.
    const filter = writes ? readFilter(deps.store, given.part) : undefined;
    // Nothing waits for it where nothing is emitted.
    filter?.catch(() => undefined);
    const { tx, isDirty, isAhead, reads, commit, settle, end } = openTx(deps, given, ahead);
    try {
      let done: R;
      try {
        done = await work(tx);
      } catch (error) {
        const lost = isAhead() ? await settle() : null;
        if (lost === null) throw error;
        return { lost };
      }
      if (!isDirty()) {
        const lost = isAhead() ? await settle() : null;
        return lost === null ? { done } : { lost };
      }
      const isQueued = next === undefined && !turns.isEmpty();
      const queued = isQueued ? reads().find((key) => turns.has(key)) : undefined;
      // Who does not read ahead finds in its turn only what is durable.
      const lost = queued ?? (await commit(ahead && next, filter));
      return lost === null ? { done } : { lost };
    } finally {
      end();
    }
  }

  return async function runTx(part, work, options = {}) {
    const { frees = false, visits, writes = false, customerId, readsAs, signal } = options;
    const deps = frees ? unlimited : visits === undefined ? limited : visiting;
    const given = { part, customerId, readsAs, signal, visitor: visits?.visitor };
    const first = await attempt(deps, given, work, { writes });
    if ("done" in first) return first.done;
    return turns.take(first.lost, (next) => attempt(deps, given, work, { writes, next }));
  };
}
