import { DAY_MS, fromInstant, toInstant } from "../../lib/instant.ts";
import type { Job } from "../../core/engine.ts";
import { addDays } from "../../lib/local-time.ts";
import type { Tx } from "../../core/tx.ts";
import { holds, slotUsages } from "./repository.ts";

/** Days for which an expired or released hold can still be retrieved. */
const KEEP_DAYS = 7;
/** Documents deleted per commit; a usage document has an index entry for each of up to 50 zones. */
const HOLDS_PER_COMMIT = 40;
const USAGES_PER_COMMIT = 3;
/** Commits per run and kind; the rest is left to the next run. */
const COMMITS_MAX = 50;

/**
 * Deletes holds that expired or were released a week ago, and usage documents of slots a week past. Bookings are not
 * deleted.
 */
export const sweepHolds: Job = {
  id: "delivery.sweep-holds",
  summary: "Removes expired holds and the counts of past slots after a week",
  schedule: "17 * * * *",
  async run({ runTx, part, now, signal }) {
    const until = now - KEEP_DAYS * DAY_MS;
    const repeat = async (step: (tx: Tx) => Promise<number>, full: number): Promise<number> => {
      let swept = 0;
      for (let commits = 0; commits < COMMITS_MAX && !signal.aborted; commits += 1) {
        const count = await runTx(part, step);
        swept += count;
        if (count < full) break;
      }
      return swept;
    };
    return {
      holds: await repeat((tx) => sweepHoldsOnce(tx, until), HOLDS_PER_COMMIT),
      slots: await repeat((tx) => sweepUsagesOnce(tx, until), USAGES_PER_COMMIT),
    };
  },
};

async function sweepHoldsOnce(tx: Tx, until: number): Promise<number> {
  const due = await tx.peekPage(holds, { index: "due", limit: HOLDS_PER_COMMIT });
  const dead = due.items.filter(({ value }) => fromInstant(value.released_at ?? value.expires_at) <= until);
  for (const { id } of dead) {
    // Read again in the transaction: if the hold is confirmed concurrently, the commit conflicts.
    const hold = await tx.get(holds, id);
    if (hold !== null && hold.value.state !== "confirmed") tx.remove(holds, hold);
  }
  return dead.length;
}

async function sweepUsagesOnce(tx: Tx, until: number): Promise<number> {
  // One day more than in UTC, because the store's local day may start later.
  const lastDay = addDays(toInstant(until).slice(0, 10), -1);
  const days = await tx.peekPage(slotUsages, { index: "day", limit: USAGES_PER_COMMIT });
  const past = days.items.filter(({ value }) => value.date <= lastDay);
  for (const { id } of past) {
    const usage = await tx.get(slotUsages, id);
    if (usage !== null) tx.remove(slotUsages, usage);
  }
  return past.length;
}
