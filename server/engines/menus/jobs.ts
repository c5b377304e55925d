import { DAY_MS, fromInstant } from "../../lib/instant.ts";
import type { Job, JobContext } from "../../core/engine.ts";
import type { Tx } from "../../core/tx.ts";
import { watch } from "../../core/watch.ts";
import { menus, stockCommits, stocks } from "./repository.ts";
import { saveMenu, settleMenu } from "./routes/publication-log.ts";
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
    started: await repeat(work, MENUS_PER_COMMIT, async (tx) => {
      const due = await tx.peekPage(menus, { index: "due", limit: MENUS_PER_COMMIT });
      const waiting = due.items.filter(({ value }) => fromInstant(value.scheduled?.at ?? "") <= work.now);
      for (const { id } of waiting) {
        // Read again in the transaction: if the menu is published or cancelled concurrently, the commit conflicts.
        const menu = await tx.get(menus, id);
        if (menu === null) continue;
        const settled = settleMenu({ tx, now: work.now, nowAt: work.nowAt, newId: work.newId }, menu.value);
        if (settled !== menu.value) saveMenu({ tx, nowAt: work.nowAt }, menu, settled);
      }
      return waiting.length;
    }),
  }),
};

/** Removes expired suspensions, and deletes orders after 90 days. */
export const sweepStock: Job = {
  id: "menus.sweep-stock",
  summary: "Removes expired suspensions, and deletes stock records of orders after 90 days",
  schedule: "23 * * * *",
  async run(work) {
    return {
      suspensions: await sweepSuspensions(work),
      orders: await repeat(work, PER_COMMIT, (tx) => sweepOrders(tx, work.now)),
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

async function sweepOrders(tx: Tx, now: number): Promise<number> {
  const oldest = await tx.peekPage(stockCommits, { index: "age", limit: PER_COMMIT });
  const past = oldest.items.filter(({ value }) => fromInstant(value.created_at) <= now - KEEP_DAYS * DAY_MS);
  for (const { id } of past) {
    const stored = await tx.get(stockCommits, id);
    if (stored !== null) tx.remove(stockCommits, stored);
  }
  return past.length;
}

/** Repeats a step until it finds less than a full commit of work, or is aborted. */
async function repeat(work: JobContext, full: number, step: (tx: Tx) => Promise<number>): Promise<number> {
  let done = 0;
  for (let commits = 0; commits < COMMITS_MAX && !work.signal.aborted; commits += 1) {
    const count = await work.runTx(work.part, step);
    done += count;
    if (count < full) break;
  }
  return done;
}
