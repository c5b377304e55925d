import { Temporal } from "temporal-polyfill";
import { DAY_MS, MINUTE_MS } from "../../../lib/instant.ts";
import { minutesOf } from "../../../lib/local-time.ts";

/** Local time of a menu in milliseconds since 1970-01-01T00:00; instants are epoch milliseconds. */

/** An interval in which a zone has a constant offset: local time = instant + offset. */
export interface Stretch {
  readonly fromMs: number;
  readonly untilMs: number;
  readonly offsetMs: number;
}

/**
 * The intervals of constant offset that cover `[fromMs, untilMs)`. Inside one of them local time is continuous, so a
 * local range is plain arithmetic; a time skipped when daylight saving time starts is in none of them, one repeated
 * when it
 * ends is in two.
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

/** The local day, in days since 1970-01-01. */
export const dayOf = (localMs: number): number => Math.floor(localMs / DAY_MS);
/** Milliseconds from midnight of `HH:MM`. */
export const timeMs = (time: string): number => minutesOf(time) * MINUTE_MS;
