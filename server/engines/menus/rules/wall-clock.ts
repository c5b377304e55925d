import { Temporal } from "temporal-polyfill";
import { DAY_MS, MINUTE_MS } from "../../../lib/instant.ts";
import { minutesOf } from "../../../lib/local-time.ts";

/** The wall clock of a menu, in milliseconds since 1970-01-01T00:00 local; instants are epoch milliseconds. */

/** A stretch of time in which a zone keeps one offset: wall clock = instant + offset. */
export interface Stretch {
  readonly fromMs: number;
  readonly untilMs: number;
  readonly offsetMs: number;
}

/**
 * The stretches of constant offset that cover `[fromMs, untilMs)`. Inside one of them the wall clock runs evenly, so a
 * local range is plain arithmetic; a time that the spring change skips lies in none of them, one that the autumn
 * change repeats lies in two.
 */
export function stretchesOf(timeZone: string, fromMs: number, untilMs: number): Stretch[] {
  const stretches: Stretch[] = [];
  let startMs = fromMs;
  while (startMs < untilMs) {
    const at = Temporal.Instant.fromEpochMilliseconds(startMs).toZonedDateTimeISO(timeZone);
    const change = at.getTimeZoneTransition("next")?.epochMilliseconds ?? untilMs;
    const endMs = Math.min(change, untilMs);
    stretches.push({ fromMs: startMs, untilMs: endMs, offsetMs: at.offsetNanoseconds / 1_000_000 });
    startMs = endMs;
  }
  return stretches;
}

/** The day, since 1970-01-01, of a wall clock. */
export const dayOf = (localMs: number): number => Math.floor(localMs / DAY_MS);
/** Milliseconds from midnight of `HH:MM`. */
export const timeMs = (time: string): number => minutesOf(time) * MINUTE_MS;
