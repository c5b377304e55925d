import { DAY_MS } from "../../lib/instant.ts";
import { changeDue, removeOld } from "../../core/batches.ts";
import type { Job, JobContext } from "../../core/engine.ts";
import { judgeMember, saveChanges } from "./services/members.ts";
import { measureShop, saveCuts, stepRecalculation } from "./services/recalculate.ts";
import {
  draftId,
  findRules,
  members,
  OPEN,
  published,
  readCuts,
  recalculationMoves,
  recalculations,
} from "./repository.ts";
import type { Recalculation } from "./schema/recalculation.ts";
import type { Tx } from "../../core/tx.ts";
import { localDateAt } from "../../lib/local-time.ts";
import { watch } from "../../core/watch.ts";
import type { Member } from "./schema.ts";

/** Steps per run, 10,000 members each: the rest is left to the next run, so that other stores get their turn. */
const STEPS_MAX = 4;

/** Continues running recalculations. */
export const recalculate: Job = {
  id: "tiers.recalculate",
  summary: "Continues dry runs, applications and rollbacks of recalculations",
  schedule: "*/5 * * * * *",
  watches: [watch(recalculations, { index: "open" })],
  async run(work) {
    let steps = 0;
    while (steps < STEPS_MAX && !work.signal.aborted) {
      const open = await work.runTx(work.part, (tx) =>
        tx.peekPage(recalculations, { index: "open", limit: 1 }),
      );
      const [next] = open.items;
      if (next === undefined || !(await stepRecalculation(work, next.id))) break;
      steps += 1;
    }
    return { steps };
  },
};

const REVIEW_AFTER_MS = 30 * 60_000;
const PAGE = 100;
const REVIEWED_MAX = 20_000;

/**
 * Evaluates members with a due date: the end of a term, of a grace or protection period, a notice, an order that
 * starts to count.
 */
export const review: Job = {
  id: "tiers.review",
  summary: "Evaluates members whose term, grace period or notice is due, from 00:30 local time",
  schedule: "2,32 * * * *",
  async run(work) {
    const running = await work.runTx(work.part, findRules);
    if (running === null) return { reviewed: 0, failed: 0 };
    const today = localDateAt(work.now - REVIEW_AFTER_MS, running.rules.timezone);
    const due = {
      collection: members,
      index: "due",
      isDue: ({ next_check_on: on }: Member) => on !== null && on <= today,
      max: REVIEWED_MAX,
    };
    const { done, failed } = await changeDue(work, due, (tx, id) => reviewOne(tx, work, id, today));
    return { reviewed: done, failed };
  },
};

async function reviewOne(tx: Tx, { nowAt }: JobContext, id: string, today: string): Promise<number> {
  const rules = await findRules(tx);
  const stored = await tx.get(members, id);
  if (rules === null || stored === null || stored.value.merged_into !== null) return 1;
  const context = { ...rules, nowAt, cuts: await readCuts(tx) };
  const judged = await judgeMember(tx, stored.value, context, { asOf: today });
  await saveChanges(tx, context, stored, judged);
  return 1;
}

const KEEP_DIFFS_MS = 31 * DAY_MS;

/** Deletes the moves of recalculations once they can no longer be rolled back. */
export const sweepDiffs: Job = {
  id: "tiers.sweep-diffs",
  summary: "Deletes the moves of recalculations 31 days after they end",
  schedule: "10 3 * * *",
  async run(work) {
    let swept = 0;
    let cursor: string | undefined;
    do {
      const page = await work.runTx(work.part, (tx) => tx.peekPage(recalculations, { limit: PAGE, cursor }));
      const old = page.items.filter(({ value }) => isOver(value, work.now));
      for (const { id } of old) swept += await sweepDiff(work, id);
      cursor = page.next ?? undefined;
    } while (cursor !== undefined && !work.signal.aborted);
    return { swept };
  },
};

const isOver = ({ status, updated_at: at }: Recalculation, now: number): boolean =>
  !OPEN.has(status) && Date.parse(at) + KEEP_DIFFS_MS <= now;

/** The moves, then the rules if they were a draft. */
async function sweepDiff(work: JobContext, id: string): Promise<number> {
  const swept = await removeOld(work, recalculationMoves, { index: "by", value: id });
  await work.runTx(work.part, async (tx) => {
    const rules = await tx.get(published, draftId(id));
    if (rules !== null) tx.remove(published, rules);
  });
  return swept;
}

/** Computes the score thresholds of the store, used in later evaluations. */
export const measureRfm: Job = {
  id: "tiers.measure-rfm",
  summary: "Computes the thresholds of recency, frequency and spend scores",
  schedule: "40 2 * * *",
  async run(work) {
    const running = await work.runTx(work.part, findRules);
    if (running === null) return { members: 0 };
    const day = localDateAt(work.now, running.rules.timezone);
    const { cuts, total } = await measureShop(work, running.rules, day);
    if (!work.signal.aborted) await work.runTx(work.part, (tx) => saveCuts(tx, cuts, work.nowAt));
    return { members: total };
  },
};
