import type { Job, JobContext } from "../../core/engine.ts";
import { watch } from "../../core/watch.ts";
import type { Watch } from "../../core/watch.ts";
import { takeSharedTurn } from "../../core/room.ts";
import { allergenSettings, products, readSettings, RECIPE_TURNS, ripples } from "./repository.ts";
import { isTooOld, staleAt } from "./rules/freshness.ts";
import { stageChanged } from "./routes/save-product.ts";
import { spreadChange } from "./routes/spread-change.ts";

/** Products whose verification one commit ends; each is up to eleven operations of the two hundred. */
const MARKED_PER_COMMIT = 15;
/** Commits of one run and kind; the rest is left to the next run. */
const COMMITS_MAX = 200;

/** Verifications that get too old; how old that is, the settings say. */
const ageing: Watch = {
  places: [`ix.${products.name}.verified`, allergenSettings.collection.name],
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

const tooOld = (detail: string) => ({ code: "too_old" as const, detail });

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
    // Products can take in what the changed ingredient is made of.
    await takeSharedTurn(tx, RECIPE_TURNS, ripple.id);
    const { default_mode: mode } = await readSettings(tx);
    const { marked, cursor, isDone } = await spreadChange({ tx, newId, nowAt }, ripple.value, mode);
    if (isDone) tx.remove(ripples, ripple);
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
      const stale = { ...stored.value, status: "stale" as const, stale_reasons: [tooOld(detail)] };
      const change = { kind: "became_stale" as const, mode: settings.default_mode, by: null, note: detail };
      await stageChanged({ tx, newId, nowAt }, stored, stale, change);
      marked += 1;
    }
    return { marked, done: due.length < MARKED_PER_COMMIT };
  });
