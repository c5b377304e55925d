import type { Condition, Conditions } from "../schema/offer.ts";
import type { LineInput } from "../schema/parts.ts";
import { createUnitCount } from "./lots.ts";

/** What conditions are checked against. */
export interface Situation {
  readonly lines: readonly LineInput[];
  /** The goods before any discount. */
  readonly subtotal: number;
  readonly customer: {
    /** Id and name of the level that the customer has. */
    readonly tiers: readonly string[];
    readonly order_count: number | null;
  } | null;
  readonly outcode: string | null;
  readonly channel: string | null;
  /** In the zone of the store: ISO weekday and wall clock. */
  readonly local: { readonly weekday: number; readonly time: string };
}

/** Judges conditions: the kinds of those that do not hold; none when the conditions as a whole are met. */
export type Judge = (conditions: Conditions) => Condition["kind"][];

/** Judges the conditions of many offers or upsells for one cart. */
export function createJudge(situation: Situation): Judge {
  const countUnits = createUnitCount(situation.lines);
  return ({ match, rules }) => {
    const unmet = rules.filter((rule) => !isMet(rule, situation, countUnits)).map(({ kind }) => kind);
    return match === "any" && unmet.length < rules.length ? [] : unmet;
  };
}

function isMet(
  rule: Condition,
  situation: Situation,
  countUnits: ReturnType<typeof createUnitCount>,
): boolean {
  switch (rule.kind) {
    case "subtotal":
      return situation.subtotal >= rule.min && (rule.max === null || situation.subtotal <= rule.max);
    case "quantity":
      return countUnits(rule.filter) >= rule.min;
    case "customer_tier":
      return situation.customer?.tiers.some((tier) => rule.any_of.includes(tier)) ?? false;
    case "first_order":
      return situation.customer?.order_count === 0;
    case "weekday":
      return isInTime(rule, situation.local);
    case "outcode":
      return rule.any_of.includes((situation.outcode ?? "").toUpperCase());
    case "channel":
      return rule.any_of.includes(situation.channel ?? "");
  }
}

/** A span whose end is not after its beginning ends on the day after: its days are those on which it begins. */
function isInTime(
  { days, from, to }: Extract<Condition, { kind: "weekday" }>,
  { weekday, time }: Situation["local"],
): boolean {
  const crossesMidnight = from !== null && to !== null && to <= from;
  const isRest = crossesMidnight && time < to;
  const day = isRest ? ((weekday + 5) % 7) + 1 : weekday;
  if (days.length > 0 && !days.includes(day)) return false;
  return isRest || ((from === null || time >= from) && (crossesMidnight || to === null || time < to));
}
