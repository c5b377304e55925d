import type { Criteria, Criterion } from "../schema/programme.ts";
import type { Facts } from "./facts.ts";
import { metricValue } from "./metric-value.ts";
import { windowDays } from "./window-days.ts";
import type { DaySpan, WindowAnchors } from "./window-days.ts";
import type { Finding } from "../schema/standing.ts";

export interface Verdict {
  readonly met: boolean;
  readonly findings: readonly Finding[];
  /** Progress in basis points: the minimum over `all`, the maximum over `any`. */
  readonly progress: number;
}

/** Evaluates a tree of criteria on a day. */
export function judge(criteria: Criteria, facts: Facts, day: string, anchors: WindowAnchors): Verdict {
  const [isAll, nodes] = "all" in criteria ? [true, criteria.all] : [false, criteria.any];
  const verdicts = nodes.map((node) =>
    "metric" in node ? judgeOne(node, facts, day, anchors) : judge(node, facts, day, anchors),
  );
  const progress = verdicts.map((verdict) => verdict.progress);
  return {
    met: isAll ? verdicts.every(({ met }) => met) : verdicts.some(({ met }) => met),
    findings: verdicts.flatMap(({ findings }) => findings),
    progress: isAll ? Math.min(WHOLE, ...progress) : Math.max(0, ...progress),
  };
}

const WHOLE = 10_000;

/** Number of criteria in a tree. */
export function countCriteria(criteria: Criteria): number {
  const nodes = "all" in criteria ? criteria.all : criteria.any;
  return nodes.reduce((sum, node) => sum + ("metric" in node ? 1 : countCriteria(node)), 0);
}

function judgeOne(criterion: Criterion, facts: Facts, day: string, anchors: WindowAnchors): Verdict {
  const { metric, key, window, op, value: need } = criterion;
  const span = windowDays(window, day, anchors);
  const have = valueOf(facts, criterion, span);
  const met = op === "gte" ? have >= need : have <= need;
  const gap = met ? 0 : Math.abs(need - have);
  const near = op === "gte" ? have / need : need / have;
  const progress = met ? WHOLE : Math.min(WHOLE - 1, Math.floor(near * WHOLE));
  return { met, findings: [{ metric, key, window, ...span, have, need, gap, met }], progress };
}

/** Values of the members with many facts on the day that was asked for last: criteria of several levels are often the same. */
const known = new WeakMap<Facts, { readonly day: string; readonly values: Map<string, number> }>();
/** Facts for which a look-up costs less than the value. */
const MANY_FACTS = 20;

function valueOf(facts: Facts, criterion: Criterion, span: DaySpan): number {
  if (facts.facts.length < MANY_FACTS) return metricValue(facts, criterion, span);
  let today = known.get(facts);
  if (today?.day !== span.to) known.set(facts, (today = { day: span.to, values: new Map() }));
  const { metric, key, window } = criterion;
  const name = `${metric} ${key} ${window.type === "lifetime"} ${span.from}`;
  const found = today.values.get(name);
  if (found !== undefined) return found;
  const value = metricValue(facts, criterion, span);
  today.values.set(name, value);
  return value;
}
