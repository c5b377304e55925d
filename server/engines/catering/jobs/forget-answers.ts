import { removeOld } from "../../../core/batches.ts";
import type { Job } from "../../../core/engine.ts";
import { addDays } from "../../../lib/local-time.ts";
import { rsvps } from "../repository.ts";

/** Days after theirs for which answers to invitations are stored, as what became of an occurrence is. */
const KEEP_DAYS = 60;

/** Names with allergies are not stored longer than they are of use: an order has the numbers. */
export const forgetAnswers: Job = {
  id: "catering.answers",
  summary: "Deletes answers to invitations sixty days after their day",
  schedule: "23 * * * *",
  async run(context) {
    // The local date of a store may be one day behind that of UTC.
    const first = addDays(context.nowAt.slice(0, 10), -KEEP_DAYS - 1);
    return { removed: await removeOld(context, rsvps, { index: "old", isOver: ({ date }) => date < first }) };
  },
};
