import { giveWay } from "../../../lib/slices.ts";
import { members, recalculationMoves, recalculations } from "../repository.ts";
import type { Rules } from "../schema/programme.ts";
import type { Recalculation } from "../schema/recalculation.ts";
import { restoreStanding, saveMember } from "./members.ts";
import type { Work } from "./members.ts";

/** Members per commit: each costs a member's operations and those of one move. */
const MEMBERS_PER_COMMIT = 6;

/** Commits of a step; the rest is left to the next. */
const COMMITS_PER_STEP = 100;

/** Restores the standing of the members that a recalculation moved; members that have moved since are skipped. */
export async function rollBack(work: Work, job: Recalculation, rules: Rules): Promise<void> {
  let isEnd = false;
  for (let made = 0; made < COMMITS_PER_STEP && !isEnd && !work.signal.aborted; made += 1)
    isEnd = await rollBackSome(work, job, rules);
}

/** True after the last of them. */
function rollBackSome(work: Work, job: Recalculation, rules: Rules): Promise<boolean> {
  return work.runTx(work.part, async (tx) => {
    const stored = await tx.require(recalculations, job.id);
    const now = stored.value;
    if (now.status !== "rolling_back") return true;
    const { cursor } = now.progress;
    const from = cursor === null ? undefined : `${cursor}~~`;
    const page = await tx.peekPage(recalculationMoves, {
      index: "by",
      value: job.id,
      limit: MEMBERS_PER_COMMIT,
      from,
    });
    const { programme_id, programme_version, rfm } = now;
    const context = { nowAt: work.nowAt, programme_id, programme_version, rules, cuts: rfm };
    const counts = { ...now.counts };
    for (const { value: diff } of page.items) {
      await giveWay(work.part);
      const member = await tx.get(members, diff.customer_id);
      const standing = member?.value.standing ?? null;
      const isUntouched =
        standing !== null &&
        standing.level_id === diff.after.level_id &&
        standing.since === diff.after.since &&
        standing.renewals === diff.after.renewals;
      if (member === null || standing === null || diff.before === null || !isUntouched) {
        counts.skipped += 1;
        continue;
      }
      const back = { ...diff.before, as_of: standing.as_of };
      await saveMember(tx, context, member, restoreStanding(member.value, context, back));
      counts.written += 1;
    }
    const isEnd = page.items.length < MEMBERS_PER_COMMIT;
    const progress = {
      ...now.progress,
      done: now.progress.done + page.items.length,
      cursor: page.items.at(-1)?.id ?? cursor,
    };
    const status = isEnd ? ("rolled_back" as const) : now.status;
    tx.put(recalculations, stored, { ...now, status, counts, progress, updated_at: work.nowAt });
    return isEnd;
  });
}
