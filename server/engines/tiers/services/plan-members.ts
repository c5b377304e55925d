import { planTx, receiveDoc } from "../../../core/plan-tx.ts";
import type { SentDoc } from "../../../core/plan-tx.ts";
import { shops } from "../../../core/shop.ts";
import type { PlannedCommit, Stored } from "../../../core/tx.ts";
import { runAtOnce, runInSlices } from "../../../lib/slices.ts";
import { defineWorkerTask } from "../../../lib/worker-tasks.ts";
import type { TaskOwner } from "../../../lib/worker-tasks.ts";
import { countCriteria } from "../rules/criteria.ts";
import type { Rules } from "../schema/programme.ts";
import type { Recalculation } from "../schema/recalculation.ts";
import { judgeRows } from "./judge-members.ts";
import type { Judgement, JudgeInput, Row } from "./judge-members.ts";
import type { EvaluationContext } from "./members.ts";

/** A member of a page with the documents that its application changes, as they are sent to a thread. */
export type SentRow = {
  readonly [K in keyof Row]: Row[K] extends Stored<unknown> | null ? SentDoc | null : Row[K];
};

interface Page {
  readonly part: string;
  readonly job: Recalculation;
  readonly context: EvaluationContext;
  /** The rules that the recalculation replaces. */
  readonly before: Rules;
  readonly rows: readonly SentRow[];
  /** The profile of the shop, for mails. */
  readonly shop: SentDoc | null;
}

/** A commit of a recalculation but for the recalculation itself. */
export type PlannedMembers = Judgement & PlannedCommit;

/** Members that are evaluated on the event loop, with pauses: starting a thread takes longer. */
const INLINE_ROWS = 20;
/** Characters of members, times the criteria under which they are evaluated, that take a few milliseconds. */
const INLINE_WORK = 10_000_000;
/** The most of one task: even where a thousand terms have ended, it takes a part of the time that a task has. */
const TASK_WORK = 100_000_000;

/** Evaluates a page of members: the commits that write what changed, in order. Without members, one that writes nothing. */
export async function planMembers(owner: TaskOwner, page: Page): Promise<PlannedMembers[]> {
  if (page.rows.length <= INLINE_ROWS && workOf(page) <= INLINE_WORK)
    return planPage(page, (steps) => runInSlices(steps, page.part));
  const commits: PlannedMembers[] = [];
  let { job } = page;
  for (const rows of divide(page)) {
    commits.push(...(await planInThread(owner, { ...page, job, rows })));
    job = { ...job, ...commits.at(-1)?.effect };
  }
  return commits;
}

/** Members that one task evaluates. */
function* divide(page: Page): Generator<readonly SentRow[], void> {
  let rows: SentRow[] = [];
  let work = 0;
  for (const row of page.rows) {
    const own = workOf({ ...page, rows: [row] });
    if (rows.length > 0 && work + own > TASK_WORK) {
      yield rows;
      rows = [];
      work = 0;
    }
    rows.push(row);
    work += own;
  }
  yield rows;
}

/** Criteria that take as long as reading and storing a member. */
const MEMBER_CRITERIA = 50;

function workOf({ context: { rules }, rows }: Page): number {
  const chars = rows.reduce((sum, { member }) => sum + (member?.members.length ?? 0), 0);
  const criteria = rules.levels.flatMap(({ entry, retain }) => [
    countCriteria(entry),
    retain === null ? 0 : countCriteria(retain),
  ]);
  return chars * criteria.reduce((sum, count) => sum + count, MEMBER_CRITERIA);
}

export const planInThread = defineWorkerTask({
  id: "tiers.members",
  size: workOf,
  run: (page: Page): Promise<PlannedMembers[]> => planPage(page, runAtOnce),
});

async function planPage(
  { part, job, context, before, rows: sent, shop }: Page,
  run: JudgeInput["run"],
): Promise<PlannedMembers[]> {
  const rows = sent.map(receiveRow);
  const commits: PlannedMembers[] = [];
  let now = job;
  let count = 0;
  do {
    const { result, ...commit } = await planTx(part, async (tx) => {
      if (shop !== null) tx.adopt(shops, receiveDoc(shop));
      return judgeRows({ tx, job: now, context, before, run }, rows.slice(count));
    });
    commits.push({ ...result, ...commit });
    now = { ...now, ...result.effect };
    count += result.count;
  } while (count < rows.length);
  return commits;
}

const receiveRow = ({ id, member, shown, diff }: SentRow): Row => ({
  id,
  member: member === null ? null : receiveDoc(member),
  shown: shown === null ? null : receiveDoc(shown),
  diff: diff === null ? null : receiveDoc(diff),
});
