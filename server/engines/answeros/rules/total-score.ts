import type { Band, Check, Penalty, Score } from "../schema.ts";

/** Version of the rules of the score: totals of different versions are not comparable. */
export const SCORE_VERSION = 1;

/** Maximum total of a page that answers must not show. */
const GATED_MAX = 20;
const GOOD_FROM = 80;
const FAIR_FROM = 50;

export const bandOf = (total: number): Band =>
  total >= GOOD_FROM ? "good" : total >= FAIR_FROM ? "fair" : "poor";

/**
 * The AEO score of a page from its checks: 100 · points / points of all applicable checks, less the penalties, never
 * below 0; at most 20 with a gate. Inapplicable checks (`na`) are ignored.
 */
export function totalScore(
  checks: readonly Pick<Check, "component" | "points" | "max" | "status">[],
  penalties: readonly Pick<Penalty, "points">[],
  gate: Score["gate"],
): Pick<Score, "total" | "band" | "components"> {
  const applying = checks.filter(({ status }) => status !== "na");
  const reached = sum(applying.map(({ points }) => points));
  const max = sum(applying.map((check) => check.max));
  const plain = max === 0 ? 0 : Math.round((100 * reached) / max);
  const less = Math.max(0, plain - sum(penalties.map(({ points }) => points)));
  const total = gate === null ? less : Math.min(less, GATED_MAX);
  const of = (component: Check["component"]): number =>
    Math.round(
      sum(applying.filter((check) => check.component === component).map(({ points }) => points)) * 100,
    ) / 100;
  return {
    total,
    band: bandOf(total),
    components: {
      access: of("access"),
      answerability: of("answerability"),
      evidence: of("evidence"),
      freshness: of("freshness"),
      coverage: of("coverage"),
      structured_data: of("structured_data"),
    },
  };
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
