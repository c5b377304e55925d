import { createFairSlots } from "../lib/fair-slots.ts";
import type { FairSlots } from "../lib/fair-slots.ts";
import type { Clock } from "../core/clock.ts";

/** How long a store is worked on before others have their turn. */
const TURN_MS = 5_000;
/** Pieces of work of a turn. */
const TURN_PIECES = 20;
/**
 * Stores that a node works on at the same time, so that waiting for other servers overlaps: in all, and of one customer; and those beyond
 * whose turns take longer than `SLOW_TURN_MS`: servers that do not answer keep no places.
 */
const TURNS = { max: 32, perKey: 4, lent: 64 };
export const SLOW_TURN_MS = 1_000;

export interface Turn {
  /** Asked before each piece of work. */
  readonly hasTime: () => boolean;
  /** True when work was left because the time was over. */
  readonly isCut: () => boolean;
}

export const createTurns = (): FairSlots => createFairSlots(TURNS);

/** One that is not bounded lasts until `signal` aborts. */
export function startTurn(
  clock: Clock,
  { signal, isBounded }: { readonly signal: AbortSignal; readonly isBounded: boolean },
): Turn {
  const endMs = clock.now() + TURN_MS;
  let pieces = 0;
  let isCut = false;
  return {
    hasTime() {
      if (signal.aborted) return false;
      isCut ||= isBounded && (pieces >= TURN_PIECES || clock.now() >= endMs);
      pieces += 1;
      return !isCut;
    },
    isCut: () => isCut,
  };
}
