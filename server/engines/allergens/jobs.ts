import type { Job, JobContext } from "../../core/engine.ts";
import { watch } from "../../core/watch.ts";
import type { Watch } from "../../core/watch.ts";
import { products, readSettings, ripples, settingsDocs } from "./repository.ts";
import { isTooOld, staleAt } from "./rules/freshness.ts";
import { stageStale } from "./routes/save-product.ts";
import { MARKED_PER_COMMIT, spreadChange } from "./routes/spread-change.ts";

/** Commits of one run and kind; what is left waits for the next run. */
const COMMITS_MAX = 200;

/** Verifications that get too old; how old that is, the settings say. */
const ageing: Watch = {
  places: [`ix.${products.name}.verified`, settingsDocs.name],
  async next(tx) {
    const [oldest] = (await tx.peekPage(products, { index: "verified", limit: 1 })).items;
    return oldest === undefined ? null : staleAt(oldest.value, await readSettings(tx));
  },
};

/**
 * Marks products whose verification lapsed: because an ingredient of the library changed, or because it is too old.
 * Reads know both without it; what the job brings up to date is the status filter, the history and the change feed.
 */
export const markStale: Job = {
  id: "allergens.mark-stale",
  summary: "Marks products as stale after a change of an ingredient, or when their verification is too old",
  schedule: "* * * * *",
  watches: [watch(ripples), ageing],
  async run(work) {
    return {
      ingredient_changed: await repeat(work, markChanged),
      too_old: await repeat(work, markOld),
    };
  },
};

interface Step {
  readonly marked: number;
  readonly done: boolean;
}

async function repeat(work: JobContext, step: (work: JobContext) => Promise<Step>): Promise<number> {
  let marked = 0;
  for (let commits = 0; commits < COMMITS_MAX && !work.signal.aborted; commits += 1) {
    const made = await step(work);
    marked += made.marked;
    if (made.done) break;
  }
  return marked;
}

/** The next products of one change that waits. */
const markChanged = ({ runTx, part, newId, nowAt }: JobContext): Promise<Step> =>
  runTx(part, async (tx) => {
    const [waiting] = (await tx.peekPage(ripples, { limit: 1 })).items;
    const ripple = waiting === undefined ? null : await tx.get(ripples, waiting.id);
    if (ripple === null) return { marked: 0, done: waiting === undefined };
    const { default_mode: mode } = await readSettings(tx);
    const { marked, cursor } = await spreadChange({ tx, newId, nowAt }, ripple.value, mode);
    if (cursor === null) tx.remove(ripples, ripple);
    else tx.put(ripples, ripple, { ...ripple.value, cursor });
    return { marked, done: false };
  });

const markOld = ({ runTx, part, newId, nowAt, now }: JobContext): Promise<Step> =>
  runTx(part, async (tx) => {
    const settings = await readSettings(tx);
    const { items } = await tx.peekPage(products, { index: "verified", limit: MARKED_PER_COMMIT });
    const due = items.filter(({ value }) => isTooOld(value, now, settings));
    let marked = 0;
    for (const { id } of due) {
      const stored = await tx.get(products, id);
      if (stored?.value.status !== "verified" || !isTooOld(stored.value, now, settings)) continue;
      const detail = `It was verified more than ${settings.stale_after_days} days ago.`;
      stageStale({ tx, newId, nowAt }, stored, [{ code: "too_old", detail }], settings.default_mode);
      marked += 1;
    }
    return { marked, done: due.length < MARKED_PER_COMMIT };
  });
