import { fromInstant } from "../../../lib/instant.ts";
import type { Job, JobContext } from "../../../core/engine.ts";
import { watch } from "../../../core/watch.ts";
import { drafts, readSettings } from "../repository.ts";
import { emitDraft, goLive } from "../services/draft-book.ts";

const PAGE = 20;
/** Posts per run; the rest is left to the next one. */
const POSTS_MAX = 500;

/** Publishes drafts whose scheduled time has come. Idempotent: the status is read in the same commit. */
export const publishDue: Job = {
  id: "content.publish-due",
  summary: "Publishes scheduled drafts and records the delay",
  schedule: "*/5 * * * * *",
  watches: [watch(drafts, { index: "due", due: ({ scheduled_at: at }) => at })],
  async run(work) {
    let published = 0;
    let failed = 0;
    while (!work.signal.aborted && published + failed < POSTS_MAX) {
      const page = await work.runTx(work.part, (tx) => tx.peekPage(drafts, { index: "due", limit: PAGE }));
      const due = page.items.filter(
        ({ value: { scheduled_at: at } }) => at !== null && fromInstant(at) <= work.now,
      );
      let done = 0;
      for (const { id } of due) {
        try {
          if (await publishOne(work, id)) done += 1;
        } catch (err) {
          failed += 1;
          work.log.error({ err, draft: id, part: work.part }, "a scheduled post could not be published");
        }
      }
      published += done;
      if (done === 0 || due.length < page.items.length) break;
    }
    return { published, failed };
  },
};

const publishOne = ({ runTx, part, now, nowAt, newId }: JobContext, id: string): Promise<boolean> =>
  runTx(part, async (tx) => {
    const before = await tx.get(drafts, id);
    const at = before?.value.scheduled_at ?? null;
    // It was unscheduled, or another node was faster.
    if (before === null || before.value.status !== "scheduled" || at === null || fromInstant(at) > now)
      return false;
    const desk = { tx, settings: await readSettings(tx), nowAt, by: "content.publish-due" };
    const lateSeconds = Math.floor((now - fromInstant(at)) / 1_000);
    const stored = await goLive(desk, before, { publishedAt: at, lateSeconds });
    emitDraft(desk, newId, "published", stored.value);
    return true;
  });
