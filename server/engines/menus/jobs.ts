import { DAY_MS, fromInstant } from "../../lib/instant.ts";
import { changeDue, removeOld } from "../../core/batches.ts";
import type { Job, JobContext } from "../../core/engine.ts";
import { watch } from "../../core/watch.ts";
import { connectionStock, menus, stockCommits, stocks } from "./repository.ts";
import { saveMenu, settleMenu } from "./routes/publication-log.ts";
import { connectionWatch, pushDue, renewDue } from "./services/push-connections.ts";
import { liveSuspensions } from "./rules/stock.ts";
import type { Menu } from "./schema.ts";

/** Days for which an order is stored, so that it is deducted from stock once. */
const KEEP_DAYS = 90;
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
  async run(work) {
    const isDue = ({ scheduled }: Menu): boolean =>
      scheduled !== null && fromInstant(scheduled.at) <= work.now;
    const { done } = await changeDue(work, { collection: menus, index: "due", isDue }, async (tx, id) => {
      // Read again in the transaction: if the menu is published or cancelled concurrently, the commit conflicts.
      const menu = await tx.get(menus, id);
      if (menu === null || !isDue(menu.value)) return 0;
      const { now, nowAt, newId } = work;
      saveMenu({ tx, nowAt }, menu, settleMenu({ tx, now, nowAt, newId }, menu.value));
      return 1;
    });
    return { started: done };
  },
};

/** Sends menus and changes of stock to the connections that are due. */
export const pushConnections: Job = {
  id: "menus.push-connections",
  summary: "Sends menus and stock to connected channels",
  schedule: "*/5 * * * * *",
  watches: [connectionWatch],
  run: pushDue,
};

/** Sends menus again whose allergens have changed: what a channel shows of them is what it was sent. */
export const renewConnections: Job = {
  id: "menus.renew-connections",
  summary: "Publishes menus again to connected channels after a change of allergens or diets",
  schedule: "*/5 * * * * *",
  watches: [
    { places: ["allergens.products", "allergens.settings"], next: () => Promise.resolve(null) },
    // A certificate ends with a day, and nothing is written then.
    watch(connectionStock, { index: "renewal", due: ({ facts_until: at }) => at ?? null }),
  ],
  async run(work) {
    const { done } = await renewDue(work);
    return { renewed: done };
  },
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
