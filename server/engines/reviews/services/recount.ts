import type { Collection } from "../../../core/collection.ts";
import { readEach } from "../../../core/read-page.ts";
import type { Tx } from "../../../core/tx.ts";
import { aggregates, reviews, statsId, tallies, tallyId, TOTALS_ID, totalsDocs } from "../repository.ts";
import {
  addAttributes,
  addStats,
  attributesOf,
  elsewhereOf,
  NO_STATS,
  sameStats,
  statsOf,
} from "../rules/aggregate.ts";
import { addTally, decisionOf, NO_TALLY } from "../rules/tally.ts";
import type { Review } from "../schema.ts";
import type { DayTally, TargetStats, Totals } from "../schema/aggregate.ts";
import { emptyStats, NO_TOTALS } from "./save-review.ts";

/** Documents repaired per recount; the next one repairs the rest. */
const REPAIRS_MAX = 60;

export interface Recount {
  readonly reviews: number;
  readonly targets: number;
  /** Ids of aggregates that differ from the reviews. Should be empty. */
  readonly differences: readonly string[];
  readonly repaired: number;
}

/**
 * Recomputes all sums from the reviews and compares them. The totals are read first and checked at the commit, and
 * every
 * change that counts updates them: so a single consistent state is compared, or the recount is repeated.
 */
export async function recount(tx: Tx): Promise<Recount> {
  const totals = await tx.get(totalsDocs, TOTALS_ID);
  const truth = await countAll(tx);
  const differences: string[] = [];
  let repaired = 0;
  const repair = (id: string, write: () => void): void => {
    differences.push(id);
    if (repaired >= REPAIRS_MAX) return;
    repaired += 1;
    write();
  };
  if (!sameJson(totalsOf(totals?.value ?? NO_TOTALS), totalsOf(truth.totals))) {
    repair(TOTALS_ID, () => tx.save(totalsDocs, totals, truth.totals));
  }
  const targets = new Map(truth.targets);
  for await (const stored of readAll(tx, aggregates)) {
    const right = targets.get(stored.id) ?? emptyStats(stored.value);
    targets.delete(stored.id);
    if (!sameStats(stored.value, right)) repair(stored.id, () => tx.put(aggregates, stored, right));
  }
  for (const [id, right] of targets) repair(id, () => tx.create(aggregates, right));
  const days = new Map(truth.days);
  for await (const stored of readAll(tx, tallies, { index: "day" })) {
    const right = days.get(stored.id) ?? { id: stored.id, ...NO_TALLY };
    days.delete(stored.id);
    if (!sameJson(stored.value, right)) repair(stored.id, () => tx.put(tallies, stored, right));
  }
  for (const [id, right] of days) repair(id, () => tx.create(tallies, right));
  return { reviews: truth.count, targets: truth.targets.size, differences, repaired };
}

/** One after another: all of them are more than may be in memory. */
const readAll = <T>(tx: Tx, collection: Collection<T>, query: { readonly index?: string } = {}) =>
  readEach(tx.part, collection, query, (from, page) => tx.peekPage(from, page));

/** Aggregates of the given reviews as documents: for seeding a store. */
export function tallyOf(reviews: readonly Review[]): {
  readonly totals: Totals;
  readonly targets: readonly TargetStats[];
  readonly days: readonly DayTally[];
} {
  const truth = noTruth();
  for (const review of reviews) countOne(truth, review);
  return { totals: truth.totals, targets: [...truth.targets.values()], days: [...truth.days.values()] };
}

const noTruth = (): Truth => ({ count: 0, totals: NO_TOTALS, targets: new Map(), days: new Map() });

interface Truth {
  count: number;
  totals: Totals;
  readonly targets: Map<string, TargetStats>;
  readonly days: Map<string, DayTally>;
}

/** Sums over all reviews, computed from the reviews only. */
async function countAll(tx: Tx): Promise<Truth> {
  const truth = noTruth();
  for await (const { value } of readAll(tx, reviews)) countOne(truth, value);
  return truth;
}

function countOne(truth: Truth, review: Review): void {
  truth.count += 1;
  const { stats, statuses } = truth.totals;
  truth.totals = {
    ...truth.totals,
    stats: addStats(stats, statsOf(review), 1),
    statuses: { ...statuses, [review.status]: (statuses[review.status] ?? 0) + 1 },
  };
  if (review.status === "published") {
    const id = statsId(review.target);
    const stats = truth.targets.get(id) ?? emptyStats(review);
    const at = review.published_at;
    truth.targets.set(id, {
      ...stats,
      stats: addStats(stats.stats, statsOf(review), 1),
      elsewhere: addStats(stats.elsewhere ?? NO_STATS, elsewhereOf(review), 1),
      attributes: addAttributes(stats.attributes, attributesOf(review), 1),
      last_published_at:
        stats.last_published_at === null || (at !== null && at > stats.last_published_at)
          ? at
          : stats.last_published_at,
    });
  }
  const decision = decisionOf(review);
  if (decision === null) return;
  const id = tallyId(decision.day);
  truth.days.set(id, { id, ...addTally(truth.days.get(id) ?? NO_TALLY, decision.tally, 1) });
}

const totalsOf = ({ stats, statuses }: Totals) => ({
  stats: addStats(NO_TOTALS.stats, stats, 1),
  statuses: Object.entries(statuses).sort(([a], [b]) => (a < b ? -1 : 1)),
});

const sameJson = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
