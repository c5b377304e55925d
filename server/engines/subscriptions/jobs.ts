import { fromInstant } from "../../lib/instant.ts";
import type { Job, JobContext } from "../../core/engine.ts";
import type { Tx } from "../../core/tx.ts";
import { watch } from "../../core/watch.ts";
import { workOn } from "./services/worker.ts";
import { callbacks, contracts } from "./repository.ts";
import type { EngineEvent } from "./schema/event.ts";

const PAGE = 100;
/** Contracts that one run looks at; the rest waits for the next run. */
const CONTRACTS_MAX = 2_000;

/** Bills, retries, resumes, ends and reminds: everything about contracts whose time has come. */
export const billContracts: Job = {
  id: "subscriptions.bill",
  summary: "Bills contracts, asks gateways what became of payments, retries, resumes, ends and reminds",
  schedule: "*/10 * * * * *",
  watches: [watch(contracts, { index: "due", due: ({ next_action_at: at }) => at })],
  run: async (work) => {
    const { events, failed, looked } = await billDue(work);
    const count = (type: EngineEvent["type"]): number => events.filter((event) => event.type === type).length;
    return {
      looked,
      failed,
      charged: count("charge.succeeded"),
      declined: count("charge.failed"),
      missed: count("cycle.missed"),
    };
  },
};

type Work = Omit<JobContext, "nowAt" | "hasTime">;

/** Works through the contracts that are due, earliest first. One that fails does not keep the others waiting. */
export async function billDue(
  work: Work,
): Promise<{ readonly events: EngineEvent[]; readonly failed: number; readonly looked: number }> {
  const events: EngineEvent[] = [];
  let failed = 0;
  let looked = 0;
  let cursor: string | undefined;
  while (!work.signal.aborted && looked < CONTRACTS_MAX) {
    const page = await work.runTx(work.part, (tx) =>
      tx.peekPage(contracts, { index: "due", limit: PAGE, cursor }),
    );
    const due = page.items.filter(
      ({ value: { next_action_at: at } }) => at !== null && fromInstant(at) <= work.now,
    );
    for (const { id } of due) {
      if (work.signal.aborted) break;
      looked += 1;
      try {
        events.push(...(await workOn(work, id)));
      } catch (err) {
        failed += 1;
        work.log.error({ err, contract: id, part: work.part }, "contract could not be worked on");
      }
    }
    if (page.next === null || due.length < page.items.length) break;
    cursor = page.next;
  }
  return { events, failed, looked };
}

/** The time at which something is due next in a store, epoch milliseconds; null for never. */
export async function nextWorkAt(tx: Tx): Promise<number | null> {
  const { items } = await tx.peekPage(contracts, { index: "due", limit: 1 });
  const at = items[0]?.value.next_action_at ?? null;
  return at === null ? null : fromInstant(at);
}

const KEEP_CALLBACKS_MS = 90 * 86_400_000;
const SWEPT_PER_COMMIT = 50;

/** Forgets callbacks after ninety days: no gateway repeats one for so long. */
export const sweepCallbacks: Job = {
  id: "subscriptions.sweep-callbacks",
  summary: "Forgets the ids of callbacks after ninety days",
  schedule: "23 4 * * *",
  async run({ runTx, part, now, signal }) {
    let swept = 0;
    while (!signal.aborted) {
      const removed = await runTx(part, async (tx) => {
        const { items } = await tx.peekPage(callbacks, { index: "due", limit: SWEPT_PER_COMMIT });
        const old = items.filter(({ value }) => fromInstant(value.created_at) + KEEP_CALLBACKS_MS <= now);
        for (const callback of old) tx.remove(callbacks, callback);
        return old.length;
      });
      swept += removed;
      if (removed < SWEPT_PER_COMMIT) break;
    }
    return { swept };
  },
};
