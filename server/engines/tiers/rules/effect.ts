import { mulRatio } from "../../../lib/money.ts";
import { addMonths } from "../../../lib/local-time.ts";
import type { Rules } from "../schema/programme.ts";
import type { Recalculation } from "../schema/recalculation.ts";
import type { Facts } from "./facts.ts";
import { metricValue } from "./metric-value.ts";

/** What a recalculation reports of all members. */
export type Effect = Pick<Recalculation, "counts" | "moves_sample" | "levels" | "discounts">;

export const noEffect = (rules: Rules | null): Effect => ({
  counts: { up: 0, down: 0, same: 0, errors: 0, written: 0, skipped: 0 },
  moves_sample: [],
  levels: (rules?.levels ?? []).map(({ id }) => ({ level_id: id, before: 0, after: 0 })),
  discounts: { currency: rules?.currency ?? "GBP", before: 0, after: 0 },
});

/** The effect with one more member counted under its levels; a level that the rules no longer have is listed too. */
export function countLevels(
  levels: Recalculation["levels"],
  before: string | null,
  after: string,
): Recalculation["levels"] {
  const known = new Set(levels.map(({ level_id: id }) => id));
  const gone = before === null || known.has(before) ? [] : [{ level_id: before, before: 0, after: 0 }];
  return [...levels, ...gone].map((level) => ({
    ...level,
    before: level.before + (level.level_id === before ? 1 : 0),
    after: level.after + (level.level_id === after ? 1 : 0),
  }));
}

const WHOLE = 100;

/** Percent of all discounts of a level. */
export const discountOf = ({ levels }: Pick<Rules, "levels">, levelId: string | null): number => {
  const benefits = levels.find(({ id }) => id === levelId)?.benefits ?? [];
  const percent = benefits.reduce(
    (sum, { kind, value }) => (kind === "discount_offer" ? sum + value : sum),
    0,
  );
  return Math.min(WHOLE, percent);
};

/** What a discount costs in a year: its share of what a member spent in the twelve months before a day. */
export function discountCost(facts: Facts, percent: number, day: string): number {
  if (percent === 0) return 0;
  const year = { type: "rolling", months: 12 } as const;
  const span = { from: addMonths(day, -year.months), to: day };
  return mulRatio(metricValue(facts, { metric: "spend", key: null, window: year }, span), percent, WHOLE);
}
