import type { Level, Rules } from "../schema/programme.ts";
import type { Standing } from "../schema/standing.ts";
import { addDays } from "../../../lib/local-time.ts";
import { expiryOf } from "./expiry.ts";
import type { Facts } from "./facts.ts";

/** By level: the last day whose evidence reached or renewed it. */
export type Used = NonNullable<Standing["used"]>;

type Holder = Pick<Standing, "rank" | "since" | "renewals" | "used">;

/**
 * The facts that count for a level. With `evidence: fresh`, an order that reached or renewed the level does not count for it
 * again, nor does a refund of it: one order never buys two terms.
 */
export function countedFor(level: Level, facts: Facts, rules: Rules, holder: Holder): Facts {
  if (rules.evidence !== "fresh" || level.rank === 0) return facts;
  const through = holder.used?.[level.id] ?? (level.rank <= holder.rank ? termStart(rules, holder) : null);
  if (through === null) return facts;
  const usedOrders = new Set(
    facts.facts.flatMap(({ isReversal, order, date }) => (!isReversal && date <= through ? [order] : [])),
  );
  const isFresh = ({ order, date }: Facts["facts"][number]): boolean =>
    order === "" ? date > through : !usedOrders.has(order);
  return {
    ...facts,
    facts: facts.facts.filter(isFresh),
    folded: { ...facts.folded, orders: 0, spend: 0, refunds: 0 },
  };
}

/** The last day before the current term: what a member had used when the programme did not record it. */
function termStart(rules: Rules, { since, renewals }: Holder): string {
  const start = renewals === 0 ? null : expiryOf(rules, since, renewals - 1);
  return start === null ? since : addDays(start, -1);
}

/** The member of a standing that records the days used by a level and those below it; none unless evidence must be fresh. */
export function markUsed(
  rules: Rules,
  before: Used | undefined,
  rank: number,
  through: string,
): { used?: Used } {
  if (rules.evidence !== "fresh") return {};
  const marked = rules.levels.filter((level) => level.rank > 0 && level.rank <= rank);
  return { used: { ...before, ...Object.fromEntries(marked.map(({ id }) => [id, through])) } };
}
