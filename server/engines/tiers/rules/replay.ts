import type { EventFacts } from "../schema/event.ts";
import type { Ledger } from "../schema/ledger.ts";
import { EMPTY_LEDGER } from "../schema/ledger.ts";
import type { Rules } from "../schema/programme.ts";
import type { Move, Standing } from "../schema/standing.ts";
import { evaluate } from "./evaluate.ts";
import { factsOf } from "./facts.ts";
import type { Facts } from "./facts.ts";
import { joinLedgers, ledgerOf } from "./ledger.ts";
import { localDateAt } from "../../../lib/local-time.ts";

export interface Replayed {
  readonly ledger: Ledger;
  readonly standing: Standing;
  readonly moves: readonly Move[];
}

/**
 * The standing of a member as if each day of its history had been evaluated when it came: levels are dated by the events,
 * not by the day of their import.
 */
export function replayFacts(facts: Facts, rules: Rules, asOf: string): Omit<Replayed, "ledger"> {
  const days = new Set(facts.facts.flatMap(({ date, countsFrom }) => [date, countsFrom]));
  const past = [...days].filter((day) => day < asOf).sort();
  let standing: Standing | null = null;
  const moves: Move[] = [];
  for (const day of past) {
    const result = evaluate({ facts, rules, asOf: day, current: standing });
    moves.push(...result.moves);
    standing = result.standing;
  }
  const last = evaluate({ facts, rules, asOf, current: standing });
  return { standing: last.standing, moves: [...moves, ...last.moves] };
}

/**
 * Simulates a member with events one after the other, each evaluated on its day by the same function as real ones, and
 * once more on the last day.
 */
export function replay(
  rules: Rules,
  events: readonly EventFacts[],
  { asOf, current = null }: { readonly asOf: string; readonly current?: Standing | null },
): Replayed {
  let ledger = EMPTY_LEDGER;
  let standing = current;
  const moves: Move[] = [];
  const judgeOn = (day: string): Standing => {
    const result = evaluate({ facts: factsOf(ledger, rules), rules, asOf: day, current: standing });
    moves.push(...result.moves);
    return result.standing;
  };
  for (const event of [...events].sort((a, b) => (a.occurred_at < b.occurred_at ? -1 : 1))) {
    ledger = joinLedgers(ledger, ledgerOf(event));
    const day = localDateAt(Date.parse(event.occurred_at), rules.timezone);
    standing = judgeOn(day < asOf ? day : asOf);
  }
  return { standing: judgeOn(asOf), ledger, moves };
}

/** What an import of history changes. */
export interface HistoryChange {
  /** The last moves that were not known before. */
  readonly news: readonly Move[];
  /** Texts of the known ones that did not happen after all. */
  readonly superseded: readonly string[];
}

/** The moves of a history compared with those of the same member before an import, which are logged already. */
export function changeOf(moves: readonly Move[], known: readonly Move[]): HistoryChange {
  const logged = new Set(known.map(moveText));
  const happened = new Set(moves.map(moveText));
  return {
    news: moves.filter((move) => !logged.has(moveText(move))).slice(-HISTORY_MOVES),
    superseded: [...logged].filter((text) => !happened.has(text)),
  };
}

export const moveText = ({ kind, to, on }: Pick<Move, "kind" | "to" | "on">): string => `${on} ${kind} ${to}`;
/** Moves of an import that one commit adds, and the most that it removes. */
export const HISTORY_MOVES = 15;
