import { fromInstant } from "../../../lib/instant.ts";
import { eachDue } from "../../../core/batches.ts";
import type { Job, JobContext } from "../../../core/engine.ts";
import { watch } from "../../../core/watch.ts";
import { drafts, readSettings } from "../repository.ts";
import { emitDraft, goLive } from "../services/drafts.ts";
import type { Draft } from "../schema/draft.ts";

/** Posts per run; the rest is left to the next one. */
const POSTS_MAX = 500;

/** Publishes drafts whose scheduled time has come. Idempotent: the status is read in the same commit. */
export const publishDue: Job = {
  id: "content.publish-due",
  summary: "Publishes scheduled drafts and records the delay",
  schedule: "*/5 * * * * *",
  watches: [watch(drafts, { index: "due", due: ({ scheduled_at: at }) => at })],
  async run(work) {
    const due = {
      collection: drafts,
      index: "due",
      isDue: ({ scheduled_at: at }: Draft) => at !== null && fromInstant(at) <= work.now,
      max: POSTS_MAX,
    };
    const { done, failed } = await eachDue(work, due, (id) => publishOne(work, id));
    return { published: done, failed };
  },
};

const publishOne = ({ runTx, part, now, nowAt, newId }: JobContext, id: string): Promise<number> =>
  runTx(part, async (tx) => {
    const before = await tx.get(drafts, id);
    const at = before?.value.scheduled_at ?? null;
    // It was unscheduled, or another node was faster.
    if (before === null || before.value.status !== "scheduled" || at === null || fromInstant(at) > now)
      return 0;
    const desk = { tx, settings: await readSettings(tx), nowAt, by: "content.publish-due" };
    const lateSeconds = Math.floor((now - fromInstant(at)) / 1_000);
    const stored = await goLive(desk, before, { publishedAt: at, lateSeconds });
    emitDraft(desk, newId, "published", stored.value);
    return 1;
  });
