import { DAY_MS, fromInstant, toInstant } from "../../lib/instant.ts";
import { removeOld } from "../../core/batches.ts";
import type { Job } from "../../core/engine.ts";
import { addDays } from "../../lib/local-time.ts";
import { DELIVERY_LIMITS } from "./schema/limits.ts";
import { holds, slotUsages, visitorHolds } from "./repository.ts";

/** Days for which an expired or released hold can still be retrieved. */
const KEEP_DAYS = 7;
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
  async run(work) {
    const ended = work.now - DELIVERY_LIMITS.holdSecondsMax * 1000;
    const until = work.now - KEEP_DAYS * DAY_MS;
    // One day more than in UTC, because the store's local day may start later.
    const lastDay = addDays(toInstant(until).slice(0, 10), -1);
    return {
      holds: await removeOld(
        work,
        holds,
        {
          index: "due",
          isOver: ({ released_at: released, expires_at: at, state }) =>
            state !== "confirmed" && fromInstant(released ?? at) <= until,
        },
        { commits: COMMITS_MAX },
      ),
      slots: await removeOld(
        work,
        slotUsages,
        { index: "day", isOver: ({ date }) => date <= lastDay },
        { commits: COMMITS_MAX },
      ),
      visitors: await removeOld(
        work,
        visitorHolds,
        { index: "old", isOver: ({ at }) => fromInstant(at) <= ended },
        { commits: COMMITS_MAX },
      ),
    };
  },
};
