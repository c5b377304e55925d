import type { Job } from "../../../core/engine.ts";
import { watch } from "../../../core/watch.ts";
import { removals } from "../repository.ts";
import { forgetSome } from "../services/forget-draft.ts";

const COMMITS_MAX = 100;

/** Deletes what deleted drafts left behind, in batches. */
export const sweepDrafts: Job = {
  id: "content.sweep-drafts",
  summary: "Deletes the revisions and scores of deleted drafts",
  schedule: "23 * * * * *",
  watches: [watch(removals)],
  async run({ runTx, part, signal }) {
    let commits = 0;
    while (commits < COMMITS_MAX && !signal.aborted) {
      const isMore = await runTx(part, async (tx) => {
        const [next] = (await tx.peekPage(removals, { limit: 1 })).items;
        const removal = next === undefined ? null : await tx.get(removals, next.id);
        if (removal === null) return false;
        if (await forgetSome(tx, removal.id)) tx.remove(removals, removal);
        return true;
      });
      if (!isMore) break;
      commits += 1;
    }
    return { commits };
  },
};
