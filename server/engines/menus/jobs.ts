import { DAY_MS, fromInstant } from "../../lib/instant.ts";
import { inBatches, removeOld } from "../../core/batches.ts";
import type { Job, JobContext } from "../../core/engine.ts";
import { watch } from "../../core/watch.ts";
import { menus, stockCommits, stocks } from "./repository.ts";
import { saveMenu, settleMenu } from "./routes/publication-log.ts";
import { connectionWatch, pushDue } from "./services/push-connections.ts";
import { liveSuspensions } from "./rules/stock.ts";

/** Days for which an order is stored, so that it is deducted from stock once. */
const KEEP_DAYS = 90;
/** Documents per commit; a menu that goes live is six operations, including its indexes and its log entry. */
const MENUS_PER_COMMIT = 25;
const PER_COMMIT = 40;
/** Commits per run and kind; the rest is left to the next run. */
const COMMITS_MAX = 50;

/**
 * Records that scheduled versions have gone live. Readers get them from their time on without it; this updates
 * status and log, including the delay.
 */
export const startVersions: Job = {
  id: "menus.start-versions",
  summary: "Records which scheduled menus have gone live",
  schedule: "* * * * *",
  watches: [watch(menus, { index: "due", due: ({ scheduled }) => scheduled?.at ?? null })],
  run: async (work) => ({
    started: await inBatches(
      work,
      async (tx, limit) => {
        const due = await tx.peekPage(menus, { index: "due", limit });
        const waiting = due.items.filter(({ value }) => fromInstant(value.scheduled?.at ?? "") <= work.now);
        for (const { id } of waiting) {
          // Read again in the transaction: if the menu is published or cancelled concurrently, the commit conflicts.
          const menu = await tx.get(menus, id);
          if (menu === null) continue;
          const settled = settleMenu({ tx, now: work.now, nowAt: work.nowAt, newId: work.newId }, menu.value);
          if (settled !== menu.value) saveMenu({ tx, nowAt: work.nowAt }, menu, settled);
        }
        return waiting.length;
      },
      { size: MENUS_PER_COMMIT, commits: COMMITS_MAX },
    ),
  }),
};

/** Sends menus and changes of stock to the connections that are due. */
export const pushConnections: Job = {
  id: "menus.push-connections",
  summary: "Sends menus and stock to connected channels",
  schedule: "*/5 * * * * *",
  watches: [connectionWatch],
  run: pushDue,
};

/** Removes expired suspensions, and deletes orders after 90 days. */
export const sweepStock: Job = {
  id: "menus.sweep-stock",
  summary: "Removes expired suspensions, and deletes stock records of orders after 90 days",
  schedule: "23 * * * *",
  async run(work) {
    return {
      suspensions: await sweepSuspensions(work),
      orders: await removeOld(
        work,
        stockCommits,
        { index: "age", isOver: ({ created_at: at }) => fromInstant(at) <= work.now - KEEP_DAYS * DAY_MS },
        { commits: COMMITS_MAX },
      ),
    };
  },
};

async function sweepSuspensions(work: JobContext): Promise<number> {
  let swept = 0;
  let cursor: string | undefined;
  do {
    const seen = await work.runTx(work.part, async (tx) => {
      const page = await tx.peekPage(stocks, {
        index: "status",
        value: "suspended",
        limit: PER_COMMIT,
        cursor,
      });
      let count = 0;
      for (const { id } of page.items) {
        const stored = await tx.get(stocks, id);
        if (stored === null) continue;
        const live = liveSuspensions(stored.value, work.now);
        if (live.length === stored.value.suspensions.length) continue;
        tx.put(stocks, stored, { ...stored.value, suspensions: live, updated_at: work.nowAt });
        count += 1;
      }
      return { count, next: page.next };
    });
    swept += seen.count;
    cursor = seen.next ?? undefined;
  } while (cursor !== undefined && !work.signal.aborted);
  return swept;
}
