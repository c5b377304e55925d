import { DAY_MS } from "../../../lib/instant.ts";
import { defineWorkerTask } from "../../../lib/worker-tasks.ts";
import type { Facts } from "../rules/facts.ts";
import { replay, replayFacts } from "../rules/replay.ts";
import type { Replayed } from "../rules/replay.ts";
import type { EventFacts } from "../schema/event.ts";
import type { Criteria, Rules } from "../schema/programme.ts";
import type { Standing } from "../schema/standing.ts";

interface Simulation {
  readonly rules: Rules;
  readonly events: readonly EventFacts[];
  readonly asOf: string;
  readonly current: Standing | null;
}

/** Simulates a member: hundreds of criteria over hundreds of events and monthly terms take seconds. */
export const replayEvents = defineWorkerTask({
  id: "tiers.simulation",
  size: ({ rules, events, asOf }: Simulation) =>
    sizeOf(
      rules,
      events.map(({ occurred_at }) => occurred_at.slice(0, 10)),
      asOf,
    ),
  run: ({ rules, events, asOf, current }: Simulation) => replay(rules, events, { asOf, current }),
});

/** What the levels of a member on each day of its history are computed from. */
export interface History {
  readonly rules: Rules;
  readonly asOf: string;
  /** Facts of each ledger to evaluate. */
  readonly histories: readonly Facts[];
}

/** The result for each ledger. */
export type ReplayedHistory = readonly Omit<Replayed, "ledger">[];

/** Evaluates a member on each day of its history, once for each ledger. */
export const replayHistories = defineWorkerTask({
  id: "tiers.history",
  size: ({ rules, asOf, histories }: History) =>
    histories.reduce(
      (sum, { facts }) =>
        sum +
        sizeOf(
          rules,
          facts.map(({ date }) => date),
          asOf,
        ),
      0,
    ),
  run: ({ rules, asOf, histories }: History): ReplayedHistory =>
    histories.map((facts) => replayFacts(facts, rules, asOf)),
});

/** Every criterion is evaluated on each day of an event and at the end of each term, which is a month at least. */
function sizeOf({ levels }: Rules, dates: readonly string[], asOf: string): number {
  const first = dates.reduce((earliest, date) => (date < earliest ? date : earliest), asOf);
  const months = (Date.parse(asOf) - Date.parse(first)) / (30 * DAY_MS);
  const criteria = levels.reduce((sum, { entry, retain }) => sum + countOf(entry) + countOf(retain), 1);
  return criteria * (dates.length + months);
}

function countOf(criteria: Criteria | null): number {
  if (criteria === null) return 0;
  const nodes = "all" in criteria ? criteria.all : criteria.any;
  return nodes.reduce((sum, node) => sum + ("metric" in node ? 1 : countOf(node)), 0);
}
