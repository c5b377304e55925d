import type { Stored, Tx } from "../../../core/tx.ts";
import { aggregates, reviews, statsId, tallies, tallyId, TOTALS_ID, totalsDocs } from "../repository.ts";
import { addAttributes, addStats, attributesOf, elsewhereOf, NO_STATS, statsOf } from "../rules/aggregate.ts";
import { filedTarget } from "../rules/pick-places.ts";
import { addTally, decisionOf, NO_TALLY } from "../rules/tally.ts";
import type { Review } from "../schema.ts";
import type { TargetStats, Totals } from "../schema/aggregate.ts";

/**
 * The only function that writes reviews: sums of its target, the store and the day change in the same commit,
 * so that every aggregate always equals a full recomputation.
 */
export async function saveReview(
  tx: Tx,
  before: Stored<Review> | null,
  after: Review,
): Promise<Stored<Review>> {
  const old = before?.value ?? null;
  const isMoved = [await moveStats(tx, old, after), await moveTally(tx, old, after)].includes(true);
  await moveTotals(tx, old, after, isMoved);
  return tx.save(reviews, before, after);
}

export const emptyStats = (review: Pick<Review, "target">): TargetStats => ({
  id: statsId(review.target),
  target: review.target,
  stats: NO_STATS,
  elsewhere: NO_STATS,
  attributes: {},
  last_published_at: null,
});

/** A review that another system corrects can be about another target than before. False if no sum changes. */
async function moveStats(tx: Tx, old: Review | null, after: Review): Promise<boolean> {
  const isElsewhere = old !== null && statsId(old.target) !== statsId(after.target);
  const left = isElsewhere && (await moveStatsOfTarget(tx, old, { ...old, status: "withdrawn" }));
  return (await moveStatsOfTarget(tx, isElsewhere ? null : old, after)) || left;
}

async function moveStatsOfTarget(tx: Tx, old: Review | null, after: Review): Promise<boolean> {
  const wasPublished = old?.status === "published";
  if (!wasPublished && after.status !== "published") return false;
  // Read through `get`, so that of two changes of one target the second sees the first.
  const stored = await tx.get(aggregates, statsId(after.target));
  const before = stored?.value ?? emptyStats(after);
  const next: TargetStats = {
    ...before,
    stats: addStats(addStats(before.stats, statsOf(old), -1), statsOf(after), 1),
    elsewhere: addStats(addStats(before.elsewhere ?? NO_STATS, elsewhereOf(old), -1), elsewhereOf(after), 1),
    attributes: addAttributes(
      addAttributes(before.attributes, attributesOf(old), -1),
      attributesOf(after),
      1,
    ),
    last_published_at: await lastPublished(tx, before.last_published_at, old, after),
  };
  if (stored !== null && JSON.stringify(next) === JSON.stringify(before)) return false;
  tx.save(aggregates, stored, next);
  return true;
}

/** The latest publication of a target after this change. */
async function lastPublished(
  tx: Tx,
  before: string | null,
  old: Review | null,
  after: Review,
): Promise<string | null> {
  const own = after.status === "published" ? after.published_at : null;
  const wasLast = old !== null && old.status === "published" && old.published_at === before;
  return later(wasLast ? await lastOfOthers(tx, after) : before, own);
}

const later = (a: string | null, b: string | null): string | null =>
  a === null || (b !== null && b > a) ? b : a;

async function lastOfOthers(tx: Tx, { id, target }: Review): Promise<string | null> {
  const where = { index: "published", value: filedTarget(target), limit: 20 };
  let cursor: string | undefined;
  do {
    const page = await tx.peekPage(reviews, { ...where, cursor });
    for (const other of page.items) {
      if (other.id === id) continue;
      // Read through `get`: the same commit may have changed it.
      const current = (await tx.get(reviews, other.id))?.value;
      if (current?.status === "published") return current.published_at;
    }
    cursor = page.next ?? undefined;
  } while (cursor !== undefined);
  return null;
}

export const NO_TOTALS: Totals = { id: TOTALS_ID, stats: NO_STATS, statuses: {} };

export const readTotals = async (tx: Tx): Promise<Totals> =>
  (await tx.get(totalsDocs, TOTALS_ID))?.value ?? NO_TOTALS;

/** Written with every other sum, so that a recount that reads meanwhile begins again. */
async function moveTotals(tx: Tx, old: Review | null, after: Review, isMoved: boolean): Promise<void> {
  const stored = await tx.get(totalsDocs, TOTALS_ID);
  const before = stored?.value ?? NO_TOTALS;
  const next: Totals = {
    ...before,
    stats: addStats(addStats(before.stats, statsOf(old), -1), statsOf(after), 1),
    statuses: moveStatus(before.statuses, old?.status ?? null, after.status),
  };
  if (isMoved || stored === null || JSON.stringify(next) !== JSON.stringify(before))
    tx.save(totalsDocs, stored, next);
}

function moveStatus(
  statuses: Readonly<Record<string, number>>,
  from: string | null,
  to: string,
): Record<string, number> {
  const next = { ...statuses };
  if (from === to) return next;
  if (from !== null) next[from] = (next[from] ?? 0) - 1;
  next[to] = (next[to] ?? 0) + 1;
  return Object.fromEntries(Object.entries(next).filter(([, count]) => count !== 0));
}

async function moveTally(tx: Tx, old: Review | null, after: Review): Promise<boolean> {
  const from = decisionOf(old);
  const to = decisionOf(after);
  if (JSON.stringify(from) === JSON.stringify(to)) return false;
  for (const [decision, sign] of [
    [from, -1],
    [to, 1],
  ] as const) {
    if (decision === null) continue;
    const id = tallyId(decision.day);
    const stored = await tx.get(tallies, id);
    const next = { id, ...addTally(stored?.value ?? NO_TALLY, decision.tally, sign) };
    tx.save(tallies, stored, next);
  }
  return true;
}
