import type { Job, JobContext } from "../../../core/engine.ts";
import { mapPage } from "../../../core/map-page.ts";
import { giveWay } from "../../../lib/slices.ts";
import type { Tx } from "../../../core/tx.ts";
import { articleMetrics, articles, keyphraseUses } from "../repository.ts";
import { findRivals } from "../rules/cannibalisation.ts";
import type { KeyphraseUse } from "../schema/article.ts";
import { CONTENT_LIMITS } from "../schema.ts";

const PAGE = 100;
const CANNIBALS_KEPT = 20;

/** Records for each article which other live texts have its keyphrase, and how many tracked pages link to it. */
export const reviewArticles: Job = {
  id: "content.review-articles",
  summary: "Finds articles that compete for a keyphrase, and counts links between articles",
  schedule: "50 3 * * *",
  async run(work) {
    const rivals = await findRivals(await work.runTx(work.part, liveUses), CANNIBALS_KEPT, () =>
      giveWay(work.part),
    );
    const ids = await articleIds(work);
    const inbound = await countLinks(work, ids);
    let changed = 0;
    for (const id of ids) {
      if (work.signal.aborted) break;
      const cannibalises = rivals.get(id) ?? [];
      if (await note(work, id, { cannibalises, internalIn: inbound.get(id) ?? 0 })) changed += 1;
    }
    return { articles: ids.length, changed };
  },
};

/** Keyphrases of live texts, newest first, up to the number that is compared at once. */
export async function liveUses(tx: Tx): Promise<KeyphraseUse[]> {
  const uses: KeyphraseUse[] = [];
  let cursor: string | undefined;
  do {
    const live = { index: "live", limit: 500, cursor };
    const page = await mapPage(tx, keyphraseUses, live, ({ value }) => value);
    uses.push(...page.items);
    cursor = page.next ?? undefined;
  } while (cursor !== undefined && uses.length < CONTENT_LIMITS.keyphrasesCompared);
  return uses.slice(0, CONTENT_LIMITS.keyphrasesCompared);
}

async function articleIds({ runTx, part, signal }: JobContext): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await runTx(part, (tx) => tx.peekPage(articles, { limit: PAGE, cursor }));
    ids.push(...page.items.map(({ id }) => id));
    cursor = page.next ?? undefined;
  } while (cursor !== undefined && !signal.aborted);
  return ids;
}

/** Of tracked articles only: each page can link to two hundred others that nobody tracks. */
async function countLinks({ runTx, part }: JobContext, ids: readonly string[]): Promise<Map<string, number>> {
  const inbound = new Map(ids.map((id) => [id, 0]));
  for (const id of ids) {
    const stored = await runTx(part, (tx) => tx.get(articleMetrics, id));
    for (const target of stored?.value.targets ?? []) {
      const before = inbound.get(target);
      if (before !== undefined) inbound.set(target, before + 1);
    }
  }
  return inbound;
}

const note = (
  { runTx, part, nowAt }: JobContext,
  id: string,
  seen: { readonly cannibalises: string[]; readonly internalIn: number },
): Promise<boolean> =>
  runTx(part, async (tx) => {
    const before = await tx.get(articles, id);
    if (before === null) return false;
    const { value } = before;
    const isSame =
      value.links.internal_in === seen.internalIn && value.cannibalises.join() === seen.cannibalises.join();
    if (isSame) return false;
    const links = { ...value.links, internal_in: seen.internalIn };
    tx.put(articles, before, { ...value, updated_at: nowAt, cannibalises: seen.cannibalises, links });
    return true;
  });
