import { fromInstant } from "../../lib/instant.ts";
import { eachDue, removeOld } from "../../core/batches.ts";
import { erasureJob } from "../../core/retention.ts";
import type { Job, JobContext } from "../../core/engine.ts";
import { shareCommits } from "../../core/share-commits.ts";
import { watch } from "../../core/watch.ts";
import { workOn } from "./services/worker.ts";
import { callbacks, charges, contracts, invoices } from "./repository.ts";
import type { EngineEvent } from "./schema/event.ts";
import type { Contract } from "./schema.ts";

/** Contracts that one run looks at; the rest waits for the next run. */
const CONTRACTS_MAX = 2_000;
/** Contracts that are worked on side by side: their commits are shared, and as many requests to gateways run at the same time. */
const CONTRACTS_AT_ONCE = 8;

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

/** Works through the contracts that are due, earliest first. One that fails does not keep the others waiting. */
export async function billDue(
  work: Omit<JobContext, "hasTime">,
): Promise<{ readonly events: EngineEvent[]; readonly failed: number; readonly looked: number }> {
  const events: EngineEvent[] = [];
  const due = {
    collection: contracts,
    index: "due",
    isDue: ({ next_action_at: at }: Contract) => at !== null && fromInstant(at) <= work.now,
    max: CONTRACTS_MAX,
    atOnce: CONTRACTS_AT_ONCE,
  };
  const shared = { ...work, runTx: shareCommits(work.runTx, work.part) };
  const { failed, looked } = await eachDue(work, due, async (id) => {
    const unpaid = await work.runTx(work.part, (tx) =>
      tx.peekCount(charges, { index: "open", value: id, max: UNPAID_SHARED }),
    );
    return events.push(...(await workOn(unpaid < UNPAID_SHARED ? shared : work, id)));
  });
  return { events, failed, looked };
}

/** All unpaid charges of a contract are in memory until the commit, and each has up to 200 KB: one with so many has a commit of its own. */
const UNPAID_SHARED = 20;

const KEEP_CALLBACKS_MS = 90 * 86_400_000;

/** Forgets callbacks after ninety days: no gateway repeats one for so long. */
export const sweepCallbacks: Job = {
  id: "subscriptions.sweep-callbacks",
  summary: "Forgets the ids of callbacks after ninety days",
  schedule: "23 4 * * *",
  run: async (work) => ({
    swept: await removeOld(work, callbacks, {
      index: "due",
      isOver: ({ created_at: at }) => fromInstant(at) + KEEP_CALLBACKS_MS <= work.now,
    }),
  }),
};

export const eraseInvoices = erasureJob("subscriptions.erasures", invoices);
