import { planTx, receiveDoc } from "../../../core/plan-tx.ts";
import type { SentDoc } from "../../../core/plan-tx.ts";
import { shops } from "../../../core/shop.ts";
import type { PlannedCommit, Stored } from "../../../core/tx.ts";
import { defineWorkerTask } from "../../../lib/worker-tasks.ts";
import type { Rules } from "../schema/programme.ts";
import type { Recalculation } from "../schema/recalculation.ts";
import { judgeRows } from "./judge-members.ts";
import type { Judgement, Row } from "./judge-members.ts";
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

/** Members that are evaluated on the event loop: fewer than one slice of long work. */
const INLINE_ROWS = 20;

/** Evaluates a page of members: the commits that write what changed, in order. Without members, one that writes nothing. */
export const planMembers = defineWorkerTask({
  id: "tiers.members",
  size: ({ rows }: Page) =>
    rows.length <= INLINE_ROWS ? 0 : rows.reduce((sum, { member }) => sum + (member?.members.length ?? 0), 0),
  run: async ({ part, job, context, before, rows: sent, shop }: Page): Promise<PlannedMembers[]> => {
    const rows = sent.map(receiveRow);
    const commits: PlannedMembers[] = [];
    let now = job;
    let count = 0;
    do {
      const { result, ...commit } = await planTx(part, async (tx) => {
        if (shop !== null) tx.adopt(shops, receiveDoc(shop));
        return judgeRows({ tx, job: now, context, before }, rows.slice(count));
      });
      commits.push({ ...result, ...commit });
      now = { ...now, ...result.effect };
      count += result.count;
    } while (count < rows.length);
    return commits;
  },
});

const receiveRow = ({ id, member, shown, diff }: SentRow): Row => ({
  id,
  member: member === null ? null : receiveDoc(member),
  shown: shown === null ? null : receiveDoc(shown),
  diff: diff === null ? null : receiveDoc(diff),
});
