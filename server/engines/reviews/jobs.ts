import { DAY_MS, fromInstant } from "../../lib/instant.ts";
import { changeDue, eachDue, removeOld } from "../../core/batches.ts";
import type { Job, JobContext } from "../../core/engine.ts";
import { watch } from "../../core/watch.ts";
import type { ReviewWork } from "./services/work.ts";
import { advanceInvitation } from "./services/invitations.ts";
import { moveAnswer } from "./services/posts.ts";
import { moveReview } from "./services/moderate.ts";
import { recount } from "./services/recount.ts";
import { dropOldExports, workOnExports } from "./services/export.ts";
import { workOnImports } from "./services/import.ts";
import {
  answers,
  ballots,
  contents,
  exportJobs,
  imports,
  invitations,
  photos,
  reviews,
  traces,
} from "./repository.ts";
import type { Review } from "./schema.ts";
import type { Invitation } from "./schema/invitation.ts";

type ReviewJobContext = Omit<JobContext, "hasTime">;

const reviewWork = ({ now, nowAt, part, newId, ports }: ReviewJobContext): ReviewWork => ({
  now,
  nowAt,
  part,
  newId,
  ports,
  by: "auto",
});

const invite: Job = {
  id: "reviews.invite",
  summary: "Sends due invitations and reminders, and ends expired ones",
  schedule: "*/30 * * * * *",
  watches: [watch(invitations, { index: "due", due: ({ next_action_at: at }) => at })],
  run: (work) => inviteDue(work),
};

/** Processes due invitations; one that fails does not affect the others. */
async function inviteDue(
  work: ReviewJobContext,
): Promise<Record<"sent" | "waited" | "ended" | "failed", number>> {
  // By id: a transaction that loses a race runs again.
  const results = new Map<string, "sent" | "waited" | "ended">();
  const due = {
    collection: invitations,
    index: "due",
    isDue: ({ next_action_at: at }: Invitation) => at !== null && fromInstant(at) <= work.now,
  };
  const { failed } = await changeDue(work, due, async (tx, id) => {
    results.delete(id);
    const result = await advanceInvitation(tx, reviewWork(work), id);
    if (result === "none") return 0;
    results.set(id, result);
    return 1;
  });
  const count = (which: string): number => [...results.values()].filter((result) => result === which).length;
  return { sent: count("sent"), waited: count("waited"), ended: count("ended"), failed };
}

const settle: Job = {
  id: "reviews.settle-erasures",
  summary: "Removes the ratings of erased reviews from the averages",
  schedule: "*/20 * * * * *",
  watches: [
    watch(reviews, { index: "by", value: "erase_asked" }),
    watch(answers, { index: "by", value: "erase_asked" }),
  ],
  run: (work) => settleErasures(work),
};

/** Completes erasures: the text is already deleted, now the rating is removed from the averages. One that fails does not affect the others. */
async function settleErasures(work: ReviewJobContext): Promise<{ reviews: number; answers: number }> {
  const { part, runTx } = work;
  const reviewing = reviewWork(work);
  const due = { index: "by", value: "erase_asked", isDue: () => true };
  const ofReviews = await eachDue(work, { ...due, collection: reviews }, (id) =>
    runTx(part, async (tx) => {
      const stored = await tx.get(reviews, id);
      if (stored?.value.erase_asked === true) await moveReview(tx, reviewing, stored, { action: "erase" });
      return 1;
    }),
  );
  const ofAnswers = await eachDue(work, { ...due, collection: answers }, (id) =>
    runTx(part, async (tx) => {
      const stored = await tx.get(answers, id);
      if (stored?.value.erase_asked === true) await moveAnswer(tx, reviewing, stored, { action: "erase" });
      return 1;
    }),
  );
  return { reviews: ofReviews.done, answers: ofAnswers.done };
}

const transfer: Job = {
  id: "reviews.transfer",
  summary: "Processes imports and exports",
  schedule: "*/5 * * * * *",
  watches: [watch(imports, { index: "open" }), watch(exportJobs, { index: "open" })],
  run: async (work) => ({ ...(await workOnImports(work)), ...(await workOnExports(work)) }),
};

const rebuild: Job = {
  id: "reviews.rebuild",
  summary: "Recomputes all averages from the reviews and repairs differences",
  schedule: "17 3 * * *",
  async run({ runTx, part, log }) {
    const counted = await runTx(part, recount);
    if (counted.differences.length > 0) log.error({ part, ...counted }, "averages of reviews were repaired");
    return { reviews: counted.reviews, differences: counted.differences.length, repaired: counted.repaired };
  },
};

/** How long the author of a review has to confirm the address, which may be that of somebody else. */
const UNCONFIRMED_MS = 60 * DAY_MS;

/** Erases reviews whose authors did not confirm their address in time. */
async function dropUnconfirmed(work: JobContext): Promise<number> {
  const isOver = ({ status, updated_at: at }: Review): boolean =>
    status === "unconfirmed" && work.now - fromInstant(at) > UNCONFIRMED_MS;
  const due = { collection: reviews, index: "unconfirmed", isDue: isOver };
  const { done } = await eachDue(work, due, (id) =>
    work.runTx(work.part, async (tx) => {
      const stored = await tx.get(reviews, id);
      if (stored === null || !isOver(stored.value)) return 0;
      await moveReview(tx, reviewWork(work), stored, { action: "erase" });
      return 1;
    }),
  );
  return done;
}

/** One day, and a second one to allow for clock differences. */
const TRACE_MS = 2 * DAY_MS;

const sweep: Job = {
  id: "reviews.sweep",
  summary:
    "Deletes the origins of reviews and the votes of addresses after two days, reviews without a confirmation after 60, and files of expired exports",
  schedule: "41 * * * *",
  async run(work) {
    const isOver = ({ at }: { readonly at: string }): boolean => work.now - fromInstant(at) > TRACE_MS;
    const dropped = await removeOld(work, traces, { index: "old", isOver });
    const votes = await removeOld(work, ballots, { index: "old", isOver });
    const unconfirmed = await dropUnconfirmed(work);
    return { traces: dropped, votes, unconfirmed, exports: await dropOldExports(work) };
  },
};

const sweepPhotos: Job = {
  id: "reviews.photos",
  summary: "Deletes photos of erased reviews, and those that were uploaded without one",
  schedule: "*/10 * * * *",
  watches: [watch(photos, { index: "due", due: ({ expires_at: at }) => at })],
  run: (context) => contents.sweep(context),
};

export const jobs = [invite, settle, transfer, rebuild, sweep, sweepPhotos];
