import { DAY_MS } from "../../../lib/instant.ts";
import { defineWorkerTask } from "../../../lib/worker-tasks.ts";
import type { Facts } from "../rules/facts.ts";
import { changeOf, replay, replayFacts } from "../rules/replay.ts";
import type { HistoryChange } from "../rules/replay.ts";
import type { EventFacts } from "../schema/event.ts";
import type { Criteria, Rules } from "../schema/programme.ts";
import type { Standing } from "../schema/standing.ts";

interface Simulation {
  readonly rules: Rules;
  readonly events: readonly EventFacts[];
  readonly asOf: string;
  readonly current: Standing | null;
}

// Results are kept small: what a thread returns is copied on the event loop, and each move has the findings of all criteria.

/** Moves that a simulation shows: monthly terms have a thousand of them in a century. */
export const SIMULATED_MOVES = 100;

/** Simulates a member: hundreds of criteria over hundreds of events and monthly terms take seconds. */
export const replayEvents = defineWorkerTask({
  id: "tiers.simulation",
  size: ({ rules, events, asOf, current }: Simulation) => {
    const dates = events.map(({ occurred_at }) => occurred_at.slice(0, 10));
    return sizeOf(rules, current === null ? dates : [...dates, current.since], asOf);
  },
  run: ({ rules, events, asOf, current }: Simulation) => {
    const replayed = replay(rules, events, { asOf, current });
    return { ...replayed, moves: replayed.moves.slice(-SIMULATED_MOVES) };
  },
});

/** What the levels of a member on each day of its history are computed from. */
export interface History {
  readonly rules: Rules;
  readonly asOf: string;
  readonly facts: Facts;
  /** Those before an import; null for a new member. */
  readonly before: Facts | null;
}

export interface ReplayedHistory extends HistoryChange {
  readonly standing: Standing;
}

/** Evaluates a member on each day of its history, with and without an import. */
export const replayHistories = defineWorkerTask({
  id: "tiers.history",
  size: ({ rules, asOf, before, facts }: History) =>
    [facts, ...(before === null ? [] : [before])].reduce(
      (sum, { facts: own }) =>
        sum +
        sizeOf(
          rules,
          own.map(({ date }) => date),
          asOf,
        ),
      0,
    ),
  run: ({ rules, asOf, before, facts }: History): ReplayedHistory => {
    const { moves, standing } = replayFacts(facts, rules, asOf);
    return {
      standing,
      ...changeOf(moves, before === null ? [] : replayFacts(before, rules, asOf).moves),
    };
  },
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
